import { readAnswer, type AnswerShape } from '../../nodes/ChatbotService/client/answer';
import { malformedAnswer, unconfirmed, valuesRefused } from '../../nodes/ChatbotService/client/failure';

/* Whether a service has done what it was asked, by the body of its answer. Everything else about answers is in answer.test.ts. */

const labels = { all: new Map<string, string>(), expected: [] };
const read = (body: unknown, shape: AnswerShape) =>
	readAnswer({ statusCode: 200, headers: {}, body }, shape, labels, 0);

const confirming = [
	...[{ success: true }, { success: 1 }, { success: 'true' }, { success: ' TRUE ' }, { success: '1' }],
	{ success: true, id: 5 },
	{ success: true, error: '' },
	{ success: true, error: null, errors: [] },
	{ success: true, error: 0, errors: {} },
	{ success: true, error: 'false', errors: '0' },
	{ success: true, error: false, errors: 0 },
];

test.each(confirming.map((body) => [body]))('%j confirms a message', (body) => {
	expect(read({ ...body, links: {} }, 'confirmed')).toEqual({ rows: [body] });
});

const empty = [...['', ' \n', '1', 'true', 'ok', ' OK\n', 'null'], ...[null, undefined, 1, true, {}, []]];

test.each(empty.map((body) => [body]))('%j says nothing against a message', (body) => {
	expect(read(body, 'confirmed')).toEqual({ rows: [{ success: true }] });
});

test.each<[unknown, string]>([
	[{ success: false }, ''],
	[{ success: 0 }, ''],
	[{ success: 'False' }, ''],
	[{ success: '0' }, ''],
	[{ success: null }, ''],
	[{ ok: false }, ''],
	[{ ok: '0' }, ''],
	[{ status: 'error', message: 'Нельзя' }, 'Нельзя'],
	[{ status: ' Fail ' }, ''],
	[{ status: 'failed' }, ''],
	[{ success: true, error: 'Нет' }, 'Нет'],
	[{ error: { message: 'Нет' } }, 'Нет'],
	[{ errors: ['Нет'] }, 'Нет'],
	[{ success: true, error: { code: 5 } }, ''],
	[{ success: false, message: 'Диалог закрыт' }, 'Диалог закрыт'],
])('%j denies whatever was asked', (body, words) => {
	for (const shape of ['many', 'one', 'created', 'done', 'confirmed', 'deleted'] as const)
		expect(read(body, shape)).toEqual({ failure: valuesRefused(200, [], words) });
});

const silent = [
	...[{ message: 'Контакт не найден.' }, { id: 5 }, { status: 'queued' }, { status: 'no error' }],
	...[{ success: 'maybe' }, { data: { success: true } }, [{ id: 5 }], ['ok'], false, 0, 3],
	...['false', '0', '-', 'not ok', 'сообщение', 'Unauthorized', 'SQLSTATE[HY000] [2002] Connection refused'],
];

test.each(silent.map((body) => [body]))('%j neither confirms nor denies a message', (body) => {
	const { message } = body as { message?: string };
	expect(read(body, 'confirmed')).toEqual({ failure: unconfirmed(200, body, message) });
});

test.each(['{"success":tr', '[tru', '"ok', 'я'.repeat(201)])('%j does not confirm a message', (body) => {
	expect(read(body, 'confirmed')).toEqual({ failure: malformedAnswer(200, body) });
});

test.each([
	{ message: 'Тег прикреплён.' },
	{ success: true, error: '', errors: {} },
	{ status: 'queued' },
	{ status: 'no error' },
	{ status: 'failover' },
	{ ok: true },
	{ ok: 'yes' },
	{ success: 'maybe' },
])('%j confirms whatever has no documented answer', (body) => {
	for (const shape of ['created', 'done'] as const) expect(read(body, shape)).toEqual({ rows: [body] });
});
