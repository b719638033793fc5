import { readAnswer, type AnswerShape } from '../../nodes/ChatbotService/client/http/answer';
import {
	emptyAnswer,
	malformedAnswer,
	unconfirmed,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure/failure';

/* The rows of an answer that is no failure under any status, and whether it says that something was done. */

const labels = { all: new Map<string, string>(), expected: [], empty: new Set<string>() };

const read = (body: unknown, shape: AnswerShape) =>
	readAnswer({ statusCode: 200, headers: {}, body }, shape, labels, 0);

describe('rows', () => {
	const links = { self: 'https://example.com?api_token=секрет' };
	const schema = { id: '5dee', name: 'Заказы', is_menu: true, fields: { links: { name: 'Ссылки' } } };
	const pictures = { id: '5dee', links: [{ url: 'https://example.com/a.png' }] };
	const odd = { id: 5, message: 'Да', data: null };
	const change = { data: { id: 5 }, message_id: 77 };
	const tags = { 0: 'VIP', 3: 2024, 7: true };

	test.each<[string, AnswerShape, unknown, unknown[]]>([
		['of tags', 'many', { data: ['VIP', ''] }, [{ name: 'VIP' }, { name: '' }]],
		['of tags in PHP', 'many', { data: tags }, [{ name: 'VIP' }, { name: '2024' }, { name: 'true' }]],
		['of an empty list', 'many', { data: {} }, []],
		['of objects, without links', 'many', { data: [{ ...schema, links }], links }, [schema]],
		['of objects, without a list of links', 'many', { data: [{ ...schema, links: [links] }] }, [schema]],
		['of a list with a field of pictures', 'many', { data: [pictures] }, [pictures]],
		['of a record', 'one', { ...schema, links }, [schema]],
		['of a record in a wrapper', 'one', { data: { ...schema, links }, links }, [schema]],
		['of a record with fields of these names', 'one', odd, [odd]],
		['of what was created', 'created', { data: schema }, [schema]],
		['of what was created, with an empty field', 'created', { id: 5, error: null }, [{ id: 5, error: null }]],
		['of a change', 'done', { ...change, links }, [change]],
		['of a deletion', 'deleted', { message: 'Удалено' }, [{ deleted: true }]],
	])('are those of the service: %s', (_, shape, body, rows) => {
		expect(read(body, shape)).toEqual({ rows });
	});

	const ownNames = {
		status: 'error',
		success: false,
		error: 'Бракованный',
		message: 'Forbidden',
		errors: ['Нет'],
	};

	test.each(Object.entries({ ...ownNames, ok: 0, result: false, exception: 'Нет' }))(
		'are those of the service, also if a record has a field %j: %j',
		(name, value) => {
			for (const record of [
				{ id: 5, [name]: value },
				{ ...ownNames, id: '5dee', [name]: value },
			])
				for (const body of [
					record,
					{ data: record },
					{ data: record, errors: [], message: null, success: true },
				])
					for (const shape of ['created', 'one'] as const)
						expect(read(body, shape)).toEqual({ rows: [record] });
		},
	);

	test.each([{ id: null }, { id: '' }, {}])('are none of a refusal without an ID: %j', (id) => {
		for (const shape of ['created', 'one'] as const)
			expect(read({ ...id, status: 'error', message: 'Нельзя' }, shape)).toEqual({
				failure: valuesRefused(200, [], 'Нельзя'),
			});
	});

	test('are none of a record with an error status', () => {
		for (const shape of ['created', 'one'] as const)
			expect(readAnswer({ statusCode: 422, headers: {}, body: { id: 5 } }, shape, labels, 0)).toHaveProperty(
				'failure',
			);
	});

	test.each<[current: unknown, last: unknown, page?: { current: number; last: number }]>([
		[1, 3, { current: 1, last: 3 }],
		['2', '3', { current: 2, last: 3 }],
		[1, 0, undefined],
		['первая', 'третья', undefined],
	])('come with the page that "meta" names: %j of %j', (current_page, last_page, page) => {
		const body = { data: ['VIP'], meta: { current_page, last_page, per_page: 50 } };
		expect(read(body, 'many')).toEqual({ rows: [{ name: 'VIP' }], ...(page && { page }) });
	});

	const unnamed = { data: { '1-й': 'Клиент' } };
	const unreadable = ['OK', false, { data: null }, { message: ' ' }];

	test.each<[AnswerShape, unknown[], unknown[]]>([
		['many', ['', null, '  \n'], ['{"data":["VI', ['VIP'], unnamed, { data: [['VIP']] }, ...unreadable]],
		['one', ['', null, [], {}, true], ['{"id":"5de', 0, [{ id: '5dee' }], { data: {} }, ...unreadable]],
	])('are never invented: %s of nothing, of what cannot be read, of words', (shape, nothing, broken) => {
		for (const body of nothing) expect(read(body, shape)).toEqual({ failure: emptyAnswer(200) });
		for (const body of broken) expect(read(body, shape)).toEqual({ failure: malformedAnswer(200, body) });
		const failure = valuesRefused(200, [], 'Список не найден');
		expect(read({ message: 'Список не найден' }, shape)).toEqual({ failure });
	});
});

const ofMessages = ['confirmed', 'sent'] as const;

describe('a message', () => {
	test.each<object>([
		{ success: 1 },
		{ success: ' TRUE ', id: 5 },
		{ success: true, error: 'false', errors: [] },
	])('is sent if the service says so: %j', (body) => {
		for (const shape of ofMessages) expect(read({ ...body, links: {} }, shape)).toEqual({ rows: [body] });
	});

	/* n8n takes an item with an `error` for a failed one. */
	test.each<unknown>([[], '', {}, null, ' '])('is sent without a word of an error that is %j', (error) => {
		for (const shape of [...ofMessages, 'done', 'created'] as const)
			for (const body of [{ success: true }, { success: true, message: 'Отправлено' }])
				expect(read({ error, ...body }, shape)).toEqual({ rows: [body] });
	});

	test.each<object>([
		{ status: 'error' },
		{ success: false },
		{ error: 'Нет диалога' },
		{ errors: ['Нет диалога'] },
	])('is not sent if a record says so: %j', (denial) => {
		for (const shape of ofMessages) expect(read({ id: 5, ...denial }, shape)).toHaveProperty('failure');
	});

	test('is sent if the service says nothing against it', () => {
		for (const body of ['', ' OK\n', '1', 'True', 'null', null, true, {}, []])
			for (const shape of ofMessages) expect(read(body, shape)).toEqual({ rows: [{ success: true }] });
	});

	const unconfirmedBy = (body: unknown) => {
		const { message } = Object(body) as { message?: string };
		return { failure: unconfirmed(200, body, message ?? undefined) };
	};
	const contact = { id: 5001, name: 'Ольга', messenger: 'whatsapp' };

	test.each<object>([
		...[contact, { data: contact, errors: [], message: null }, { status: 'queued' }],
		{ message: 'Отправлено', id: 5 },
	])('is sent if its answer is a record, unless another answer is documented: %j', (body) => {
		expect(read({ ...body, links: {} }, 'sent')).toEqual({ rows: [body] });
		expect(read([body], 'sent')).toEqual({ rows: [{ success: true }] });
		expect(read(body, 'confirmed')).toEqual(unconfirmedBy(body));
	});

	const message = 'Номер не найден';
	const silent: unknown[] = [
		...[{ code: 404, message }, { data: null, message, errors: [] }, { data: { message } }, [message]],
		...[{ result: null }, 0, 'not ok', 'SQLSTATE[HY000] [2002] Connection refused'],
	];

	test.each(silent.map((body) => [body]))(
		'may be sent or not if the service neither confirms nor denies it: %j',
		(body) => {
			for (const shape of ofMessages) expect(read(body, shape)).toEqual(unconfirmedBy(body));
		},
	);
});

describe.each<[AnswerShape, Record<string, boolean>]>([
	['created', { success: true }],
	['done', { success: true }],
	['deleted', { deleted: true }],
])('what should be %s', (shape, row) => {
	test('has succeeded, whatever short answer confirms it', () => {
		for (const body of ['', null, true, 0, 1.5, 'ok [1] {2} "3"', 'я'.repeat(200), {}, [{ id: 1 }]])
			expect(read(body, shape)).toEqual({ rows: [row] });
	});
});

test.each([{ message: 'Тег прикреплён.' }, { status: 'no error' }, { ok: 'yes' }, { success: 'maybe' }])(
	'any other change has succeeded with an object that denies nothing: %j',
	(body) => {
		for (const shape of ['created', 'done'] as const) expect(read(body, shape)).toEqual({ rows: [body] });
	},
);

test.each([false, 'я'.repeat(201), '[{"id":1},{"i', '"Тег доб', ' \n{"success":tr'])(
	'%j cannot be read, and leaves the outcome of every change unknown',
	(body) => {
		for (const shape of ['created', 'done', 'deleted', ...ofMessages] as const)
			expect(read(body, shape)).toEqual({ failure: malformedAnswer(200, body) });
	},
);
