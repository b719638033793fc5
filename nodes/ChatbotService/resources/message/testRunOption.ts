import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';
import { notSent } from '../fields';
import * as kinds from '../kinds';
import { wireNameOf, type Broadcast, type Field, type FieldReader, type TestRun } from '../operation';
import { testerReadsItem } from '../problems';
import { labelsOf } from '../operationRequest';

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

/** The field for the person who tries a run. @param recipient the field of the operation that names a recipient */
export const testerAs = (recipient: Field): Field => ({
	...notSent(recipient),
	description: `${recipient.displayName} that gets the first messages, such as your own`,
	hint: 'Leave empty to send nothing',
	adviceIfEmpty: 'To send nothing, leave the field empty, without an expression.',
});

export const testRunFor = (tester: Field): Field => ({
	displayName: label,
	name: 'testRun',
	type: 'fixedCollection',
	typeOptions: { multipleValues: false },
	default: { values: { [tester.name]: '', [messages.name]: messages.default } },
	description:
		'Whether to try the run: nobody among the recipients gets a message, and nothing is recorded. Each output item shows what would be sent and to whom.',
	builderHint: {
		propertyHint:
			'Set this in every new broadcast, and tell the user to remove it after a test. The output has testRun: true and no success. For a message to the user, enter their own contact or number.',
	},
	options: [{ displayName: 'Values', name: 'values', values: [tester, messages] }],
});

/** The same, as a recipient who gets a message. */
export const asTester = (recipient: Field): Field => ({
	...recipient,
	displayName: `${label}: ${recipient.displayName}`,
});

/** Code that reads the item, whose person is a customer. `$node` reads the item of another node with the same place. */
const readsItem = /\$(?:json|input|binary|data|item\w*|node)(?![\w$])|\.item(?![\w$])|\.itemMatching\b/;

/** @param tester see `testerAs` */
export const testRunOf =
	(tester: Field) =>
	(values: FieldReader): TestRun | undefined => {
		const written = String(values.rawOf(tester) ?? '');
		const isFixed = !isExpression(written);
		const found = written && values.read(tester, 'whole');
		const count = values.read(messages, 'needed');
		if (found === undefined || count === undefined) return undefined;
		if (!isFixed && readsItem.test(written)) {
			values.problems.push(testerReadsItem(values.labelOf(tester)));
			return undefined;
		}
		return { tester: found || undefined, isFixed, messages: count as number };
	};

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

/** @param tester see `asTester` @param others the fields that stay as they are */
export function toTesterAs(tester: Field, others: Field[]): Broadcast['toTester'] {
	const names = others.map(wireNameOf);
	const labels = labelsOf([tester, ...others]);
	return (parameters, value) => ({
		parameters: [
			{ name: wireNameOf(tester), value },
			...parameters.filter(({ name }) => names.includes(name)),
		],
		labels,
	});
}
