import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type JsonObject,
	type NodeExecutionHint,
} from 'n8n-workflow';

import { adviceIn } from '../client/failure/advice';
import type { Failure } from '../client/failure/failure';
import { hasFailed, type Left } from '../client/failure/result';
import type { Wait } from '../client/pace/gate';
import { counted } from '../shared/counted';
import { isEmpty } from '../shared/values';
import type { Hours } from './hours';
import type { Outcomes } from './outcome';

/* What n8n gets from a run: items, the error that ends the node, a hint above its output. */

/** Why a run has ended before all items were attempted, and how to go on. */
interface EarlyEnd {
	reasons: string[];
	next: string;
}

interface Origin {
	node: INode;
	/** Index of its first item for n8n, which can pass items one by one. */
	first: number;
	/** Advice about a request that was in progress when the user stopped the execution. */
	unknown?: string | undefined;
	input?: (item: number) => IDataObject;
	/** Whether the fields of the input go into the output. */
	includesInput?: boolean | undefined;
	verb?: Verb;
}

/** What items are that are done and not skipped. */
type Verb = 'done' | 'sent';

/** As a tool of an AI agent, a node has a second type with this ending. */
export const isTool = ({ type }: INode) => type.endsWith('Tool');

/** The output items of a run that continues after failures, or that has none. Each is linked to its input item. */
export function itemsOf(
	origin: Origin,
	outcomes: Outcomes,
	{ isCanceled }: { isCanceled: boolean },
): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	// Shared, because creating thousands of errors in n8n would block the process.
	let notSent: NodeOperationError | undefined;
	for (let index = 0; index < outcomes.expected; index++) {
		const outcome = outcomes.of(index);
		const item = index + origin.first;
		const pairedItem = { item };
		if (outcome === 'interrupted' || outcome === 'notSent') {
			if (!isCanceled) continue;
			const left = { item: index, left: outcome };
			const error =
				outcome === 'notSent' ? (notSent ??= canceledError(origin, left)) : canceledError(origin, left);
			items.push({ json: {}, error, pairedItem });
		} else if (hasFailed(outcome)) {
			items.push(errorItem(origin, outcome.failure, index));
		} else {
			const input = origin.includesInput ? withoutOutcome(inputOf(origin, index)) : undefined;
			const rows = isTool(origin.node) ? outcome.rows.map(asModelReads) : outcome.rows;
			for (const row of rows) items.push({ json: input ? beside(input, row) : row, pairedItem });
		}
	}
	return items;
}

/** What the service leaves empty in its answer replaces nothing: LEADTEX has an empty `message` and `data` beside each success. */
const beside = (input: IDataObject, row: IDataObject): IDataObject => ({
	...input,
	...Object.fromEntries(Object.entries(row).filter(([name, value]) => !isEmpty(value) || !(name in input))),
});

/** A model would take success for the success of its own text, and what would be sent for what was sent. */
function asModelReads(row: IDataObject): IDataObject {
	if (row.testRun === true)
		return { ...row, message: "Not sent, because 'Test Run' is on. This is what would be sent." };
	const message =
		'Not sent: this person already has an earlier message under the same name, and does not get this text.';
	return row.alreadySent === true ? { alreadySent: true, message } : row;
}

/**
 * n8n sends an item to the error output only if it holds these keys and no others. There, n8n adds them to the fields of the input, and
 * replaces those of the same name. The text of a message is often in a field `message`, which must survive.
 */
function errorItem(origin: Origin, { message, description }: Failure, index: number): INodeExecutionData {
	const item = index + origin.first;
	// A model does not know item numbers.
	const error = isTool(origin.node) ? message : `${message} [Item ${item}]`;
	const isTaken = Object.hasOwn(inputOf(origin, index), 'message');
	const json = isTaken ? { error: `${error}. ${description}`.trim() } : { error, message: description };
	return { json, pairedItem: { item } };
}

/** A model knows the input that it has passed, and n8n adds fields of its own to it. */
const inputOf = ({ node, input }: Origin, index: number): IDataObject =>
	(isTool(node) ? undefined : input?.(index)) ?? {};

/** Without the fields that say how an item ended: an earlier node may have left them. n8n takes any item with an `error` for a failed one. */
function withoutOutcome(input: IDataObject): IDataObject {
	const {
		error: _error,
		success: _success,
		alreadySent: _sent,
		inDoubt: _doubt,
		testRun: _test,
		...others
	} = input;
	return others;
}

/**
 * The output while an execution waits for an answer. After the answer, n8n replaces it, and after the time limit, n8n outputs the input
 * items. They are copied, because n8n empties the output when it looks for items with errors.
 */
export const waitingItems = (items: INodeExecutionData[]): INodeExecutionData[] =>
	items.map((each, item) => ({ ...each, json: withoutOutcome(each.json), pairedItem: { item } }));

const sentences = (...parts: Array<string | false | undefined>) => parts.filter(Boolean).join(' ');

/** @param canRetry whether Retry of the execution repeats nothing */
export function stoppingError({ node, first, verb }: Origin, outcomes: Outcomes, canRetry = false) {
	const { item, failure } = outcomes.firstFailed!;
	const { done, unknown } = outcomes.counts;
	const ended = done + unknown;
	// n8n's rules ask for the item here. With `itemIndex` too, n8n's editor would add it once more.
	const message = `${failure.message} [Item ${item + first}]`;
	const description = sentences(
		tally(outcomes, verb),
		failure.description,
		canRetry &&
			ended > 0 &&
			ended < outcomes.expected &&
			"To go on, choose 'Retry' for this execution under 'Executions': it sends only what is missing.",
	);
	const status = String(failure.status ?? 'none');
	return new NodeApiError(node, {} as JsonObject, { message, description, httpCode: status });
}

/** The error that ends a stopped run, or an item of it. n8n recognizes it by the word "canceled" in its message. */
export function canceledError(
	{ node, first, unknown }: Origin,
	{ item, left }: { item: number; left: Left },
	counts?: string,
) {
	const description = sentences(
		counts,
		left === 'interrupted' && `The request was already in progress. ${unknown ?? ''}`.trim(),
	);
	return new NodeOperationError(node, 'The execution was canceled', {
		itemIndex: item + first,
		description: description || undefined,
	});
}

/** The numbers of several items, with which each notice begins; undefined for one item. */
export function tally(outcomes: Outcomes, verb: Verb = 'done'): string | undefined {
	const { expected } = outcomes;
	const { done, skipped, failed, interrupted, notSent, notAttempted } = outcomes.counts;
	const others: Array<[number, string]> = [
		[skipped, 'skipped'],
		[failed - notAttempted, 'failed'],
		[interrupted, 'in progress'],
		[notSent + notAttempted, 'not attempted'],
	];
	const parts = [[done - skipped, verb], ...others.filter(([count]) => count > 0)];
	return expected > 1 ? `${parts.map((part) => part.join(' ')).join(', ')}.` : undefined;
}

/** A notice names so many reasons. */
const mostReasons = 3;

/** The commonest reasons why items have failed, such as "2 × 'Text' is empty"; empty if there are none. */
export function reasonsOf({ reasons }: Outcomes): string {
	const named = reasons.slice(0, mostReasons).map(([message, count]) => `${count} × ${message}`);
	const others = reasons.slice(mostReasons).reduce((sum, [, count]) => sum + count, 0);
	return [...named, ...(others ? [`${others} for other reasons`] : [])].join(', ');
}

/**
 * Says why items were not attempted because of trouble or of their hours, and how to go on; undefined if there was neither.
 *
 * @param sendsOnce whether the run has used 'Send Once Per'
 */
export function earlyEndOf(
	{ trouble, expected }: Outcomes,
	hours: Hours | undefined,
	sendsOnce: boolean,
): EarlyEnd | undefined {
	const reasons = trouble ? [`${trouble.message}.`] : [];
	reasons.push(...(hours?.inWords(expected > 1) ?? []));
	const next = trouble
		? `${adviceIn(trouble)} Then start the workflow again`
		: 'Start the workflow again then';
	return reasons.length ? { reasons, next: `${next}${goOn(sendsOnce)}` } : undefined;
}

/** What a run waits for, in words for n8n's log. */
export const waiting = ({ failure, probeInMs, longestMs }: Wait): string =>
	`It waits: ${failure.message}. The next request leaves in ${seconds(probeInMs)}, and the run waits for ${seconds(longestMs)} at most`;

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

/** How another run sends only what is missing, after the words "start the workflow again". @param sendsOnce as above */
export const goOn = (sendsOnce: boolean) =>
	sendsOnce
		? ": with 'Send Once Per', no one gets a message twice."
		: ', only with the items that were not attempted.';

/** n8n shows a notice as HTML, which code may contain too. */
const hint = (
	lines: Array<string | false | undefined>,
	type: NodeExecutionHint['type'] = 'info',
): NodeExecutionHint => ({
	message: lines
		.filter((line) => typeof line === 'string')
		.map((line) => line.replace(/&/g, '&amp;').replace(/</g, '&lt;'))
		.join('<br>'),
	type,
	location: 'outputPane',
});

export const warning = (text: string) => hint([text], 'warning');

/** n8n shows hints in the order in which it gets them. */
export const warningsFirst = (hints: Array<NodeExecutionHint | undefined>): NodeExecutionHint[] =>
	hints
		.filter((each) => each !== undefined)
		.sort((one, other) => Number(other.type === 'warning') - Number(one.type === 'warning'));

interface Told {
	verb?: Verb;
	/** Whether the operation only reads, so that unknown outcomes do not matter. */
	reads?: boolean;
	early?: EarlyEnd | undefined;
	/** The value of 'Send Once Per', if it is the same for all items. */
	sentOncePer?: string | undefined;
	/** What to do if the service rejects requests because of limits that the node has assumed. */
	assumedLimits?: string | undefined;
}

/** What the user should know of how the items ended: the numbers, the reason, the next step. @returns undefined if everything is simply done */
export function hintOf(outcomes: Outcomes, told: Told = {}): NodeExecutionHint | undefined {
	const { verb, reads = false, early, sentOncePer, assumedLimits } = told;
	const { expected, counts, ofAll, refused, hasAssumed, secondsWaited } = outcomes;
	const { done, skipped } = counts;
	const areSeveral = expected > 1;
	const isIncomplete = areSeveral && done < expected;
	const unknown = reads || !areSeveral ? 0 : counts.unknown + counts.interrupted;
	if (!isIncomplete && !refused && !skipped && !early && !ofAll) return undefined;
	const isNothingSent = skipped === expected;
	const haveIt = messageUnder(sentOncePer);
	const reasons = ofAll ? '' : reasonsOf(outcomes);
	const numbers = tally(outcomes, verb);
	// The reasons stand behind the number of failed items, unless other numbers do.
	const isLastFailed = numbers?.endsWith(' failed.') && reasons !== '';
	const lines = [
		isLastFailed ? `${numbers!.slice(0, -1)}: ${reasons}.` : isNothingSent ? undefined : numbers,
		ofAll && `${ofAll.message}. ${ofAll.description}`,
		...(early?.reasons ?? []),
		isNothingSent
			? `Nothing was sent: ${areSeveral ? `all ${expected} already have` : 'the recipient already has'} ${haveIt}. For a new message, change 'Send Once Per'.`
			: skipped > 0 && `The skipped people already have ${haveIt}.`,
		early?.next,
		!isLastFailed && reasons !== '' && `Failed: ${reasons}.`,
		unknown > 0 &&
			`The outcome of ${counted(unknown, 'item')} is unknown. Check ${verb === 'sent' ? 'the chats before you send' : 'the service before you run'} ${unknown === 1 ? 'it' : 'them'} again.`,
		refused > 0 &&
			!early &&
			`The service rejected ${counted(refused, 'request')} because of a rate limit, and requests under that limit waited ${secondsWaited} s in total. ${hasAssumed ? (assumedLimits ?? '') : ''}`.trim(),
	];
	return hint(lines, isIncomplete || isNothingSent || early || ofAll ? 'warning' : 'info');
}

/** The message that nobody gets twice, in words. @param sentOncePer as above */
export const messageUnder = (sentOncePer: string | undefined) =>
	`a message under ${sentOncePer === undefined ? "the same value of 'Send Once Per'" : `'${sentOncePer}'`}`;

const mostNotices = 5;

const listed = (texts: string[], type?: NodeExecutionHint['type']) =>
	texts.length ? hint(texts.slice(0, mostNotices), type) : undefined;

/** @param counts numbers of items by what their results say */
export const hintOfResults = (
	counts: ReadonlyMap<string, number>,
	expected: number,
	type?: NodeExecutionHint['type'],
): NodeExecutionHint | undefined =>
	listed(
		[...counts].map(([text, count]) => (expected > 1 ? `${text} (${count} of ${expected} items)` : text)),
		type,
	);

/** @param counts numbers of items by the part, such as "In 'Text', `{{ $json.name }}`" */
export const hintOfEmptyParts = (
	counts: ReadonlyMap<string, number>,
	expected: number,
): NodeExecutionHint | undefined =>
	listed(
		[...counts].map(([part, count]) => `${part} was empty for ${count} of ${counted(expected, 'item')}.`),
	);
