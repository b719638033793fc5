import {
	NodeApiError,
	NodeOperationError,
	sleep,
	type DeclarativeRestApiSettings,
	type IDataObject,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type INodePropertyRouting,
	type JsonObject,
} from 'n8n-workflow';

import { findOperation } from '../resources';
import type { Operation } from '../shared/operation';
import { readAnswer, type ServiceAnswer } from './answer';
import { check, type CheckedValues } from './check';
import { readAccount, type Account } from './credential';
import { heldBack, invalidAddress, invalidValues, withOutcome, type Failure } from './failure';
import { joinLimits, type Limits } from '../shared/limits';
import { isCalledByAgent, joinRun } from './joinRun';
import { nextAttemptIn } from './retry';
import type { Run } from './run';
import { withoutToken } from './secrets';
import { placeParameters } from './target';
import { readTransportError } from './transport';
import { forPace, turnsOf } from './turn';

/*
 * The life of an item's request, from its values to its items:
 *
 *     values ─ check ─ gate ─ turn ─ request ─ answer ─ item(s)
 *                                      └ retry
 *
 * The steps know nothing of n8n; this file strings them together and is the only one that talks to the engine. The hook is
 * `requestOperations.pagination`: the engine hands it the request it has put together for one item, and takes the items it
 * returns. It is meant for pages, but is called for every operation that asks for it (`send.paginate`), and is the only
 * declarative hook that sees a request before it leaves and its answer too.
 */

type ResultOptions = DeclarativeRestApiSettings.ResultOptions;

/** Routing of every operation: calls `requestItem` and lets it see whole answers. */
export const pipelineRouting: INodePropertyRouting = {
	send: { paginate: true },
	output: { postReceive: [wholeAnswer] },
};

/** Hands an answer to `requestItem` with its status and headers, which the engine would drop. */
async function wholeAnswer(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	return [{ json: { statusCode, headers: headers as IDataObject, body: body as IDataObject } }];
}

/**
 * Everything between an item's resolved parameters and its output items; see the drawing above.
 *
 * Until it joins the gate it must not wait: the gate counts on the engine's loop calling it for all items in one go.
 *
 * @throws NodeOperationError or NodeApiError, naming the item, when the node is to stop on errors
 */
export async function requestItem(
	this: IExecutePaginationFunctions,
	request: ResultOptions,
): Promise<INodeExecutionData[]> {
	const run = joinRun(this);
	try {
		return await live(this, run, request);
	} finally {
		// Whatever happened: the others may wait for this item.
		void run.end(this.getItemIndex(), 'failed');
	}
}

async function live(
	context: IExecutePaginationFunctions,
	run: Run,
	request: ResultOptions,
): Promise<INodeExecutionData[]> {
	// As they stand in the workflow: the engine takes no expressions for these two either.
	const { resource, operation: name } = context.getNode().parameters;
	const operation = findOperation(resource as string, name as string);
	const checked = check(operation, {
		values: request.options.qs ?? {},
		control: (parameter) => context.getNodeParameter(parameter, undefined),
	});
	const valid = !('problems' in checked);
	const passage = await run.gate?.join(valid);

	if (!valid) return await failed(context, run, invalidValues(checked.problems));
	if (passage === 'notAllCame') return await notSent(context, run);
	if (passage === 'othersInvalid' && !context.continueOnFail()) return await notSent(context, run);
	return await answered(context, run, operation, checked, request);
}

/** An item that may be sent, from its turn to its end. */
async function answered(
	context: IExecutePaginationFunctions,
	run: Run,
	operation: Operation,
	values: CheckedValues,
	request: ResultOptions,
): Promise<INodeExecutionData[]> {
	const index = context.getItemIndex();
	const remembered = run.memory.get(index);
	if (remembered && 'items' in remembered) {
		void run.end(index, 'done');
		return remembered.items;
	}
	if (remembered) return await failed(context, run, remembered.failure);

	run.account ??= context.getCredentials('chatbotServiceApi').then(readAccount);
	const account = await run.account;
	run.onStop ??= () => turnsOf(account.key).leave(run);
	if (!account.hasAddress) return await failed(context, run, invalidAddress());
	const outcome = await run.inOrder(
		values.target,
		async () => await requestPages({ context, run, operation, values, account }, request),
	);
	if (outcome === 'notSent') return await notSent(context, run);
	if ('failure' in outcome) {
		const failure = withoutToken(withOutcome(outcome.failure, operation.repeatable), account.token);
		if (failure.outcome === 'unknown' && !operation.repeatable) run.memory.set(index, { failure });
		return await failed(context, run, failure);
	}
	const items = withoutToken(outcome.rows, account.token).map((json) => ({
		json,
		pairedItem: { item: index },
	}));
	run.memory.set(index, { items });
	void run.end(index, 'done');
	reportProgress(context, run);
	return items;
}

type Outcome = { rows: IDataObject[] } | { failure: Failure } | 'notSent';

/** What stays the same for all requests of an item. */
interface Sender {
	context: IExecutePaginationFunctions;
	run: Run;
	operation: Operation;
	values: CheckedValues;
	account: Account;
}

/** Sends the request, and asks for further pages until there are enough rows or no more pages. */
async function requestPages(sender: Sender, request: ResultOptions): Promise<Outcome> {
	const { operation, values, account } = sender;
	const path = `${new URL(account.baseUrl).pathname}${request.options.url!}`;
	const { query, body } = placeParameters(values, path, account.tokenLength, operation.longInBody === true);
	const limit = values.limit ?? Infinity;
	const rows: IDataObject[] = [];
	for (let page = 1; ; page++) {
		const outcome = await requestUntilAnswered(sender, joinLimits(account.limits, values.paceLimits), {
			...request,
			options: {
				...request.options,
				baseURL: account.baseUrl,
				qs: page > 1 ? { ...query, page } : { ...query },
				body,
			},
		});
		if (outcome === 'notSent' || 'failure' in outcome) return outcome;
		rows.push(...outcome.rows);
		if (rows.length >= limit) return { rows: rows.slice(0, limit) };
		const more = outcome.page && outcome.rows.length > 0 && outcome.page.current < outcome.page.last;
		if (!more) return { rows };
	}
}

type PageOutcome = { rows: IDataObject[]; page?: { current: number; last: number } } | { failure: Failure };

/** Sends one request when its turn comes, and again as far as that is harmless. */
async function requestUntilAnswered(
	sender: Sender,
	limits: Limits,
	request: ResultOptions,
): Promise<PageOutcome | 'notSent'> {
	const { run, operation, account } = sender;
	const turns = turnsOf(account.key);
	turns.shareAmong(account.workers);
	for (let made = 1, waitedMs = 0, mayBeDone = false; ; made++) {
		if (run.stopped) return 'notSent';
		const outcome = await turns.take(run, limits, made > 1, async () =>
			forPace(await requestOnce(sender, request)),
		);
		if (!outcome) return 'notSent';
		if (!('failure' in outcome)) return outcome;
		const { failure } = outcome;
		mayBeDone ||= failure.outcome === 'unknown';
		const wait = nextAttemptIn(failure, operation.repeatable, { made, waitedMs });
		// A refusal now says nothing of the attempts before.
		if (wait === undefined) return { failure: mayBeDone ? { ...failure, outcome: 'unknown' } : failure };
		waitedMs += wait;
		// After a limit was reached it is the pace that waits, for this request and all others.
		if (failure.repeat !== 'afterLimit') await pause(run, wait);
	}
}

/** One request and its answer, or what kept the answer away. */
async function requestOnce(
	{ context, operation, values }: Sender,
	request: ResultOptions,
): Promise<PageOutcome> {
	// A credential may write the token into the options; the next attempt starts from clean ones.
	const options = {
		...request.options,
		qs: { ...request.options.qs },
		headers: { ...request.options.headers },
	};
	let items: INodeExecutionData[];
	try {
		items = await context.makeRoutingRequest({ ...request, options });
	} catch (error) {
		return { failure: readTransportError(error) };
	}
	const answer = items[0]!.json as unknown as ServiceAnswer;
	return readAnswer(answer, operation.answer, values.labels, Date.now());
}

/** Waits in short steps, because n8n's `sleep` cannot be ended early. */
async function pause(run: Run, milliseconds: number): Promise<void> {
	const longestStepMs = 500;
	for (let left = milliseconds; left > 0 && !run.stopped; left -= longestStepMs) {
		await sleep(Math.min(left, longestStepMs));
	}
}

/**
 * Nothing left for this item. It ends without a word where the error of another item, or the user's stop, says it all;
 * where others keep their answers, it gets a word of its own.
 */
async function notSent(context: IExecutePaginationFunctions, run: Run): Promise<INodeExecutionData[]> {
	const allEnded = run.end(context.getItemIndex(), 'notSent');
	if (run.stopped === 'cancel') {
		await allEnded;
		throw canceled(context);
	}
	if (!context.continueOnFail()) return [];
	return [errorItem(context, heldBack())];
}

/** n8n takes an execution for stopped by its user when the message holds the word "canceled". */
const canceled = (context: IExecutePaginationFunctions) =>
	new NodeOperationError(context.getNode(), 'The execution was canceled', {
		itemIndex: context.getItemIndex(),
	});

/** Ends an item without an answer: as an item of its own in the continue modes and for a model, else by stopping the run. */
async function failed(
	context: IExecutePaginationFunctions,
	run: Run,
	failure: Failure,
): Promise<INodeExecutionData[]> {
	// What was under way when the user stopped the execution broke off for that reason.
	if (run.stopped === 'cancel') return await notSent(context, run);
	if (context.continueOnFail() || isForModel(context)) {
		void run.end(context.getItemIndex(), 'failed');
		reportProgress(context, run);
		return [errorItem(context, failure)];
	}
	run.stop('failure');
	// What is under way ends first, so that the counts are those of the service.
	await run.end(context.getItemIndex(), 'failed');
	throw nodeError(context, run, failure);
}

/**
 * Whether an AI agent gets the failure as the answer of its tool, for its model to read what is wrong and what to do. Of
 * an error that is thrown it hands on only the message, or nothing, depending on its version.
 */
function isForModel(context: IExecutePaginationFunctions): boolean {
	const { type, onError, retryOnFail } = context.getNode();
	if (!isTool(type) || onError === 'stopWorkflow') return false;
	// An agent that calls its tools by itself tries again only what was thrown; the engine such an answer too.
	return !(retryOnFail && isCalledByAgent(context));
}

/** n8n gives a node a second type of this name to be a tool. */
const isTool = (type: string) => type.endsWith('Tool');

const reportEveryMs = 30_000;

/** Tells n8n's log how far a long run is. */
function reportProgress(context: IExecutePaginationFunctions, run: Run) {
	const text = run.progress(reportEveryMs);
	if (text) context.logger.info(`${context.getNode().name}: ${text}`);
}

/** n8n sends an item to the error output only when it holds these keys and no others. */
function errorItem(
	context: IExecutePaginationFunctions,
	{ message, description }: Failure,
): INodeExecutionData {
	const item = context.getItemIndex();
	// A model knows of no items.
	const place = isTool(context.getNode().type) ? '' : ` [Item ${item}]`;
	return { json: { error: `${message}${place}`, message: description }, pairedItem: { item } };
}

function nodeError(context: IExecutePaginationFunctions, run: Run, failure: Failure) {
	const itemIndex = context.getItemIndex();
	const message = `${failure.message} [Item ${itemIndex}]`;
	const description = [failure.description, tally(run)].filter(Boolean).join(' ');
	if (failure.status === undefined) {
		return new NodeOperationError(context.getNode(), message, { description, itemIndex });
	}
	return new NodeApiError(context.getNode(), {} as JsonObject, {
		message,
		description,
		httpCode: String(failure.status),
		itemIndex,
	});
}

function tally(run: Run): string {
	if (run.expected < 2) return '';
	return `Of ${run.expected} items, ${run.count('done')} were done, ${run.count('failed')} failed and ${run.count('notSent')} were not sent.`;
}
