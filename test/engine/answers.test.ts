import type { IDataObject } from 'n8n-workflow';

import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { isReading, operationOf, operations, parametersOf, unknownOf } from '../operations';
import { startAnswering } from './answering';
import { credentialFor, runNode, useEmulator } from './harness';
import { lettersFor, send } from './messages';
import { sideBySide } from './sideBySide';

/* How the node interprets an answer: documented ones, undocumented ones, and answers that no service should give. */

const service = useEmulator();
const message = operationOf('message/send');

type Came = 'sent' | 'refused' | 'unknown';

/** Sends a message with 'Send Once Per' twice; the second time the service works normally. */
const sceneOf = (service: Emulator) => ({
	async sendTwice(status: number, body: unknown) {
		service.faults.add({ kind: 'answer', status, body, when: 'after' });
		const options = {
			parameters: { ...send, options: { sendOncePer: 'осень' } },
			credential: credentialFor(service),
			items: lettersFor(service, 1),
		};
		const first = await runNode(options);
		service.faults.clear();
		const second = await runNode({ ...options, deduplication: first.options.deduplication });
		const { error } = first;
		const came: Came = !error
			? 'sent'
			: error.description?.startsWith(unknownOf(message))
				? 'unknown'
				: 'refused';
		return { first, second, came, sent: service.requests.length };
	},
});

describe('a message', () => {
	const test = sideBySide(sceneOf);

	const cases: Array<[Came, unknown[]]> = [
		[
			'sent',
			[
				...[{ success: true }, { success: 1 }, { success: 'true' }, { success: true, id: 5 }],
				...[
					{ success: true, error: '' },
					{ success: true, error: null, errors: [] },
				],
				...[
					{ success: true, error: 0, errors: {} },
					{ success: true, error: [] },
				],
				...['', '1', 'true', 'ok', 'OK', 'null', {}, [], 'json true', 'json 1', 'json null', '"ok"'],
			],
		],
		[
			'refused',
			[
				...[{ success: false }, { success: 0 }, { success: 'false' }, { success: null }, { ok: false }],
				...[{ status: 'error' }, { status: 'fail' }, { success: true, error: 'Нет' }],
				...[{ error: { message: 'Нет' } }, { errors: ['Нет'] }, { errors: { text: ['Нет'] } }],
				...[{ message: 'Forbidden' }, { success: false, message: 'Диалог закрыт' }],
			],
		],
		[
			'unknown',
			[
				...[{ message: 'Контакт не найден.' }, { id: 5 }, { status: 'queued' }, { success: 'maybe' }],
				...['SQLSTATE[HY000] [2002] Connection refused', 'Unauthorized', 'false', '0', 'сообщение', '-'],
				...[[{ id: 5 }], { data: { success: true } }, '{"success":tr', 'tru'],
			],
		],
	];

	const written = (body: unknown) =>
		typeof body === 'string' && body.startsWith('json ') ? body.slice(5) : body;

	test.each(cases.flatMap(([came, bodies]) => bodies.map((body) => [came, body] as [Came, unknown])))(
		'is %s when the service answers %j with status 200',
		async ({ sendTwice }, expected, body) => {
			const { first, second, came, sent } = await sendTwice(200, written(body));
			expect([came, first.error?.description]).toEqual([expected, first.error?.description]);
			// What is stored follows from it: no recipient gets the message twice, and none is left out.
			expect(sent).toBe(expected === 'refused' ? 2 : 1);
			if (expected === 'sent') expect(second.json).toEqual([{ success: true, alreadySent: true }]);
			if (expected === 'refused') expect(second.json).toEqual([{ success: true }]);
			if (expected === 'unknown') {
				expect(second.error?.message).toContain('This message may have been sent already');
				expect(first.error?.message).toMatch(/did not confirm the request|cannot be read/);
				const words = typeof body === 'string' ? body : Object.values(body as object)[0];
				if (typeof words === 'string') expect(first.error?.description).toContain(words);
			}
		},
	);

	test('is sent when the service answers 204 with an empty body', async ({ sendTwice }) => {
		expect((await sendTwice(204, '')).came).toBe('sent');
	});
});

const others = operations.filter((each) => each !== message && !isReading(each));

test.each<[string, unknown]>([
	['success 0', { success: 0 }],
	['success "false"', { success: 'false' }],
	['success null', { success: null }],
	['ok false', { ok: false }],
	['status error', { status: 'error', message: 'Нельзя' }],
	['errors', { errors: ['Нельзя'] }],
])('an answer with %s is a refusal for every operation', async (_name, body) => {
	service.faults.add({ kind: 'answer', status: 200, body });
	for (const { title, variants } of others) {
		const { error } = await runNode({
			parameters: parametersOf(variants[0]!),
			credential: credentialFor(service),
		});
		expect([title, error?.message]).toEqual([title, expect.stringMatching(/^The service refused/)]);
	}
});

test.each<[string, unknown]>([
	['a sentence', { message: 'Тег прикреплён.' }],
	['an empty error', { success: true, error: '', errors: {} }],
	['a status', { status: 'queued' }],
])('an answer with %s is a success for operations whose answer is undocumented', async (_name, body) => {
	service.faults.add({ kind: 'answer', status: 200, body, when: 'after' });
	for (const { title, variants } of others) {
		const own = await startEmulator();
		own.faults.add({ kind: 'answer', status: 200, body, when: 'after' });
		const { error } = await runNode({
			parameters: parametersOf(variants[0]!),
			credential: credentialFor(own),
		});
		await own.stop();
		expect([title, error]).toEqual([title, undefined]);
	}
});

describe('every run finishes', () => {
	const nested = (depth: number, inner: string) => `${'{"а":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
	const row = '{"id":1,"name":"VIP"}';
	const rows = (count: number) => `{"data":[${Array.from({ length: count }, () => row).join()}]}`;

	const odd: Array<[string, (token: string) => string]> = [
		['nested 30,000 deep', () => nested(30_000, '1')],
		['nested 30,000 deep with the token in it', (token) => nested(30_000, JSON.stringify(token))],
		['nested 30,000 deep in a list', () => `{"data":[${nested(30_000, '1')}]}`],
		['nested 30,000 deep in a refusal', () => `{"success":false,"error":${nested(30_000, '1')}}`],
		['30,000 lists in each other', () => `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
		['with 100,000 rows', () => rows(100_000)],
		['with 200,000 rows', () => rows(200_000)],
		['with a text of 5 MB', () => JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) })],
		['of 5 MB of text', () => 'я'.repeat(2_500_000)],
		['of 5 MB of blanks', () => ' '.repeat(5_000_000)],
		['of 5 MB of tags', () => '<a '.repeat(1_700_000)],
		['of 5 MB of backslashes', () => '\\'.repeat(5_000_000)],
		[
			'with 100,000 refused fields',
			() => `{"errors":{${Array.from({ length: 100_000 }, (_, n) => `"f${n}":["Нет"]`).join()}}}`,
		],
		['with __proto__ as a key', () => '{"success":true,"__proto__":{"x":1},"constructor":{"name":"y"}}'],
		[
			'with keys of every object',
			() => '{"data":{"toString":1,"hasOwnProperty":2,"__proto__":null},"toJSON":5}',
		],
	];

	/** One operation for each way of reading an answer. */
	const readers = [
		'tag/getManyByBot',
		'listSchema/get',
		'listSchema/create',
		'tag/attach',
		'message/send',
	].concat('listSchema/delete');

	/* All at once, because idempotent requests are repeated after several seconds. */
	test('with any answer, each item has rows or a failure, and the token appears nowhere', async () => {
		const tryOne = async (name: string, bodyOf: (token: string) => string, title: string) => {
			const token = 'секретный-токен';
			const answering = await startAnswering(() => bodyOf(token));
			const { error, outputs } = await runNode({
				parameters: parametersOf(operationOf(title).variants[0]!),
				credential: credentialFor({ ...answering, token }),
				node: { onError: 'continueErrorOutput' },
			});
			const ended = outputs.flat().map(({ json }) => json);
			expect([name, title, error, ended.length > 0]).toEqual([name, title, undefined, true]);
			expect([name, title, holdsText(ended, token)]).toEqual([name, title, false]);
		};
		await Promise.all(
			odd.flatMap(([name, bodyOf]) => readers.map(async (title) => await tryOne(name, bodyOf, title))),
		);
	}, 120_000);

	test('values under keys such as __proto__ are output unchanged', async () => {
		const answering = await startAnswering(() => '{"success":true,"__proto__":{"x":"токен-токен"},"a":1}');
		const { json } = await runNode({
			parameters: parametersOf(message.variants[0]!),
			credential: credentialFor({ ...answering, token: 'токен-токен' }),
		});
		expect(JSON.stringify(json)).toBe('[{"success":true,"__proto__":{"x":"***"},"a":1}]');
	});
});

/** Whether the value contains the text at any depth. */
function holdsText(value: unknown, text: string): boolean {
	const left: unknown[] = [value];
	while (left.length) {
		const each = left.pop();
		if (typeof each === 'string' && each.includes(text)) return true;
		if (typeof each === 'object' && each !== null)
			for (const one of Object.values(each as IDataObject)) left.push(one);
	}
	return false;
}
