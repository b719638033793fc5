import type { NodeHint } from 'n8n-workflow';

import { usualRequestsPerSecond } from '../client/credential/account';
import type { Limits } from '../client/pace/limits';
import { messengers } from '../resources/choices';
import { contactGet } from '../resources/contact/get';
import { contactGetAll } from '../resources/contact/getAll';
import { filters, filtersByTag, include } from '../resources/contact/filters';
import { messageLimits, whatsAppNumberLimits } from '../resources/message/limits';
import { sendingHours } from '../resources/message/hours';
import { messageOptions, sendOncePer } from '../resources/message/options';
import { messageSend } from '../resources/message/send';
import { messageSendAndWait } from '../resources/message/sendAndWait';
import { messageSendToWhatsApp } from '../resources/message/sendToWhatsApp';
import type { Field, Operation } from '../resources/operation';
import { grouped } from '../shared/counted';

/*
 * Hints in the editor before a run of many items. A hint's text is fixed and only its condition is evaluated, so each time span
 * has its own hint.
 */

const spans: Array<{ minutes: [from: number, to: number]; words: string }> = [
	{ minutes: [1, 3], words: 'about 1 to 3 minutes' },
	{ minutes: [3, 10], words: 'about 3 to 10 minutes' },
	{ minutes: [10, 30], words: 'about 10 to 30 minutes' },
	{ minutes: [30, 90], words: 'about 30 to 90 minutes' },
	{ minutes: [90, 300], words: 'about 1.5 to 5 hours' },
	{ minutes: [300, 1440], words: 'about 5 to 24 hours' },
	{ minutes: [1440, Infinity], words: 'more than a day' },
];

/** Seconds for one request under its limits. Assumes the default pace, because a hint cannot read the credential. */
const secondsPer = (limits: Limits) =>
	Math.max(
		1 / usualRequestsPerSecond,
		...Object.values(limits).map(({ count, windowMs }) => windowMs / count / 1000),
	);

const secondsByMessenger = Object.fromEntries(
	messengers.map(({ value }) => [value, secondsPer(messageLimits(value))]),
);

/** Before the previous nodes have run, reading the items throws. */
const items = '(() => { try { return $input.all(); } catch (error) { return []; } })()';

/** The messenger that the user has selected. An expression is in no table: it counts as not known. */
const messenger = `$rawParameter[$parameter['recipient'] === 'externalId' ? 'messenger' : 'contactMessenger']`;

/** How many variables an item sets. Those in JSON can depend on the item: the first one counts. */
const variables = `(() => { try {
	const given = $parameter['variablesInput'] === 'json' ? $parameter['variablesJson'] : $parameter['variables'].variable;
	return Object.keys(typeof given === 'string' ? JSON.parse(given) : given).length;
} catch (error) { return 1; } })()`;

const secondsPerItem = `({
	'message/send': ${JSON.stringify(secondsByMessenger)}[${messenger}] || ${secondsPer(messageLimits(undefined))},
	'message/sendToWhatsApp': ${secondsPer(whatsAppNumberLimits)},
	'contactVariable/upsertMany': ${variables} * ${secondsPer({})},
	'listItem/upsert': ${2 * secondsPer({})},
}[$parameter['resource'] + '/' + $parameter['operation']] || ${secondsPer({})})`;

/** The input pane shows the hints of the previous node. */
const shown = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;

/** Whether the node has one of these operations, which all belong to messages. */
const isOneOf = (...operations: Operation[]) =>
	`($parameter['resource'] === 'message' && ${JSON.stringify(operations.map(({ option }) => option.value))}.includes($parameter['operation']))`;

const readsContacts = `($parameter['resource'] === 'contact' && ${JSON.stringify([contactGet, contactGetAll].map(({ option }) => option.value))}.includes($parameter['operation']))`;

/** The value of an option of messages, if the user has added it. */
const optionOf = ({ name }: Field) => `($parameter['${messageOptions.name}'] || {})['${name}']`;

const { field: testRun } = messageSend.broadcast!.ofRun.testRun;

/** Hints for the time that the current items take under the limits of the service. */
export const paceHints: NodeHint[] = spans.map(({ minutes: [from, to], words }) => ({
	message: `This run will take ${words}, because the service limits how many messages and requests it accepts.`,
	// Items that look for contacts read them together. A test run says how long the real one takes.
	displayCondition: `={{ !${isOneOf(messageSendAndWait)} && !${readsContacts} && !${optionOf(testRun)} && ((seconds) => seconds >= ${from * 60} && seconds < ${to * 60})(${items}.length * ${secondsPerItem}) }}`,
	...shown,
}));

/** From this number of messages, a run takes minutes, so it is worth protecting against an interruption. */
const broadcast = 300;

/** The editor accepts only booleans as conditions. */
const hasHours = `Boolean(${optionOf(sendingHours)})`;

/** For a broadcast that could not be continued after an interruption, or on the next day. */
export const sendOncePerHint: NodeHint = {
	message: `Set '${sendOncePer.displayName}' under '${messageOptions.displayName}': if this run is interrupted, you can start it again, and it sends only the missing messages.`,
	displayCondition: `={{ ${isOneOf(messageSend, messageSendToWhatsApp)} && (${items}.length >= ${broadcast} || ${hasHours}) && !${optionOf(sendOncePer)} }}`,
	...shown,
};

/** So that nobody takes a test for a broadcast. */
export const testRunHint: NodeHint = {
	message: `'${testRun.displayName}' is on, so the recipients get no messages. To send them, remove it under '${messageOptions.displayName}'.`,
	type: 'warning',
	displayCondition: `={{ ${isOneOf(messageSend, messageSendToWhatsApp)} && Boolean(${optionOf(testRun)}) }}`,
	...shown,
};

/**
 * For operations that accept only one item, because the execution waits for the answer. n8n's editor says that every operation with
 * this name runs for the first item, which is not true of this node.
 */
export const oneItemHint: NodeHint = {
	message: `'${messageSendAndWait.option.name}' asks about one item at a time and refuses several: put the node Loop Over Items in front of this node, with a Batch Size of 1.`,
	type: 'warning',
	displayCondition: `={{ ${isOneOf(messageSendAndWait)} && ${items}.length > 1 }}`,
	...shown,
};

/** How many contacts the tags cost minutes for. */
const manyContacts = 1000;

/** For tags, which some services do not return with the contacts. A hint cannot know the service. */
export const tagsHint: NodeHint = {
	message: `If the service returns contacts without tags, as WatBot does, the node asks for the tags of each contact that matches otherwise: about ${Math.ceil((manyContacts * secondsPer({})) / 60)} minutes for ${grouped(manyContacts)} contacts. A variable in place of a tag needs no extra request.`,
	displayCondition: `={{ ${readsContacts} && ([].concat($parameter['${include.name}'] || []).includes('tags') || ${JSON.stringify(filtersByTag.map(({ name }) => name))}.some((name) => ($parameter['${filters.name}'] || {})[name] !== undefined)) }}`,
	...shown,
};

export const hints: NodeHint[] = [...paceHints, sendOncePerHint, testRunHint, oneItemHint, tagsHint];
