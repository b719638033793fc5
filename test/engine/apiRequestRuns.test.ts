import { ofReading } from '../../nodes/ChatbotService/client/failure/advice';
import {
	accessRefused,
	notFound,
	serviceFailed,
	unknownEndpoint,
	valuesRefused,
	webPage,
} from '../../nodes/ChatbotService/client/failure/failure';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { wordsOf } from '../operations/words';
import { asJson, asRows, read, request, requesterOf, save, sentIn } from './apiRequest';
import { modes } from './everyOperation';
import { callInBothWays, credentialFor, hintsOf, runNode, useEmulator } from './harness';
import { attach } from './messages';

/* API, Send Request: when requests leave, which of them are repeated, and what is said of a failure. */

const service = useEmulator();
const send = requesterOf(service);
const { telegram, whatsapp, viber } = SEEDED.contacts;
const unknown = operationOf('api/request').unknown!;

const people = [telegram, whatsapp, viber].map((id, item) => ({ id, name: `Имя ${item}` }));
const { fieldAt } = wordsOf('api/request');
const expected = ['endpoint', 'parameters'].flatMap((path) => expectedBy(fieldAt(path)));
const labels = expected.map(({ label }) => label);
const sent = () => sentIn(service);

describe('when requests leave', () => {
	test('POSTs to one endpoint keep the order of their items, each after the answer to the one before', async () => {
		service.faults.add({ kind: 'delay', ms: [10, 60] });
		await send(save, { items: people });
		expect(sent()).toEqual(people.map(({ id }) => id));
		for (const [index, { arrivedAt }] of service.requests.slice(1).entries())
			expect(arrivedAt).toBeGreaterThan(service.requests[index]!.answeredAt!);
	});

	test('POSTs to different endpoints and GETs do not wait for each other', async () => {
		service.faults.add({ kind: 'delay', ms: 300 });
		await send(read, { items: people });
		expect(service.inFlight.peak).toBe(3);
		service.reset();
		service.faults.add({ kind: 'delay', ms: 300 });
		const { goods } = SEEDED.schemas;
		const lists = {
			...asJson(`{ "schema_id": "${goods}" }`),
			method: 'POST',
			endpoint: '={{ $json.endpoint }}',
		};
		await send(lists, {
			items: [{ endpoint: 'getListItems' }, { endpoint: 'getListItems' }, { endpoint: 'deleteListSchema' }],
		});
		expect(service.inFlight.peak).toBe(2);
	});

	test('the pace is that of the account, together with other operations', async () => {
		const credential = credentialFor(service, { requestsPerSecond: 4 });
		const tagName = { __rl: true, mode: 'name', value: 'Новый лид' };
		await Promise.all([
			runNode({ parameters: { ...attach, tagName }, items: people, credential }),
			send(read, { items: people, credential }),
			send(save, { items: people, credential }),
		]);
		const times = service.requests.map(({ arrivedAt }) => arrivedAt);
		expect(times).toHaveLength(9);
		for (const [index, time] of times.slice(4).entries()) expect(time - times[index]!).toBeGreaterThan(950);
	});
});

describe('an AI agent', () => {
	const byModel = request({
		...asRows(['contact_id', "={{ $fromAI('id') }}"], ['depth', "={{ $fromAI('depth') }}"]),
	});

	test('gets the rows, and must give each parameter that it can fill in', async () => {
		const options = { parameters: byModel, credential: credentialFor(service) };
		const answers = await callInBothWays(options, { id: String(telegram), depth: '1' });
		expect(answers).toEqual([1, 2].map(() => [expect.objectContaining({ name: 'Иван Петров' })]));
		const value = `${fieldAt('parameters').displayName}, parameter 2: ${fieldAt('parameters.value').displayName}`;
		const refused = { error: emptyField(value).message, message: expect.any(String) as string };
		for (const answer of await callInBothWays(options, { id: String(telegram), depth: '' }))
			expect(answer).toEqual([refused]);
		expect(service.requests).toHaveLength(2);
	});

	test('reads what is wrong with the endpoint that it has chosen', async () => {
		const parameters = request({ endpoint: "={{ $fromAI('endpoint') }}" });
		const called = { parameters, credential: credentialFor(service) };
		for (const answer of await callInBothWays(called, { endpoint: '../sendMessage' }))
			expect(answer).toMatchObject([{ error: expect.stringContaining(`'${labels[0]}'`) as string }]);
		expect(service.requests).toEqual([]);
	});
});

describe('a failure that may be the fault of the moment', () => {
	test.each<[string, Fault]>([
		['a 500', { kind: 'server error' }],
		['a reset', { kind: 'reset' }],
		['half an answer', { kind: 'malformed', when: 'before' }],
	])('%s is repeated for a GET, never for a POST, which may have been processed', async (_, fault) => {
		service.faults.add({ ...fault, match: { times: 1 } });
		const { error } = await send(read, { items: people.slice(0, 1) });
		expect([error, sent()]).toEqual([undefined, [telegram, telegram]]);
		service.reset();
		service.faults.add({ ...fault, match: { times: 1 } });
		const failed = await send(save, { items: people.slice(0, 1) });
		expect(failed.error?.description?.startsWith(unknown)).toBe(true);
		expect(sent()).toEqual([telegram]);
	});

	test('and lasts says of a GET that nothing was changed, and sends nobody into the service', async () => {
		service.faults.add({ kind: 'server error' });
		const ran = modes.map(async (onError) => await send(read, { items: people, node: { onError } }));
		for (const result of await Promise.all(ran)) {
			const { error, outputs } = result;
			const failed = error ? [] : outputs.flat().map(({ json }) => json);
			const titles = error ? [error.message] : failed.map((json) => String(json.error));
			const texts = error ? [error.description] : failed.map(({ message }) => String(message));
			for (const title of titles) expect(title).toContain(serviceFailed(500).message);
			for (const text of texts) expect(text).toMatch(new RegExp(`^(?:0 done, \\d[^.]*\\. )?${ofReading}`));
			for (const text of [...texts, ...hintsOf(result)]) expect(text).not.toMatch(/may have been|is unknown/);
			if (!error) expect([failed.length, hintsOf(result)]).toEqual([3, ['0 done, 3 failed.']]);
		}
	});

	test.each(['GET', 'POST'])('a limit makes a %s wait, and it is answered once', async (method) => {
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { times: 1 } });
		const result = await send(method === 'GET' ? read : save, { items: people.slice(0, 1) });
		expect([result.error, sent().length]).toEqual([undefined, 2]);
		const [first, second] = service.requests;
		expect(second!.arrivedAt - first!.arrivedAt).toBeGreaterThan(1000);
	});
});

describe('what is said of', () => {
	const methodAndEndpoint = `'${fieldAt('method').displayName}' and '${labels[0]}'`;
	const answer = (status: number, body: unknown): Fault => ({ kind: 'answer', status, body });

	test.each<[string, Fault, { message: string }, RegExp]>([
		[
			'an endpoint that the service does not have',
			answer(404, { message: 'The route api/v1/getReferrals could not be found.' }),
			unknownEndpoint(404, expected),
			new RegExp(`^Check ${methodAndEndpoint}.* check '${labels.join("', '")}'`),
		],
		[
			'a record that it does not have',
			answer(404, { message: 'Контакт не найден' }),
			notFound(404, expected),
			new RegExp(`^Check '${labels.join("', '")}'.*Контакт не найден`),
		],
		[
			'a method that the endpoint does not have',
			answer(405, { message: 'The GET method is not supported for this route. Supported methods: POST.' }),
			unknownEndpoint(405, expected),
			new RegExp(`^Check ${methodAndEndpoint}.*Supported methods: POST`),
		],
		[
			'a wrong value',
			answer(422, { message: 'The given data was invalid.', errors: { depth: ['Не больше 10.'] } }),
			valuesRefused(422, ['depth'], ''),
			/Не больше 10/,
		],
		[
			'a missing right',
			answer(403, { message: 'Forbidden' }),
			accessRefused(403, { expected, isForeign: false }),
			/plan of the account/,
		],
		['a web page', { kind: 'html' }, webPage(200, undefined), /Base URL/],
	])('%s', async (_, fault, { message }, says) => {
		service.faults.add(fault);
		const { error } = await send(read, { items: people.slice(0, 1) });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toMatch(says);
		expect(error?.description).not.toMatch(/may have been/);
		expect(service.requests).toHaveLength(1);
	});

	test('an endpoint that does not exist, for all items', async () => {
		const node = { onError: 'continueRegularOutput' } as const;
		const { json } = await send(
			{ endpoint: 'getNobody', ...read },
			{ items: [...people, ...people, ...people, ...people, ...people], node },
		);
		expect(
			new Set(json.map(({ error }) => String(error).replace(/ \[Item \d+\]$|^Nothing was sent\. /g, ''))),
		).toEqual(new Set([unknownEndpoint(404, expected).message]));
		expect(service.requests.length).toBeLessThan(15);
		// The document does not have it either.
		service.reset();
	});
});
