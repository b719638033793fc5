import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { wordsOf } from '../shared/quote';
import { messageSendAndWait } from '../resources/message/sendAndWait';
import { answerFieldIn, type OpenQuestion, type QuestionHost } from './openQuestion';
import { pageHeaders } from './page';
import { notShown, respond, type PageResponse } from './response';
import { pageWordsFor, type PageWords } from './words';

/*
 * The link between a run that asks and the page of its question. The run and the page are different calls of the node, perhaps in
 * different processes, and have only the data of the execution in common. No other file of this folder uses n8n's contexts.
 */

/**
 * The requests to the page. n8n offers a node with webhooks and the operation `sendAndWait` for human review of an AI agent's tools.
 *
 * They stand here and not in the class of the node: n8n's lint rule `webhook-lifecycle-complete` takes the webhooks in the file of a class
 * for those of a trigger, and demands methods that register them at the service.
 */
export const webhooks = (['GET', 'POST'] as const).map((httpMethod): IWebhookDescription => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
}));

/** Shown on the canvas while the execution waits. */
export const waitingNodeTooltip = `={{ $parameter["operation"] === "${messageSendAndWait.option.value}" ? "The execution continues when the person answers" : "" }}`;

const idParameter = 'question';

/** The key of the question in the execution's data of the node. A waiting execution can be older than the node. */
const questionKey = 'asked';

/** @param isTool whether a model calls the node */
export const questionHostOf = (
	n8n: IExecuteFunctions,
	node: INode,
	items: INodeExecutionData[],
	isTool: boolean,
): QuestionHost => ({
	items,
	keep(question) {
		const kept = JSON.stringify(question);
		n8n.getContext('node')[questionKey] = kept;
		// When the page is opened, it is too late to ask in another way.
		if (keptQuestion(n8n, node) !== kept) throw new Error('The question was not found again');
		// Without this call, n8n 1 and n8n 2.8 check no signature. Newer ones always check it, and lack the function.
		(n8n as Partial<IExecuteFunctions>).setSignatureValidationRequired?.();
		return n8n.getSignedResumeUrl({ [idParameter]: question.id });
	},
	async wait(until) {
		// n8n passes them on when nobody has answered. They are its copies for this run. A model would read its own call as the answer.
		for (const item of items) item.json = isTool ? { ...noAnswer } : withoutAnswer(item.json);
		await n8n.putExecutionToWait(until);
	},
});

/** What a model reads when the time limit is reached. */
export const noAnswer = { message: 'No one has answered' };

function withoutAnswer(json: IDataObject): IDataObject {
	const [name] = answerFieldIn(json)?.split('.') ?? [];
	if (!name) return json;
	const { [name]: _answer, ...others } = json;
	return withoutAnswer(others);
}

/**
 * The latest question of the node as it was kept. A webhook can read the execution's data only by an expression. One JSON text keeps
 * everything, because n8n's expression engines return texts unchanged, except for characters that JSON can escape.
 */
function keptQuestion(n8n: IExecuteFunctions | IWebhookFunctions, { name }: INode): unknown {
	// Two braces in the name would end the expression.
	const quoted = JSON.stringify(name).replace(/[{}]/g, (brace) => (brace === '{' ? '\\u007b' : '\\u007d'));
	return n8n.evaluateExpression(`{{ $node[${quoted}].context[${JSON.stringify(questionKey)}] }}`, 0);
}

/**
 * Answers the person who opens the link. n8n checks the signature of the link, and calls this only while the execution waits. It never
 * throws: n8n would then continue the workflow with an empty item, even if a person has only opened the page.
 */
export async function answerQuestion(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const words = attempt(this, () => pageWordsFor(this.getHeaderData()['accept-language'])) ?? pageWordsFor();
	const { status, html, answer } = attempt(this, () => responseOf(this, words)) ?? notShown(words);
	attempt(this, () => this.getResponseObject().status(status).set(pageHeaders).send(html));
	// Without data, the execution continues to wait.
	if (!answer) return { noWebhookResponse: true };
	const data = { ...answer, respondedAt: new Date().toISOString() };
	return { noWebhookResponse: true, workflowData: [[{ json: { data }, pairedItem: { item: 0 } }]] };
}

function responseOf(n8n: IWebhookFunctions, words: PageWords): PageResponse {
	const kept = keptQuestion(n8n, n8n.getNode());
	const question = typeof kept === 'string' ? (JSON.parse(kept) as OpenQuestion) : undefined;
	const { method } = n8n.getRequestObject();
	const id = (n8n.getQueryData() as Record<string, unknown> | undefined)?.[idParameter];
	return respond({ method, id, body: n8n.getBodyData(), words }, question);
}

/** Logs what an action throws. */
function attempt<T>(n8n: IWebhookFunctions, action: () => T): T | undefined {
	try {
		return action();
	} catch (error) {
		n8n.logger.error(`The page of a question failed: ${wordsOf(error)}`);
		return undefined;
	}
}
