import { LoadOptionsContext, WebhookContext } from 'n8n-core';
import {
	type IDataObject,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeType,
	type INodeTypeDescription,
	type ResourceMapperFields,
} from 'n8n-workflow';

import { until as patiently } from '../../sandbox/processes/poll';
import { callAsTool, callByEngine } from './calls';
import { loadedData, start, startAfterWait, startRetry, startRun } from './n8n';
import { itemsOf, prepareExpressions, resultOf, setUp, type RunOptions, type RunResult } from './setUp';

export { callAlone, callAsTool, callByEngine } from './calls';
export {
	credentialFor,
	newWorkflowId,
	useEmulator,
	withEmulator,
	type RunOptions,
	type RunResult,
} from './setUp';

/* Runs the node through n8n-core's own WorkflowExecute and RoutingNode, as the editor's "Execute workflow" does. */

/** A node type that a test defines. */
export const nodeTypeOf = ({
	description,
	...methods
}: Omit<INodeType, 'description'> & { description?: Partial<INodeTypeDescription> }): INodeType => ({
	...methods,
	description: {
		...start.description,
		displayName: 'Made Up',
		name: 'madeUp',
		inputs: ['main'],
		...description,
	},
});

/** The execution hints that n8n shows above the output. @param only those of this type */
export const hintsOf = ({ run: { data } }: RunResult, only?: 'warning'): string[] =>
	(data.resultData.runData.Tested?.at(-1)?.hints ?? [])
		.filter(({ type }) => !only || type === only)
		.map(({ message }) => message);

/** Waits for a condition during a run. */
export const until = async (isMet: () => boolean): Promise<void> => await patiently(isMet, { everyMs: 5 });

/** Runs the workflow: the start node passes all items to the node. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { workflow, additionalData, used } = setUp(options);
	const execution = startRun(workflow, additionalData, 'manual', itemsOf(options) ?? [{ json: {} }]);
	options.onStart?.(() => execution.cancel());
	return resultOf(await execution, used);
}

/** Starts a run that can be stopped, as users do. */
export function stoppable(start: (onStart: RunOptions['onStart']) => Promise<RunResult>) {
	let stop = () => {};
	const ended = start((cancel) => (stop = cancel));
	return { ended, stop: () => stop() };
}

/**
 * Retries a failed run, as n8n does from its list of executions: the node runs again with its items and with the context that
 * it left.
 *
 * @param changes to the options of the run. With parameters or node settings this is 'Retry with currently saved workflow',
 * without them 'Retry with original workflow'. Items replace the items that the node had
 */
export async function retryNode(failed: RunResult, changes: Partial<RunOptions> = {}): Promise<RunResult> {
	const { onStart: _, ...before } = failed.options;
	const { workflow, additionalData, used } = setUp({ ...before, ...changes }, 'retry');
	const execution = startRetry(workflow, additionalData, failed.run, {
		loadWorkflow: 'parameters' in changes || 'node' in changes,
		items: itemsOf(changes),
	});
	changes.onStart?.(() => execution.cancel());
	return resultOf(await execution, used);
}

/** Nobody answers until the time limit of a waiting execution. @returns how it goes on */
export async function reachTimeLimit({ run, options }: RunResult): Promise<RunResult> {
	const { workflow, additionalData, used } = setUp(options);
	return resultOf(await startAfterWait(workflow, additionalData, run), used);
}

/** A request for the link of a waiting execution. */
interface LinkRequest {
	method?: string;
	body?: unknown;
	/** The parameters of the link, which n8n has verified by then; by default those in the link. */
	query?: Record<string, unknown>;
	/** The languages that the browser asks for. */
	language?: string;
}

/** What a person gets, and what the workflow gets: undefined while the execution continues to wait. */
interface Opened {
	status?: number;
	headers: Record<string, string>;
	html: string;
	items: INodeExecutionData[] | undefined;
}

/**
 * Opens the link of a waiting execution, as n8n does when its signature is right: the execution is loaded from the database, and the
 * node's `webhook` is called.
 *
 * @param spoil changes the context that n8n gives to the node
 */
export async function openLink(
	{ run, options }: RunResult,
	link: string,
	{
		method = 'GET',
		body,
		query = Object.fromEntries(new URL(link).searchParams),
		language,
	}: LinkRequest = {},
	spoil: (context: Record<string, unknown>) => void = () => {},
): Promise<Opened> {
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	const opened: Opened = { headers: {}, html: '', items: undefined };
	const response = {
		status(code: number) {
			opened.status = code;
			return this;
		},
		set(headers: Record<string, string>) {
			Object.assign(opened.headers, headers);
			return this;
		},
		send(html: string) {
			opened.html = html;
		},
	};
	additionalData.httpRequest = { method, query, body, headers: { 'accept-language': language } } as never;
	additionalData.httpResponse = response as never;
	await prepareExpressions(workflow);
	const data = loadedData(run);
	const context = new WebhookContext(workflow, tested, additionalData, 'manual', {} as never, [], data);
	spoil(context as never);
	const result = await nodeType.webhook!.call(context as never);
	expect(result.noWebhookResponse).toBe(true);
	opened.items = result.workflowData?.[0];
	return opened;
}

/** Calls the node as AI agents do: by themselves, and by n8n. @returns the answer in each way */
export async function callInBothWays(options: RunOptions, call: IDataObject): Promise<unknown[]> {
	const [answer] = await callAsTool(options, [{ arguments: call }]);
	return [answer, (await callByEngine(options, [call])).json];
}

function inEditor(options: RunOptions) {
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	additionalData.currentNodeParameters = tested.parameters;
	return { nodeType, context: new LoadOptionsContext(workflow, tested, additionalData, '') as never };
}

/**
 * Loads a list as the editor does when the user opens 'From list' of a field.
 *
 * @param method name of the method in the node's `methods.listSearch`
 * @param options with the parameters as the editor holds them, with expressions resolved
 * @param asked the text in the search box, and where the last page ended
 * @throws the error that the editor shows instead of the list
 */
export async function loadList(
	method: string,
	options: RunOptions,
	asked: { filter?: string; paginationToken?: string } = {},
): Promise<INodeListSearchResult> {
	const { nodeType, context } = inEditor(options);
	return await nodeType.methods!.listSearch![method]!.call(context, asked.filter, asked.paginationToken);
}

/** Loads the fields to map for an item of a list, as the editor does. */
export async function loadFields(options: RunOptions): Promise<ResourceMapperFields> {
	const { nodeType, context } = inEditor(options);
	return await nodeType.methods!.resourceMapping!.getListFields!.call(context);
}
