import type { INodeParameters } from 'n8n-workflow';

import { SEEDED, startService, type Service } from '../../sandbox/service';
import { callAsTool } from './harness';

/* The node in the hands of an AI agent: the model fills in the arguments, and reads what comes back. */

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => {
	service.assertContract();
	service.reset();
});
afterAll(async () => await service.stop());

const options = () => ({
	parameters: {
		resource: 'message',
		operation: 'send',
		contactId: String(SEEDED.contacts.telegram),
		text: "={{ $fromAI('text', 'What to say', 'string') }}",
	} as INodeParameters,
	credential: {
		baseUrl: service.url,
		token: service.token,
		tokenPlacement: 'bearer',
		requestsPerSecond: 0,
		workers: 1,
	},
});
const texts = () => service.deliveries().map(({ text }) => text);

test('each call sends what the model says, although all share one execution', async () => {
	const results = await callAsTool(options(), [
		{ arguments: { text: 'Здравствуйте!' } },
		{ arguments: { text: 'Чем помочь?' } },
		{ arguments: { text: 'Чем помочь?' } },
	]);
	expect(results).toEqual([[{ success: true }], [{ success: true }], [{ success: true }]]);
	expect(texts()).toEqual(['Здравствуйте!', 'Чем помочь?', 'Чем помочь?']);
});

test.each([
	['no arguments', undefined],
	['null', null],
	['a text', 'Здравствуйте!'],
	['a number', 5],
])('a call with %s is a call all the same', async (_name, args) => {
	const parameters = { ...options().parameters, text: 'Чем помочь?' };
	const call = { arguments: args as never };
	const results = await callAsTool({ ...options(), parameters }, [call, call]);
	expect(results).toEqual([[{ success: true }], [{ success: true }]]);
	expect(texts()).toEqual(['Чем помочь?', 'Чем помочь?']);
});

test('nonsense comes back as a sentence that names the field', async () => {
	const [result] = await callAsTool(options(), [{ arguments: { text: '' } }]);
	expect((result as Error).message).toContain("'Text'");
	expect(service.requests).toEqual([]);
});

test('a call that is tried again does not repeat a message whose outcome is unknown', async () => {
	service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
	const [lost, next] = await callAsTool(options(), [
		{ arguments: { text: 'Счёт на 500 рублей' }, tries: 3 },
		{ arguments: { text: 'Счёт на 500 рублей' } },
	]);
	expect((lost as Error).message).toContain('broke off');
	expect(next).toEqual([{ success: true }]);
	expect(texts()).toEqual(['Счёт на 500 рублей', 'Счёт на 500 рублей']);
	expect(service.requests).toHaveLength(2);
});

test('a call that was refused is tried again', async () => {
	service.faults.add({ kind: 'forbidden', match: { times: 1 } });
	const results = await callAsTool(options(), [{ arguments: { text: 'Добрый вечер' }, tries: 2 }]);
	expect(results).toEqual([[{ success: true }]]);
	expect(texts()).toEqual(['Добрый вечер']);
});
