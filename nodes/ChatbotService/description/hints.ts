import type { NodeHint } from 'n8n-workflow';

import type { Limits } from '../client/limits';
import { messengers } from '../resources/choices';
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

/** The credential is out of reach for a hint; these are the 2 requests per second of its default. */
const secondsPerRequest = 0.5;

const secondsPer = (limits: Limits) =>
	Math.max(secondsPerRequest, ...Object.values(limits).map(({ count, windowMs }) => windowMs / count / 1000));

const secondsByMessenger = Object.fromEntries([
	['unknown', secondsPer(messageLimits(undefined))],
	...messengers.map(({ value }) => [value, secondsPer(messageLimits(value))] as const),
]);

const messengerOfItem =
	"($parameter['recipient'] === 'externalId' ? $parameter['messenger'] : $parameter['contactMessenger'])";

const secondsPerItem = `($parameter['operation'] === 'send'
	? (${JSON.stringify(secondsByMessenger)}[${messengerOfItem}] || ${secondsByMessenger.unknown})
	: ($parameter['operation'] === 'sendToWhatsApp' ? ${secondsPer(whatsAppNumberLimits)} : ${secondsPerRequest}))`;

/** As long as the nodes before have not run there are no items, and asking for them throws. */
const items = '(() => { try { return $input.all().length; } catch (error) { return 0; } })()';

const minutes = `(${items} * ${secondsPerItem} / 60)`;

/** The hints of the input pane are those of the node before. */
const shown = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;

/** Hints for the items at hand, by how long the limits of the service make them take. */
export const paceHints: NodeHint[] = spans.map(({ minutes: [from, to], words }) => ({
	message: `These items will take ${words}: the node keeps to the number of requests and messages that the service accepts.`,
	displayCondition: `={{ ${minutes} >= ${from}${to < Infinity ? ` && ${minutes} < ${to}` : ''} }}`,
	...shown,
}));

/** From how many messages on a run is long enough to be cut off. */
const broadcast = 300;

const sendsMessages = `${JSON.stringify(message.operations.map(({ option }) => option.value))}.includes($parameter['operation'])`;

const isUnprotected = `!($parameter['${messageOptions.name}'] || {})['${sendOncePer.name}']`;

/** For a broadcast that could not be continued. */
export const onceHint: NodeHint = {
	message: `A run that is cut off can be started again, and sends only what is missing, when '${sendOncePer.displayName}' is set under '${messageOptions.displayName}'.`,
	displayCondition: `={{ $parameter['resource'] === '${message.option.value}' && ${sendsMessages} && ${items} >= ${broadcast} && ${isUnprotected} }}`,
	...shown,
};

export const hints: NodeHint[] = [...paceHints, onceHint];
