import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';
import { labelledIn, notSent, valueIn } from '../fields';
import * as kinds from '../kinds';
import type { Broadcast, Field, FieldReader, PlacedField, TestRun } from '../operation';
import { testerIsRecipient } from '../problems';
import { labelsOf } from '../request';

/* 'Test Run': what the user sets, and what such a run shows or sends in place of a message. What it does: run/testRun.ts. */

/** More than a person reads in a chat. */
const mostMessages = 100;

const messages: Field = {
	displayName: 'Messages',
	name: 'messages',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: mostMessages },
	default: 1,
	description: 'How many of the first messages to send there',
	kind: kinds.wholeNumber(`Enter a number from 1 to ${mostMessages}.`, mostMessages),
};

const label = 'Test Run';

/** @param recipient the field of the operation that names a recipient */
export const testRunFor = (recipient: Field): Field => ({
	displayName: label,
	name: 'testRun',
	type: 'fixedCollection',
	typeOptions: { multipleValues: false },
	default: { values: { [recipient.name]: '', [messages.name]: messages.default } },
	description:
		'Whether to try the run: nobody among the recipients gets a message, and nothing is recorded. Each output item shows what would be sent and to whom.',
	builderHint: {
		propertyHint:
			'Set this in every new broadcast, and tell the user to remove it after a test. The output has testRun: true and no success. For a message to the user, enter their own contact or number.',
	},
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					...notSent(recipient),
					description: `${recipient.displayName} that gets the first messages, such as your own`,
					hint: 'Leave empty to send nothing',
				},
				messages,
			],
		},
	],
});

/** @param recipients the fields that can name the recipient, the first of which also names the person who tries a run */
export const testRunOf =
	([recipient, ...others]: [Field, ...Field[]]) =>
	(values: FieldReader, { path }: PlacedField): TestRun | undefined => {
		const field = {
			...labelledIn(label, recipient),
			whenEmpty: 'To send nothing, leave the field empty, without an expression.',
		};
		const at = `${path}.values.${recipient.name}`;
		const written = String(values.rawAt(at) ?? '');
		const tester = written && values.readNeeded(field, at);
		const count = valueIn(values, labelledIn(label, messages), `${path}.values.${messages.name}`);
		const isRecipient = [recipient, ...others].some(({ name }) => values.rawAt(name) === written);
		if (isExpression(written) && isRecipient) {
			values.problems.push(testerIsRecipient(field.displayName));
			return undefined;
		}
		if (tester === undefined || count === undefined) return undefined;
		return { tester: tester || undefined, messages: count as number };
	};

const wireNameOf = ({ routing }: Field) => routing!.send.property;

/** What a test run shows of a message besides its recipient. */
const shown = new Set(['text', 'image', 'file']);

/** @param recipients fields that can name the recipient */
export function previewOf(recipients: Field[]): Broadcast['preview'] {
	const names = new Set(recipients.map(wireNameOf));
	return (parameters) => {
		const row: IDataObject = { testRun: true, recipient: undefined };
		for (const { name, value } of parameters) {
			if (names.has(name)) row.recipient = value;
			else if (shown.has(name)) row[name] = value;
		}
		return row;
	};
}

/** @param recipient as above @param others the fields that stay as they are */
export function toTesterAs(recipient: Field, others: Field[]): Broadcast['toTester'] {
	const names = others.map(wireNameOf);
	const labels = labelsOf([labelledIn(label, recipient), ...others]);
	return (parameters, tester) => ({
		parameters: [
			{ name: wireNameOf(recipient), value: tester },
			...parameters.filter(({ name }) => names.includes(name)),
		],
		labels,
	});
}
