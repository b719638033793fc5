import type { IHttpRequestOptions } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import { run, type Door } from '../../nodes/ChatbotService/run/run';
import { FakeN8n } from './fakeN8n';

/* Moments of a run that n8n's engine cannot be brought to at will. All else of a run is for test/engine. */

const resource = 'message';
const operation = 'send';
const type = 'n8n-nodes-chatbot-service.chatbotService';
const ok: ServiceAnswer = { statusCode: 200, headers: {}, body: { success: true } };
const refused: ServiceAnswer = { statusCode: 422, headers: {}, body: { message: 'Нет контакта.' } };

let accounts = 0;

/** A door to a run of messages to contacts 0, 1, 2, … of an account without a pace. */
function doorTo(count: number, changes: Partial<Door> & Pick<Door, 'send'>): Door {
	const contacts = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
	const raw = {
		...{ resource, operation, recipient: 'contact', contactMessenger: 'vk', content: ['text'] },
		contactId: '={{ $json.id }}',
		text: 'Здравствуйте!',
	};
	const token = `токен-${++accounts}`;
	return {
		node: { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: raw },
		count,
		first: 0,
		source: new FakeN8n(raw, contacts),
		continues: false,
		calledByAgent: false,
		signal: undefined,
		triesKey: null,
		kept: null,
		entries: undefined,
		credential: async () => ({ baseUrl: 'https://run.example.com', token, requestsPerSecond: 0 }),
		log: () => {},
		hint: () => {},
		...changes,
	};
}

const contactOf = ({ qs }: IHttpRequestOptions) => qs!.contact_id as number;

afterEach(() => jest.restoreAllMocks());

test('where the workflow stops, nothing leaves after the first refusal, though there is room for more', async () => {
	const sent: number[] = [];
	const answers: Array<(answer: ServiceAnswer) => void> = [];
	const ended = run(
		doorTo(30, {
			send: async (options) => {
				sent.push(contactOf(options));
				return await new Promise((resolve) => answers.push(resolve));
			},
		}),
	);
	const outcome = expect(ended).rejects.toMatchObject({
		message: expect.stringContaining('[Item 3]'),
		description: expect.stringContaining('Of 30 items, 9 were done, 1 failed and 20 were not sent.'),
	});
	while (sent.length < 10) await new Promise((resolve) => setImmediate(resolve));
	answers[3]!(refused);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(sent).toHaveLength(10);
	for (const answer of answers) answer(ok);
	await outcome;
	expect(sent).toHaveLength(10);
});

/** Lets the run pause before every item, as it does where items take long to read. */
function pauseBeforeEveryItem() {
	let time = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
}

test.each<[string, boolean]>([
	['goes on', true],
	['stops', false],
])('what is stopped in a pause sends nothing more, where the workflow %s', async (_, continues) => {
	pauseBeforeEveryItem();
	const stop = new AbortController();
	let sentAfter = 0;
	let begun = 0;
	const door = doorTo(8, {
		continues,
		signal: stop.signal,
		send: async () => {
			if (stop.signal.aborted) sentAfter++;
			// Due before the pause that follows.
			if (++begun === 3) setTimeout(() => stop.abort(), 0);
			return ok;
		},
	});
	await run(door).catch(() => {});
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(begun).toBeGreaterThanOrEqual(3);
	expect(sentAfter).toBe(0);
});

test('where the workflow stops, nothing leaves behind a pause in which an item was refused', async () => {
	pauseBeforeEveryItem();
	let isRefused = false;
	let sentAfter = 0;
	let begun = 0;
	let answered = 0;
	const door = doorTo(8, {
		send: async () => {
			if (isRefused) sentAfter++;
			const number = ++begun;
			await new Promise((resolve) => setTimeout(resolve, 0));
			answered++;
			if (number !== 3) return ok;
			isRefused = true;
			return refused;
		},
	});
	await expect(run(door)).rejects.toThrow(/The service refused the request/);
	// What was on its way has been waited for.
	expect(answered).toBe(begun);
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect([answered, sentAfter]).toEqual([begun, 0]);
});
