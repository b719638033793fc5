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

/** Code that reads the item, whose person is a customer. `$node` reads the item of another node with the same place. */
const readsItem = /\$(?:json|input|binary|data|item\w*|node)(?![\w$])|\.item(?![\w$])|\.itemMatching\b/;

/** What a test run shows of a message besides its recipient. */
const shown = new Set(['text', 'image', 'file']);

/**
 * The option of an operation, and what its broadcast does with it.
 *
 * @param recipients the fields that can name the recipient; the first one also names the person who tries a run
 * @param others the fields that a message to that person has too
 */
export function testRunFor(
	recipients: [Field, ...Field[]],
	others: Field[],
): Pick<Broadcast, 'tester' | 'preview' | 'toTester'> & Pick<Broadcast['ofRun'], 'testRun'> {
	const [recipient] = recipients;
	const person: Field = {
		...notSent(recipient),
		description: `${recipient.displayName} of the person who gets the first messages instead, such as you`,
		hint: 'Leave empty to send nothing',
		adviceIfEmpty: 'To send nothing, leave the field empty, without an expression.',
	};
	const field: Field = {
		displayName: label,
		name: 'testRun',
		type: 'fixedCollection',
		typeOptions: { multipleValues: false },
		default: { values: { [person.name]: '', [messages.name]: messages.default } },
		description:
			'Checks everything, but sends nothing to the recipients and records nothing. Each output item shows what would be sent and to whom.',
		builderHint: {
			propertyHint:
				'Set this in every new broadcast, and tell the user to remove it after a test. The output has testRun: true and no success. For a message to the user, enter their own contact or number.',
		},
		options: [{ displayName: 'Values', name: 'values', values: [person, messages] }],
	};
	const tester: Field = { ...recipient, displayName: `${label}: ${recipient.displayName}` };
	const labels = labelsOf([tester, ...others]);
	const namesOfRecipient = recipients.map(wireNameOf);
	const namesOfOthers = others.map(wireNameOf);
	return {
		testRun: { field, read: (values) => testRunIn(values, person) },
		tester,
		preview(parameters) {
			const row: IDataObject = { testRun: true, recipient: undefined };
			for (const { name, value } of parameters) {
				if (namesOfRecipient.includes(name)) row.recipient = value;
				else if (shown.has(name)) row[name] = value;
			}
			return row;
		},
		toTester: (parameters, value) => ({
			parameters: [
				{ name: wireNameOf(tester), value },
				...parameters.filter(({ name }) => namesOfOthers.includes(name)),
			],
			labels,
		}),
	};
}

function testRunIn(values: FieldReader, person: Field): TestRun | undefined {
	const written = String(values.rawOf(person) ?? '');
	const isFixed = !isExpression(written);
	const found = written && values.read(person, 'whole');
	const count = values.read(messages, 'needed');
	if (found === undefined || count === undefined) return undefined;
	if (!isFixed && readsItem.test(written)) {
		values.problems.push(testerReadsItem(values.labelOf(person)));
		return undefined;
	}
	return { tester: found || undefined, isFixed, messages: count as number };
}
