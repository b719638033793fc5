import type { Choice } from '../choices';
import { choiceOf, optionsWith, text } from '../fields';
import * as kinds from '../kinds';
import type { Field, FieldReader, Operation, Question } from '../operation';
import { longestText } from './messageLimits';
import { messengerOf, recipientFields, sendMessage, unknownMessage } from './recipient';
import { limitWaitTime, waitLimitOf } from './waitLimit';

/*
 * The names are those of n8n's own nodes with this operation. n8n relies on them when it offers the node for human review of an AI
 * agent's tools: it replaces 'Message' with its own parameter, sets 'Response Type' to 'Approval' and hides it.
 */

const message: Field = {
	...text,
	displayName: 'Message',
	name: 'message',
	placeholder: 'e.g. Anna asks for a 10% discount. Do you approve it?',
	description: 'The question. Below it, the node adds the link to the page for the answer.',
	hint: 'The link begins with the address of this n8n. If that is localhost, nobody else can open it: set WEBHOOK_URL',
};

const responseTypes: Choice[] = [
	{ name: 'Approval', value: 'approval', description: 'The person selects a button' },
	{ name: 'Free Text', value: 'freeText', description: 'The person writes a text' },
];

const responseType: Field = {
	displayName: 'Response Type',
	name: 'responseType',
	...choiceOf(responseTypes),
	noDataExpression: true,
	default: 'approval',
	description: 'How the person answers on the page',
	hint: "With Approval, the page has one button, 'Approve'. For a 'no' or your own words, add 'Approval Options' below",
};

const approvalTypes: Choice[] = [
	{ name: 'Approve Only', value: 'single' },
	{ name: 'Approve and Disapprove', value: 'double' },
];

const approvalType: Field = {
	displayName: 'Type of Approval',
	name: 'approvalType',
	...choiceOf(approvalTypes),
	noDataExpression: true,
	default: 'single',
	description: 'Which buttons the page has',
};

/** A text of the page. */
const pageText = { type: 'string', default: '', kind: kinds.trimmedText } satisfies Partial<Field>;

const approveLabel: Field = {
	...pageText,
	displayName: 'Approve Button Label',
	name: 'approveLabel',
	default: 'Approve',
	placeholder: 'e.g. Approve',
	description: 'Text of the button that approves',
};

const disapproveLabel: Field = {
	...pageText,
	displayName: 'Disapprove Button Label',
	name: 'disapproveLabel',
	default: 'Decline',
	placeholder: 'e.g. Decline',
	description: 'Text of the button that declines',
	displayOptions: { show: { approvalType: ['double'] } },
};

const approvalOptions: Field = {
	displayName: 'Approval Options',
	name: 'approvalOptions',
	type: 'fixedCollection',
	placeholder: 'Add Option',
	default: {},
	description: 'Buttons of the page',
	displayOptions: { show: { responseType: ['approval'] } },
	options: [{ displayName: 'Values', name: 'values', values: [approvalType, approveLabel, disapproveLabel] }],
};

const responseFormTitle: Field = {
	...pageText,
	displayName: 'Response Form Title',
	name: 'responseFormTitle',
	placeholder: 'e.g. Discount',
	description: 'Heading of the page',
};

const responseFormDescription: Field = {
	...pageText,
	displayName: 'Response Form Description',
	name: 'responseFormDescription',
	placeholder: 'e.g. The customer is waiting for your answer.',
	description: 'Text below the question on the page',
};

const responseFormButtonLabel: Field = {
	...pageText,
	displayName: 'Response Form Button Label',
	name: 'responseFormButtonLabel',
	default: 'Submit',
	placeholder: 'e.g. Submit',
	description: 'Text of the button that sends a free-text answer',
	displayOptions: { show: { '/responseType': ['freeText'] } },
};

const options = optionsWith(
	limitWaitTime,
	responseFormButtonLabel,
	responseFormDescription,
	responseFormTitle,
);

/** The text of an option; its default if the user left it empty. */
const labelIn = (values: FieldReader, field: Field) => String(values.read(field) ?? field.default);

function formOf(values: FieldReader): Question['form'] {
	if (values.read(responseType) === 'freeText')
		return { type: 'freeText', submit: labelIn(values, responseFormButtonLabel) };
	const isDouble = labelIn(values, approvalType) === 'double';
	return {
		type: 'approval',
		approve: labelIn(values, approveLabel),
		decline: isDouble ? labelIn(values, disapproveLabel) : undefined,
	};
}

/** The execution waits for the answer. */
export const messageSendAndWait: Operation = {
	option: {
		name: 'Send and Wait for Response',
		value: 'sendAndWait',
		action: 'Send message and wait for response',
		description: 'Ask one person a question, and continue when the person answers',
		builderHint: {
			propertyHint:
				"Output: 'data' with respondedAt, question, and with approved (true or false), or text for 'freeText'. If the wait time ends, the output is the input item, so with a limit the node refuses an input that has 'approved' or 'data' of an earlier answer. For several items, put Loop Over Items with a batch size of 1 in front: the node asks one question per run.",
		},
		routing: { request: { method: 'POST', url: '/sendMessage' } },
	},
	fields: [...recipientFields, message, responseType, approvalOptions, options],
	...sendMessage,
	advice: {
		...sendMessage.advice,
		unknown: `${unknownMessage} The link in the message does not work, because the execution is not waiting for an answer.`,
	},
	question: {
		text: message,
		questionOf: (sent, values) => ({
			title: labelIn(values, responseFormTitle),
			description: labelIn(values, responseFormDescription),
			form: formOf(values),
			longest: longestText(messengerOf(sent, values)),
			waitLimit: waitLimitOf(values),
		}),
	},
};
