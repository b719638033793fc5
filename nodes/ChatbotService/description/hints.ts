import type { NodeHint } from 'n8n-workflow';

import { usualRequestsPerSecond, type Limit, type Limits } from '../client/pace/limits';
import { contactMessengers, namesOf, unknownMessenger } from '../resources/choices';
import { message } from '../resources/message';
import { messageLimits, whatsAppNumberLimits } from '../resources/message/limits';
import { messageOptions, sendOncePer } from '../resources/message/options';

/*
 * What the editor says before a run of many items. A hint's text is fixed and only its condition is evaluated, so there is one
 * hint for each span of time.
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

/** The credential is out of reach for a hint. */
const secondsPerRequest = 1 / usualRequestsPerSecond;

const secondsOf = ({ count, windowMs }: Limit) => windowMs / count / 1000;

const secondsPer = (limits: Limits) => Math.max(secondsPerRequest, ...Object.values(limits).map(secondsOf));

/** n8n takes two braces for the end of an expression. */
const literal = (value: unknown) => JSON.stringify(value).replace(/}(?=})/g, '} ');

/** What a messenger may be called, and its ID. */
const idsByName = Object.fromEntries(
	contactMessengers.flatMap((choice) => namesOf(choice).map((name) => [name, choice.value])),
);

/** The limits of a messenger, by name, and the seconds that each lets pass between two messages. */
const secondsByMessenger = Object.fromEntries(
	contactMessengers.map(({ value: messenger }) => {
		const limits = messageLimits(messenger === unknownMessenger ? undefined : messenger);
		return [messenger, Object.entries(limits).map(([name, limit]) => [name, secondsOf(limit)])];
	}),
);

/** As long as the nodes before have not run there are no items, and asking for them throws. */
const items = '(() => { try { return $input.all(); } catch (error) { return []; } })()';

/** A parameter that names a field of the items, such as {{ $json.messenger }}; any other expression is known for the first item alone. */
const fieldOfItem = String.raw`/^=\{\{\s*\$json(?:((?:\??\.[^\s.?()[\]{}'"]+)+)|\[(['"])([^'"]+)\2\])\s*\}\}$/`;

const mostItems = 1000;
const goldenRatio = 0.618;

/**
 * Messages to different messengers don't wait for each other: the slowest messenger counts, or all of them together. Of many items
 * that differ some are looked at, because the editor evaluates this anew for each span of time: every tenth of 10,000 or so, at
 * distances that no pattern in the items has. No optional chaining: beside a function whose name is one of n8n's own, such as `keys`,
 * n8n loses what follows on it.
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

/** The hints of the input pane are those of the node before. */
const shown = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;

/** Hints for the items at hand, by how long the limits of the service make them take. */
export const paceHints: NodeHint[] = spans.map(({ minutes: [from, to], words }) => ({
	message: `These items will take ${words}: the node sends no more requests and messages than the service accepts.`,
	displayCondition: `={{ ((seconds) => seconds >= ${from * 60} && seconds < ${to * 60})(${seconds}) }}`,
	...shown,
}));

/** From how many messages on a run is long enough to be interrupted. */
const broadcast = 300;

const sendsMessages = `${JSON.stringify(message.operations.map(({ option }) => option.value))}.includes($parameter['operation'])`;

const isUnprotected = `!($parameter['${messageOptions.name}'] || {})['${sendOncePer.name}']`;

/** For a broadcast that could not be continued. */
export const onceHint: NodeHint = {
	message: `Set '${sendOncePer.displayName}' under '${messageOptions.displayName}': if this run is interrupted, you can start it again, and it sends only the missing messages.`,
	displayCondition: `={{ $parameter['resource'] === '${message.option.value}' && ${sendsMessages} && ${items}.length >= ${broadcast} && ${isUnprotected} }}`,
	...shown,
};

export const hints: NodeHint[] = [...paceHints, onceHint];
