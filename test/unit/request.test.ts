import { expectedIn, labelsOf, requestOf } from '../../nodes/ChatbotService/resources/request';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { operations } from '../operations';
import { samples } from './samples';

const operationOf = (title: string) => operations.find((each) => each.title === title.split(' ')[0])!;

const values = {
	parameters: [{ name: 'contact_id', place: 'query' as const, value: 5 }],
	labels: { all: new Map([['contact_id', 'Contact ID']]), expected: [] },
	limits: { viber: { count: 10, windowMs: 10_000 } },
	sending: { timeout: 5000 },
};

test.each(samples.map(({ title, operation }) => [title, operation] as const))(
	'the request of %s is that of its endpoint, with the values of an item',
	(title, operation) => {
		const { method, endpoint } = operationOf(title);
		const { answer, idempotent, longInBody = false, advice = {} } = operation;
		expect(requestOf(operation, values)).toEqual({
			...values,
			method,
			url: `/${endpoint}`,
			answer,
			idempotent,
			longInBody,
			advice,
		});
	},
);

describe('the labels of a request', () => {
	const operation = findOperation('contactVariable', 'upsert')!;

	test('name its fields as the editor does, by their API names', () => {
		expect(labelsOf(operation, operation.fields)).toEqual({
			all: new Map([
				['contact_id', 'Contact ID'],
				['name', 'Variable'],
				['value', 'Value'],
				['deletable', 'Remove After Request'],
			]),
			expected: expectedIn(operation, operation.fields),
		});
	});

	test('tell what must exist in the service, without what the request creates', () => {
		const contact = { label: 'Contact ID', whatItIs: 'contact with this ID' };
		const variable = { label: 'Variable', whatItIs: 'variable with this name' };
		expect(expectedIn(operation, operation.fields)).toEqual([contact]);
		const deletion = findOperation('contactVariable', 'delete')!;
		expect(expectedIn(deletion, operation.fields)).toEqual([contact, variable]);
	});
});
