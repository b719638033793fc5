import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { readAnswer, type AnswerShape } from '../../nodes/ChatbotService/client/http/answer';

/* The rows of an answer that is no failure under any status, and whether it says that something was done. */

const labels = { all: new Map<string, string>(), expected: [], empty: new Set<string>() };

const read = (body: unknown, shape: AnswerShape) =>
	readAnswer({ statusCode: 200, headers: {}, body }, shape, labels, 0);

const failedWith = (failure: failures.Failure) => ({ failure: { ...failure, status: 200 } });

const links = { self: 'https://example.com?api_token=секрет' };
const schema = { id: '5dee', name: 'Заказы', is_menu: true, fields: { links: { name: 'Ссылки' } } };
const pictures = { id: '5dee', links: [{ url: 'https://example.com/a.png' }] };
const odd = { id: 5, message: 'Да', data: null };
const change = { data: { id: 5 }, message_id: 77 };
const success = { success: true };

test.each<[string, AnswerShape, unknown, unknown[]]>([
	['of tags in PHP', 'many', { data: { 0: 'VIP', 3: 2024 } }, [{ name: 'VIP' }, { name: '2024' }]],
	['of an empty list', 'many', { data: {} }, []],
	['of objects, without links', 'many', { data: [{ ...schema, links }], links }, [schema]],
	['of objects, without a list of links', 'many', { data: [{ ...schema, links: [links] }] }, [schema]],
	['of a list with a field of pictures', 'many', { data: [pictures] }, [pictures]],
	['of a record', 'one', { ...schema, links }, [schema]],
	['of a record in a wrapper', 'one', { data: { ...schema, links }, links }, [schema]],
	['of a record with fields of these names', 'one', odd, [odd]],
	['of what was created', 'created', { data: schema }, [schema]],
	['of a change', 'done', { ...change, links }, [change]],
	['of a change in an empty wrapper', 'done', { data: null, errors: [], message: '', ...success }, [success]],
	['of a deletion', 'deleted', { message: 'Удалено' }, [{ deleted: true }]],
])('rows are those of the service: %s', (_, shape, body, rows) => {
	expect(read(body, shape)).toEqual({ rows });
});

const refusal = { status: 'error', success: false, error: 'Нет', message: 'Forbidden', errors: ['Нет'] };
const denials = Object.entries({ ...refusal, ok: 0, result: false, exception: 'Нет' });

test.each(denials)('a record may have a field %j: %j', (name, value) => {
	for (const record of [{ [name]: value }, { ...refusal, [name]: value }].map((of) => ({
		id: '5dee',
		...of,
	})))
		for (const body of [record, { data: record }, { data: record, errors: [], message: null, ...success }])
			for (const shape of ['created', 'one'] as const) expect(read(body, shape)).toEqual({ rows: [record] });
});

test.each(['created', 'one'] as const)('a refusal without an ID is no record: %s', (shape) => {
	const failure = failures.valuesRefused([], 'Нельзя');
	for (const id of [{ id: null }, { id: '' }, {}])
		expect(read({ ...id, status: 'error', message: 'Нельзя' }, shape)).toEqual(failedWith(failure));
});

test.each<[current: unknown, last: unknown, page: object]>([
	[1, 3, { page: { current: 1, last: 3 } }],
	['2', '3', { page: { current: 2, last: 3 } }],
	[1, 0, {}],
	['первая', 'третья', {}],
])('rows come with the page of "meta": %j of %j', (current_page, last_page, page) => {
	const body = { data: ['VIP'], meta: { current_page, last_page, per_page: 50 } };
	expect(read(body, 'many')).toEqual({ rows: [{ name: 'VIP' }], ...page });
});

const unnamed = { data: { '1-й': 'Клиент' } };
const unreadable = ['OK', false, { data: null }, { message: ' ' }];

test.each<[AnswerShape, unknown[], unknown[]]>([
	['many', ['', null, '  \n'], ['{"data":["VI', ['VIP'], unnamed, { data: [['VIP']] }, ...unreadable]],
	['one', ['', null, [], {}, true], ['{"id":"5de', 0, [{ id: '5dee' }], { data: {} }, ...unreadable]],
])('rows are never invented: %s', (shape, nothing, broken) => {
	for (const body of nothing) expect(read(body, shape)).toEqual(failedWith(failures.emptyAnswer()));
	for (const body of broken) expect(read(body, shape)).toEqual(failedWith(failures.malformedAnswer(body)));
	const failure = failures.valuesRefused([], 'Список не найден');
	expect(read({ message: 'Список не найден' }, shape)).toEqual(failedWith(failure));
});

const ofMessages = ['confirmed', 'sent'] as const;
const ofChanges = ['created', 'done'] as const;

/* n8n takes an item with an `error` for a failed one. */
test.each<unknown>([[], '', {}, null, ' '])('an error that is %j says nothing', (error) => {
	for (const shape of [...ofMessages, ...ofChanges])
		for (const body of [success, { ...success, message: 'Отправлено' }])
			expect(read({ error, ...body }, shape)).toEqual({ rows: [body] });
});

describe('a message', () => {
	const unconfirmedBy = (body: unknown) => {
		const { message } = Object(body) as { message?: string };
		return failedWith(failures.unconfirmed(body, message ?? undefined));
	};

	test.each(ofMessages)('is sent if the service says so: %s', (shape) => {
		for (const body of [{ success: 1 }, { success: ' TRUE ', id: 5 }, { ...success, error: 'false' }])
			expect(read({ ...body, links }, shape)).toEqual({ rows: [body] });
		// Or says nothing against it.
		for (const body of ['', ' OK\n', '1', 'True', 'null', null, true, {}, []])
			expect(read(body, shape)).toEqual({ rows: [success] });
		for (const denial of [{ status: 'error' }, { success: false }, { error: 'Нет' }, { errors: ['Нет'] }])
			expect(read({ id: 5, ...denial }, shape)).toHaveProperty('failure');
	});

	const contact = { id: 5001, name: 'Ольга', messenger: 'whatsapp' };

	// Another answer is documented for 'confirmed'.
	test.each<object>([
		...[contact, { data: contact, errors: [], message: null }, { status: 'queued' }],
		{ message: 'Отправлено', id: 5 },
	])('is sent if its answer may be a record: %j', (body) => {
		expect(read({ ...body, links }, 'sent')).toEqual({ rows: [body] });
		expect(read([body], 'sent')).toEqual({ rows: [success] });
		expect(read(body, 'confirmed')).toEqual(unconfirmedBy(body));
	});

	const message = 'Номер не найден';
	const unclear = [
		...[{ code: 404, message }, { data: null, message, errors: [] }, { data: { message } }, { result: null }],
		...[[message], 0, 'not ok', 'SQLSTATE[HY000] [2002] Connection refused'],
	];

	test.each(ofMessages)('is in doubt if that says neither yes nor no: %s', (shape) => {
		for (const body of unclear) expect(read(body, shape)).toEqual(unconfirmedBy(body));
	});
});

test.each<[AnswerShape, Record<string, boolean>]>([
	['created', success],
	['done', success],
	['deleted', { deleted: true }],
])('what should be %s is, after any short answer', (shape, row) => {
	for (const body of ['', null, true, 0, 1.5, 'ok [1] {2} "3"', 'я'.repeat(200), {}, [{ id: 1 }]])
		expect(read(body, shape)).toEqual({ rows: [row] });
});

test.each(ofChanges)('a change is %s if nothing is denied', (shape) => {
	for (const body of [{ message: 'Тег прикреплён.' }, { status: 'no error' }, { ok: 'yes' }])
		expect(read(body, shape)).toEqual({ rows: [body] });
});

test.each(['deleted', ...ofChanges, ...ofMessages] as const)('an odd answer leaves a doubt: %s', (shape) => {
	for (const body of [
		false,
		'я'.repeat(201),
		'[{"id":1},{"i',
		'"Тег доб',
		' \n{"success":tr',
		'Notice: a\n{"data":tr',
	])
		expect(read(body, shape)).toEqual(failedWith(failures.malformedAnswer(body)));
});
