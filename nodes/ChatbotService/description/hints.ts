import type { NodeHint } from 'n8n-workflow';

import { usualRequestsPerSecond } from '../client/credential/account';
import type { Limits } from '../client/pace/limits';
import { messengers, unknownMessenger } from '../resources/choices';
import { contactGet } from '../resources/contact/get';
import { contactGetAll } from '../resources/contact/getAll';
import { filters, filtersByTag, include } from '../resources/contact/contactFilters';
import { byVariables } from '../resources/contact/variables';
import { contactId, externalId, text } from '../resources/fields';
import * as kinds from '../resources/kinds';
import { messageLimits, whatsAppNumberLimits } from '../resources/message/messageLimits';
import { sendingHours } from '../resources/message/sendingHours';
import { messageOptions, sendOncePer } from '../resources/message/options';
import { messageSend } from '../resources/message/send';
import { messageSendAndWait } from '../resources/message/sendAndWait';
import { messageSendToWhatsApp } from '../resources/message/sendToWhatsApp';
import { toOneRecipient, withPlaceholder } from '../resources/message/warnings';
import type { Field, Operation } from '../resources/operation';
import { withoutValues } from '../resources/problems';
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

/** A hint cannot read the credential. */
const secondsPerRequest = 1 / usualRequestsPerSecond;

/** Seconds for each message, by limit. */
const secondsUnder = (limits: Limits) =>
	Object.fromEntries(
		Object.entries(limits).map(([name, { count, windowMs }]) => [name, windowMs / count / 1000]),
	);

const secondsByMessenger = Object.fromEntries(
	[...messengers.map(({ value }) => value), unknownMessenger].map((value) => [
		value,
		secondsUnder(messageLimits(value)),
	]),
);

/** As code within an expression, which ends at two braces. */
const code = (value: unknown) => JSON.stringify(value).replaceAll('}}', '} }');

/** Before the previous nodes have run, reading the items throws. */
const items = '(() => { try { return $input.all(); } catch (error) { return []; } })()';

/** What dragging a field of the item into a parameter makes, without two braces in a row. */
const fieldOfItem = /^=\{\{\s*\$json\.([\w$]+)\s*\} ?\}$/;

/**
 * How many seconds all messages take. Messengers share limits, and the limit that takes longest decides. The result of an expression other
 * than a field of the item is not known before the run, so it counts as the slowest messenger.
 */
const secondsOfMessages = `((items) => {
	const seconds = {};
	const byMessenger = ${code(secondsByMessenger)};
	const raw = String($rawParameter[$parameter['recipient'] === 'externalId' ? 'messenger' : 'contactMessenger'] || '${unknownMessenger}');
	const ofItem = String($rawParameter['${contactId.name}'])[0] === '=' && 'messenger';
	const [, field] = raw === '${unknownMessenger}' ? ['', ofItem] : ${String(fieldOfItem)}.exec(raw) || [];
	const counts = new Map(field ? [] : [[raw.startsWith('=') ? 'whatsapp' : raw, items.length]]);
	if (field) items.forEach(({ json }) => counts.set(json[field], (counts.get(json[field]) || 0) + 1));
	counts.forEach((count, found) => {
		const name = (typeof found === 'string' ? found : JSON.stringify(found) || '').trim().toLowerCase();
		const each = ${String(kinds.likeWhatsApp)}.test(name) ? byMessenger.whatsapp : byMessenger[name] || byMessenger.${unknownMessenger};
		Object.keys(each).forEach((limit) => { seconds[limit] = (seconds[limit] || 0) + count * each[limit]; });
	});
	return Math.max(items.length * ${secondsPerRequest}, ...Object.values(seconds));
})`;

/** How many variables an item sets. Those in JSON can depend on the item: the first one counts. */
const variables = `(() => { try {
	const given = $parameter['variablesInput'] === 'json' ? $parameter['variablesJson'] : $parameter['variables'].variable;
	return Object.keys(typeof given === 'string' ? JSON.parse(given) : given).length;
} catch (error) { return 1; } })()`;

const secondsOfRun = `(() => {
	const all = ${items};
	switch ($parameter['resource'] + '/' + $parameter['operation']) {
		case 'message/send': return ${secondsOfMessages}(all);
		case 'message/sendToWhatsApp': return all.length * ${Object.values(secondsUnder(whatsAppNumberLimits))[0]};
		case 'contactVariable/upsertMany': return all.length * ${variables} * ${secondsPerRequest};
		case 'listItem/upsert': return all.length * ${2 * secondsPerRequest};
		default: return all.length * ${secondsPerRequest};
	}
})()`;

/** The input pane shows the hints of the previous node. */
const shown = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;

/** Whether the node has one of these operations of a resource. */
const isOneOf = (resource: string, ...operations: Operation[]) =>
	`($parameter['resource'] === '${resource}' && ${JSON.stringify(operations.map(({ option }) => option.value))}.includes($parameter['operation']))`;

const isBroadcast = isOneOf('message', messageSend, messageSendToWhatsApp);

const readsContacts = isOneOf('contact', contactGet, contactGetAll);

/** The value of an option of messages, if the user has added it. */
const optionOf = ({ name }: Field) => `($parameter['${messageOptions.name}'] || {})['${name}']`;

const { field: testRun } = messageSend.broadcast!.ofRun.testRun;

/** Whether an option has values. The editor accepts only booleans as conditions. */
const hasValues = (option: Field) => `Boolean((${optionOf(option)} || {}).values)`;

const isTestRun = hasValues(testRun);

/** From this number of messages, a run takes minutes, so it is worth protecting against an interruption. */
const broadcast = 300;

/** How many contacts the tags cost minutes for. */
const manyContacts = 1000;

/** A parameter as it stands in the workflow, if it is no expression. */
const fixed = (name: string) =>
	`((raw) => typeof raw === 'string' && raw[0] !== '=' ? raw : '')($rawParameter['${name}'])`;

/** For the time that the current items take under the limits of the service. */
const pace = spans.map(({ minutes: [from, to], words }): NodeHint => ({
	message: `This run will take ${words} at the service's limits, with ${usualRequestsPerSecond} requests per second in the credential.`,
	// Items that look for contacts read them together. A test run says how long the real one takes.
	displayCondition: `={{ !${isOneOf('message', messageSendAndWait)} && !${readsContacts} && !${isTestRun} && ((seconds) => seconds >= ${from * 60} && seconds < ${to * 60})(${secondsOfRun}) }}`,
	...shown,
}));

/** By what they are about. */
export const hints = {
	pace,
	/** For a broadcast that could not be continued after an interruption, or on the next day. */
	sendOncePer: {
		message: `Set '${sendOncePer.displayName}' under '${messageOptions.displayName}': if this run is interrupted, you can start it again, and it sends only the missing messages.`,
		displayCondition: `={{ ${isBroadcast} && (${items}.length >= ${broadcast} || ${hasValues(sendingHours)}) && !${optionOf(sendOncePer)} }}`,
		...shown,
	},
	/** A bin beside a value removes all values of an option, and still shows its name. */
	withoutValues: [sendingHours, testRun].map((option): NodeHint => {
		const { message, advice } = withoutValues(option.displayName);
		return {
			message: `${message}. ${advice}`,
			type: 'warning',
			displayCondition: `={{ ${isBroadcast} && Boolean(${optionOf(option)}) && !${hasValues(option)} }}`,
			...shown,
		};
	}),
	/** So that nobody takes a test for a broadcast. */
	testRun: {
		message: `'${testRun.displayName}' is on, so the recipients get no messages. To send the messages, remove '${testRun.displayName}' under '${messageOptions.displayName}'.`,
		type: 'warning',
		displayCondition: `={{ ${isBroadcast} && ${isTestRun} }}`,
		...shown,
	},
	sameRecipient: {
		message: toOneRecipient,
		type: 'warning',
		displayCondition: `={{ ${isBroadcast} && !${isTestRun} && ${items}.length > 1 && Boolean($parameter['operation'] === '${messageSendToWhatsApp.option.value}' ? ${fixed('phone')} : $parameter['recipient'] === 'externalId' ? ${fixed(externalId.name)} : ${fixed(contactId.name)}) }}`,
		...shown,
	},
	placeholder: {
		message: withPlaceholder.warning,
		type: 'warning',
		displayCondition: `={{ ${isOneOf('message', messageSend, messageSendToWhatsApp, messageSendAndWait)} && ${String(withPlaceholder.found)}.test(${fixed(text.name)} + ${fixed('message')}) }}`,
		...shown,
	},
	/**
	 * For operations that accept only one item, because the execution waits for the answer. n8n's editor says that every operation with
	 * this name runs for the first item, which is not true of this node.
	 */
	oneItem: {
		message: `'${messageSendAndWait.option.name}' asks about one item at a time and refuses several: put the node Loop Over Items before this node, with a Batch Size of 1.`,
		type: 'warning',
		displayCondition: `={{ ${isOneOf('message', messageSendAndWait)} && ${items}.length > 1 }}`,
		...shown,
	},
	/** For tags, which some services do not return with the contacts. A hint cannot know the service. */
	tags: {
		message: `If the service returns contacts without tags, as WatBot does, the node requests the tags of each contact that passes the other filters: about ${Math.ceil((manyContacts * secondsPerRequest) / 60)} minutes for ${grouped(manyContacts)} contacts. To avoid this, use a variable instead of a tag.`,
		displayCondition: `={{ ${readsContacts} && ([].concat($parameter['${include.name}'] || []).includes('tags') || ${JSON.stringify(filtersByTag.map(({ name }) => name))}.some((name) => ($parameter['${filters.name}'] || {})[name] !== undefined)) }}`,
		...shown,
	},
	/** So that nobody takes all contacts for a selection: n8n drops the filter, so a run cannot refuse it. */
	noConditions: {
		message: `'${byVariables.displayName}' has no conditions, so n8n ignores it. Select '${byVariables.placeholder}', or remove it.`,
		type: 'warning',
		displayCondition: `={{ ${readsContacts} && ((found) => Boolean(found) && !(found.conditions || []).length)(($parameter['${filters.name}'] || {})['${byVariables.name}']) }}`,
		...shown,
	},
} satisfies Record<string, NodeHint | NodeHint[]>;
