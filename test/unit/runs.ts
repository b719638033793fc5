import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import type { RunContext } from '../../nodes/ChatbotService/run/prepare';
import { run } from '../../nodes/ChatbotService/run/run';
import { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import { inMoscow } from './samples';
import { inTime } from './virtualTime';

/* Runs of the node without n8n's engine, with a service and a store that a test controls. */

export const ok: ServiceAnswer = { statusCode: 200, headers: {}, body: { success: true } };
export const refused: ServiceAnswer = { statusCode: 422, headers: {}, body: { message: 'Нет контакта.' } };
export const broken: ServiceAnswer = { statusCode: 500, headers: {}, body: { message: 'Server Error' } };

export const once = { options: { sendOncePer: 'осень' } };

let accounts = 0;

/** A credential of an account that no other run uses. */
export function newCredential(requestsPerSecond = 0) {
	const token = `токен-${++accounts}`;
	return async () => ({ baseUrl: 'https://run.example.com', token, requestsPerSecond });
}

/** The context of a run that sends messages to contacts 1, 2, 3, … with an account without a limit. */
export function contextFor(
	count: number,
	changes: Partial<RunContext> & Pick<RunContext, 'send'>,
	parameters: Record<string, unknown> = {},
	contacts: object[] = range(1, count + 1).map((id) => ({ id })),
): RunContext {
	const raw = {
		...{ resource: 'message', operation: 'send' },
		...{ recipient: 'contact', contactMessenger: 'vk', content: ['text'] },
		contactId: '={{ $json.id }}',
		text: 'Здравствуйте!',
		...parameters,
	};
	const type = 'n8n-nodes-chatbot-service.chatbotService';
	return {
		node: { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: raw },
		count,
		first: 0,
		source: new FakeN8n(raw, contacts),
		continues: false,
		calledByAgent: false,
		signal: undefined,
		timeOf: inMoscow.timeOf,
		timezone: 'Europe/Moscow',
		triesKey: null,
		kept: null,
		entries: undefined,
		isWorker: true,
		asker: undefined,
		credential: newCredential(),
		log: () => {},
		hint: () => {},
		...changes,
	};
}

export const contactOf = ({ qs, body }: IHttpRequestOptions) =>
	Number(qs?.contact_id ?? (body as IDataObject).contact_id);

export const ascending = (numbers: number[]) => [...numbers].sort((a, b) => a - b);

/** The answer to a message for a contact. @param to whom messages have been sent so far */
export type AnswerTo = (contact: number, to: number[]) => ServiceAnswer | Promise<ServiceAnswer>;

/** The result of a run: its items, or the error that ends it. */
export async function outcomeOf(context: RunContext) {
	try {
		return { json: (await inTime(run(context))).map(({ json }) => json) };
	} catch (error) {
		return { error: error as Error & { description?: string } };
	}
}

/** Sends messages to contacts. @returns the result, and the contacts in the order of the requests and sorted */
export async function runFor(
	count: number,
	{ answerTo = () => ok, ...changes }: Partial<RunContext> & { answerTo?: AnswerTo } = {},
	parameters?: Record<string, unknown>,
	contacts?: object[],
) {
	const to: number[] = [];
	const send = async (options: IHttpRequestOptions) => {
		to.push(contactOf(options));
		await new Promise((resolve) => setImmediate(resolve));
		return await answerTo(contactOf(options), to);
	};
	const outcome = await outcomeOf(contextFor(count, { send, ...changes }, parameters, contacts));
	return { ...outcome, to, sorted: ascending(to) };
}

/** The entries that a new process finds after this one has died. */
export const left = (entries: FakeEntries) => new FakeEntries([...entries.stored]);

export const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);
