import { requestOf } from '../../nodes/ChatbotService/resources/request';
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
