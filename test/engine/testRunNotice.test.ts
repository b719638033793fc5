import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addContacts, type Contact } from '../../sandbox/emulator';
import { credentialFor, hintsOf, type RunOptions } from './harness';
import { lettersFor } from './messages';
import { me, send, testing, useTestRuns } from './testRun';

/* What a test run says: how long the real one takes and how many messages fit into today. And which values of the option are none. */

const { service, run } = useTestRuns();

const noticeOf = async (options: Partial<RunOptions>) => {
	const result = await run(options);
	expect([result.error, service.requests]).toEqual([undefined, []]);
	return hintsOf(result).join('\n');
};

/** Items for as many contacts in each messenger. */
const inMessengers = (counts: Record<string, number>) =>
	Object.entries(counts).flatMap(([messenger, count]) =>
		lettersFor(service, count).map((item) => ({ ...item, messenger })),
	);

describe('the time of the real run follows from the messengers of the items, the workers and the limits', () => {
	test.each<[string, Record<string, number>, IDataObject, string | undefined]>([
		['the account', { vk: 400 }, { requestsPerSecond: 2 }, '4 minutes'],
		['the account, shared by two workers', { vk: 400 }, { requestsPerSecond: 2, workers: 2 }, '7 minutes'],
		['WhatsApp', { whatsapp: 30 }, { requestsPerSecond: 2 }, '5 minutes'],
		['the longest of two messengers', { vk: 100, whatsapp: 30 }, { requestsPerSecond: 2 }, '5 minutes'],
		[
			'Telegram, which a messenger that is not known may be',
			{ telegram: 60, '': 60 },
			{ requestsPerSecond: 2 },
			'2 minutes',
		],
		['no limit', { vk: 400 }, {}, undefined],
	])('by %s', async (_, counts, credential, time) => {
		const notice = await noticeOf({
			items: inMessengers(counts),
			parameters: testing({}, {}, { ...send, contactMessenger: '={{ $json.messenger }}' }),
			credential: credentialFor(service, credential),
		});
		if (time) expect(notice).toContain(`They take about ${time} at the credential's limits.`);
		else expect(notice).not.toContain('about');
	});

	test('without those who have the message', async () => {
		const items = lettersFor(service, 400);
		const parameters = testing({}, { sendOncePer: 'осень' });
		const notice = await noticeOf({
			...{ items: [...items, ...items.slice(0, 100)], parameters },
			credential: credentialFor(service, { requestsPerSecond: 2 }),
		});
		expect(notice).toContain('The rest takes about 4 minutes');
	});
});

test('what a real run would say of its texts and messengers, the test says too', async () => {
	const items = [{ id: me, text: 'Ж'.repeat(5000) }];
	const parameters = { ...send, contactMessenger: 'скайп' };
	const [, ...ofTest] = hintsOf(await run({ items, parameters: testing({}, {}, parameters) }));
	expect(ofTest).toEqual(hintsOf(await run({ items, parameters })));
	expect(ofTest.join()).toContain('4096 characters');
});

describe('Sending Hours', () => {
	const { now } = Date;
	const itIs = (time: string) => {
		const ahead = Date.parse(time) - now();
		jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
	};
	afterEach(() => jest.restoreAllMocks());

	const hours = (from: string, until: string) => ({ sendingHours: { values: { from, until } } });
	const day = hours('09:00', '21:00');

	test.each([
		['20:50', day, 600, /All of them fit .* 09:00 to 21:00 \(America\/New_York\)/],
		['20:50', day, 1500, /About 1,200 of them fit/],
		['08:00', hours('09:00', '09:10'), 1500, /About 1,200 of them fit/],
		['21:30', day, 1500, /None of them fits/],
		['21:30', day, 1, /It does not fit/],
		['23:50', hours('22:00', '02:00'), 1500, /All of them fit/],
		['01:50', hours('22:00', '02:00'), 1500, /About 1,200 of them fit/],
		['03:00', hours('22:00', '02:00'), 1500, /All of them fit/],
	])(
		'at %s, a test with %j says how many of %d messages fit into today, and fails no item',
		async (...row) => {
			const [time, options, count, said] = row;
			itIs(`2026-11-27T${time}:00-05:00`);
			const credential = credentialFor(service, { requestsPerSecond: 2 });
			const notice = await noticeOf({
				items: lettersFor(service, count),
				...{ parameters: testing({}, options), credential },
			});
			expect(notice).toMatch(said);
		},
	);

	test.each([
		[{ vk: 1000, whatsapp: 100 }, /About 1,060 of them fit/],
		[{ vk: 1000, telegram: 600 }, /About 1,200 of them fit/],
	])(
		'how many of %j fit in ten minutes depends on their messengers and on the account',
		async (counts, said) => {
			itIs('2026-11-27T20:50:00-05:00');
			const notice = await noticeOf({
				items: inMessengers(counts),
				parameters: testing({}, day, { ...send, contactMessenger: '={{ $json.messenger }}' }),
				credential: credentialFor(service, { requestsPerSecond: 2 }),
			});
			expect(notice).toMatch(said);
		},
	);

	test('a test message may leave outside of them', async () => {
		itIs('2026-11-27T23:15:00-05:00');
		const parameters = testing({ contactId: me }, day);
		const { error, json } = await run({ items: lettersFor(service, 2), parameters });
		expect([error, json.length, service.deliveries().length]).toEqual([undefined, 2, 1]);
	});
});

describe('values that are none are refused by name in every error mode, and nothing leaves', () => {
	type Row = [unknown, IDataObject, RegExp];

	const testers = (what: string, said: RegExp, expressions: string[]) =>
		expressions.map((contactId): Row => [what, { contactId }, said]);

	test.each<Row>([
		['a name', { contactId: 'Анна' }, /'Test Run: Contact ID' must be a whole number/],
		['blanks', { contactId: '  ' }, /'Test Run: Contact ID' is empty/],
		[
			'an expression that gives nothing',
			{ contactId: '={{ $json.nobody }}' },
			/'Test Run: Contact ID' is empty/,
		],
		['an empty expression', { contactId: '=' }, /'Test Run: Contact ID' is empty/],
		...testers('who is read from the item', /in 'Test Run: Contact ID' reads the item/, [
			'={{ $json.id }}',
			"={{ $json['id'] }}",
			'={{ Number($json.id) }}',
			'={{ $data.id }}',
			'={{ $input.item.json.id }}',
			"={{ $('Start').item.json.id }}",
			"={{ $('Start').all()[$itemIndex].json.id }}",
			"={{ $('Start').itemMatching(0).json.id }}",
			'={{ $node["Start"].json.id }}',
		]),
		...testers('a recipient', /in 'Test Run: Contact ID' names a recipient/, [
			"={{ $('Start').first().json.id }}",
			"={{ ' ' + $('Start').last().json.id + ' ' }}",
			"={{ $('Start').all()[1].json.id + '.0' }}",
		]),
		[
			'a contact that only the first item has',
			{ contactId: '={{ $json.text === "Письмо 0" ? $json.id : "" }}' },
			/'Test Run: Contact ID'/,
		],
		['a model', { contactId: "={{ $fromAI('me') }}" }, /'Test Run' must not come from a model/],
		[
			'no messages',
			{ contactId: me, messages: 0 },
			/'Test Run: Messages' must be a whole number from 1 to 100/,
		],
		[
			'fewer than none',
			{ contactId: me, messages: -1 },
			/'Test Run: Messages' must be a whole number from 1/,
		],
		['too many', { contactId: me, messages: 10_000 }, /'Test Run: Messages' must be a whole number from 1/],
		['a word', { contactId: me, messages: 'много' }, /'Test Run: Messages' must be a whole number from 1/],
		['nothing', { contactId: me, messages: '' }, /'Test Run: Messages' is empty/],
	])('%s: %j', async (_, values, message) => {
		const items = lettersFor(service, 3);
		const { error } = await run({ items, parameters: testing(values) });
		expect(error?.message).toMatch(message);
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const { outputs } = await run({ items, parameters: testing(values), node: { onError } });
			const errors = outputs.flat().flatMap(({ json }) => (json.error ? [json.error] : []));
			expect(errors.length).toBeGreaterThanOrEqual(2);
			for (const each of errors) expect(each).toMatch(message);
		}
		expect(service.requests).toEqual([]);
	});

	test('a recipient whose message is invalid', async () => {
		const [item] = lettersFor(service, 1) as [{ id: number; text: string }];
		const items = [{ ...item, text: '[object Object]' }, ...lettersFor(service, 1)];
		const parameters = testing({ contactId: "={{ $('Start').first().json.id }}" });
		const { outputs } = await run({ items, parameters, node: { onError: 'continueErrorOutput' } });
		expect(outputs[1]!.map(({ json }) => json.error)).toEqual([
			expect.stringContaining("'Text'"),
			expect.stringContaining('names a recipient'),
		]);
		expect(service.requests).toEqual([]);
	});

	test.each([
		['that is none', '123', /'Test Run: Phone Number'/],
		[
			'of a recipient, in another spelling',
			"={{ '8 (999) 000-50-50'.trim() }}",
			/'Test Run: Phone Number' names a recipient/,
		],
	])('a number in WhatsApp %s', async (_, phone, message) => {
		const [{ botId }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
		const parameters = {
			...{ resource: 'message', operation: 'sendToWhatsApp', botId, phone: '+79990005050', text: 'Привет' },
			options: { testRun: { values: { phone } } },
		};
		expect((await run({ parameters })).error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	test('an option without values sends nothing', async () => {
		for (const testRun of [{}, { values: {} }, '', null]) {
			const parameters = { ...send, options: { testRun } } as INodeParameters;
			await run({ items: lettersFor(service, 2), parameters });
		}
		expect(service.requests).toEqual([]);
	});
});
