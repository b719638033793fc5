import type { NodeHint } from 'n8n-workflow';

import { usualRequestsPerSecond } from '../client/account';
import type { Limit, Limits } from '../client/pace/limits';
import { contactMessengers, namesOf, unknownMessenger } from '../resources/choices';
import { message } from '../resources/message';
import { messageLimits, whatsAppNumberLimits } from '../resources/message/limits';
import { messageOptions, sendOncePer } from '../resources/message/options';
import { messageSendAndWait } from '../resources/message/sendAndWait';
import type { Operation } from '../resources/operation';

/*
 * Hints in the editor before a run of many items. A hint's text is fixed and only its condition is evaluated, so each time span
 * has its own hint.
 */

const spans: Array<{ minutes: [from: number, to: number]; words: string }> = [
	{ minutes: [1, 3], words: '1 to 3 minutes' },
	{ minutes: [3, 10], words: '3 to 10 minutes' },
	{ minutes: [10, 30], words: '10 to 30 minutes' },
	{ minutes: [30, 90], words: '30 to 90 minutes' },
	{ minutes: [90, 300], words: '1.5 to 5 hours' },
	{ minutes: [300, 1440], words: '5 to 24 hours' },
	{ minutes: [1440, Infinity], words: 'more than a day' },
];

/** Assumes the default pace, because a hint cannot read the credential. */
const secondsPerRequest = 1 / usualRequestsPerSecond;

const secondsOf = ({ count, windowMs }: Limit) => windowMs / count / 1000;

const secondsPer = (limits: Limits) => Math.max(secondsPerRequest, ...Object.values(limits).map(secondsOf));

/** n8n reads two braces as the end of an expression. */
const literal = (value: unknown) => JSON.stringify(value).replace(/}(?=})/g, '} ');

/** The IDs of the messengers, by each of their names. */
const idsByName = Object.fromEntries(
	contactMessengers.flatMap((choice) => namesOf(choice).map((name) => [name, choice.value])),
);

/** For each messenger, the names of its limits and the seconds between two messages under each. */
const secondsByMessenger = Object.fromEntries(
	contactMessengers.map(({ value: messenger }) => {
		const limits = messageLimits(messenger === unknownMessenger ? undefined : messenger);
		return [messenger, Object.entries(limits).map(([name, limit]) => [name, secondsOf(limit)])];
	}),
);

/** Before the previous nodes have run, reading the items throws. */
const items = '(() => { try { return $input.all(); } catch (error) { return []; } })()';

/**
 * Matches a parameter that reads a field of the item, such as {{ $json.messenger }}. The editor evaluates any other expression
 * for the first item only.
 */
const fieldOfItem = String.raw`/^=\{\{\s*\$json(?:((?:\??\.[^\s.?()[\]{}'"]+)+)|\[(['"])([^'"]+)\2\])\s*\}\}$/`;

const mostItems = 1000;
const goldenRatio = 0.618;

/**
 * Seconds for all messages. Different messengers do not wait for each other, so the slowest one counts, or the account's limit.
 *
 * The editor evaluates this for each time span, so it samples large inputs: about every tenth of 10,000 items, at irregular
 * distances, so that no pattern in the items distorts the result. The code has no optional chaining: next to a function with a
 * name that n8n uses itself, such as `keys`, n8n drops what follows `?.`.
 */
const secondsOfMessages = `(() => {
	const items = ${items};
	const parameter = $parameter['recipient'] === 'externalId' ? 'messenger' : 'contactMessenger';
	const field = ${fieldOfItem}.exec($rawParameter[parameter]);
	const counts = {};
	if (field) {
		const path = field[3] ? [field[3]] : field[1].split(/\\??\\./).slice(1);
		const step = Math.max(1, items.length / ${mostItems});
		for (let sample = 0; sample * step < items.length; sample++) {
			const item = items[Math.floor((sample + ((sample * ${goldenRatio}) % 1)) * step)];
			let value = item && item.json;
			for (const key of path) value = value && value[key];
			counts[value] = (counts[value] || 0) + step;
		}
	} else {
		counts[$parameter[parameter]] = items.length;
	}
	const ids = ${literal(idsByName)};
	const limits = ${literal(secondsByMessenger)};
	const seconds = { all: items.length * ${secondsPerRequest} };
	for (const value of Object.keys(counts)) {
		const id = ids[value.toLowerCase().replace(/[\\s_-]/g, '')] || '${unknownMessenger}';
		for (const [limit, each] of limits[id]) seconds[limit] = (seconds[limit] || 0) + counts[value] * each;
	}
	return Math.max(...Object.values(seconds));
})()`;

const seconds = `($parameter['operation'] === 'send'
	? ${secondsOfMessages}
	: ${items}.length * ($parameter['operation'] === 'sendToWhatsApp' ? ${secondsPer(whatsAppNumberLimits)} : ${secondsPerRequest}))`;

/** The input pane shows the hints of the previous node. */
const shown = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;

const isOneOf = (operations: Operation[]) =>
	`${JSON.stringify(operations.map(({ option }) => option.value))}.includes($parameter['operation'])`;

const isMessage = `$parameter['resource'] === '${message.option.value}'`;

const asksPerson = isOneOf(message.operations.filter(({ asks }) => asks));

/** Hints for the time that the current items take under the limits of the service. */
export const paceHints: NodeHint[] = spans.map(({ minutes: [from, to], words }) => ({
	message: `These items will take ${words}: the node sends no more requests and messages than the service accepts.`,
	displayCondition: `={{ !${asksPerson} && ((seconds) => seconds >= ${from * 60} && seconds < ${to * 60})(${seconds}) }}`,
	...shown,
}));

/** From this number of messages, a run takes minutes, so it is worth protecting against an interruption. */
const broadcast = 300;

const canProtect = isOneOf(message.operations.filter((operation) => operation.sendOncePer));

const isUnprotected = `!($parameter['${messageOptions.name}'] || {})['${sendOncePer.name}']`;

/** For a broadcast that could not be continued after an interruption. */
export const sendOncePerHint: NodeHint = {
	message: `Set '${sendOncePer.displayName}' under '${messageOptions.displayName}': if this run is interrupted, you can start it again, and it sends only the missing messages.`,
	displayCondition: `={{ ${isMessage} && ${canProtect} && ${items}.length >= ${broadcast} && ${isUnprotected} }}`,
	...shown,
};

/**
 * For operations that accept only one item, because the execution waits for the answer. n8n's editor says that every operation with
 * this name runs for the first item, which is not true of this node.
 */
export const oneItemHint: NodeHint = {
	message: `'${messageSendAndWait.option.name}' asks about one item at a time and refuses several: put the node Loop Over Items in front of this node, with a Batch Size of 1.`,
	type: 'warning',
	displayCondition: `={{ ${isMessage} && ${asksPerson} && ${items}.length > 1 }}`,
	...shown,
};

export const hints: NodeHint[] = [...paceHints, sendOncePerHint, oneItemHint];
