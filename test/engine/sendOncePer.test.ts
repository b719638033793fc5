import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	addContact,
	addContacts,
	SEEDED,
	type Contact,
	type Fault,
	type Messenger,
} from '../../sandbox/emulator';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { callAsTool, hintsOf, until, type RunOptions } from './harness';
import { faults } from './faults';
import { refusal } from './messages';
import {
	all,
	came,
	countOf,
	goingOn,
	onceSideBySide,
	send,
	sendToWhatsApp,
	standing,
	withOnce,
	type Came,
	type OnceScene,
} from './once';

/*
 * The promises of 'Send Once Per', through the real engine: with one value, a recipient gets at most one message, whatever is run
 * again. The emulator records the deliveries, and a store like n8n's keeps the entries. sendOncePerStore.test.ts covers failures of
 * that store and processes that share it.
 */

describe('recipients who have the message are skipped', () => {
	const test = onceSideBySide();

	test('a repeated run sends nothing, and marks every item as already sent', async ({
		service,
		inStopMode,
		letters,
	}) => {
		const items = letters(12);
		expect((await inStopMode({ items })).json).toEqual(items.map(() => ({ success: true })));
		const again = await inStopMode({ items });
		expect(again.error).toBeUndefined();
		expect(again.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
		expect(service.requests).toHaveLength(12);
	});

	test('a recipient who has the message is skipped with any text, order of items or token', async ({
		service,
		run,
		credential,
		anotherToken,
		letters,
	}) => {
		const items = letters(6);
		await run({ items });
		const again = items.map((item) => ({ ...item, text: 'Другой текст' })).reverse();
		const { json } = await run({
			items: [...again, ...letters(1)],
			credential: credential({ token: anotherToken(), tokenPlacement: 'bearer' }),
		});
		expect(json.map((row) => row.alreadySent === true)).toEqual([...items.map(() => true), false]);
		expect(service.deliveries()).toHaveLength(7);
	});

	test.each<[string, INodeParameters, (person: ReturnType<OnceScene['numbers']>[number]) => string[]]>([
		['a contact', send, ({ id }) => [String(id), ` ${id} `]],
		[
			'a person in a messenger',
			{
				...send,
				recipient: 'externalId',
				messenger: 'whatsapp',
				botId: '101',
				externalId: '={{ $json.id }}',
			},
			({ phone }) => [phone, `+${phone}`, ` +${phone.slice(0, 1)} (${phone.slice(1, 4)}) ${phone.slice(4)}`],
		],
		[
			'a phone number',
			{ ...sendToWhatsApp, botId: '101', phone: '={{ $json.id }}' },
			({ phone }) => [phone, `+${phone}`, `${phone.slice(0, 1)} ${phone.slice(1, 4)}-${phone.slice(4)}`],
		],
	])(
		'%s is one recipient in any spelling, in one run and in the next',
		async ({ run, numbers, howOften }, _name, parameters, spellings) => {
			const [person] = numbers(1);
			const items = spellings(person!).map((id) => ({ id, text: 'Добрый день' }));
			const first = await run({ parameters, items });
			expect(came(first)).toEqual(['sent', ...all(items.length - 1, 'skipped')]);
			expect(came(await run({ parameters, items }))).toEqual(all(items.length, 'skipped'));
			expect(howOften([person!])).toEqual([1]);
		},
	);

	test('a recipient who occurs several times in one run gets one message, and the others are not delayed', async ({
		inStopMode,
		letters,
		howOften,
	}) => {
		const people = letters(5);
		const items = Array.from({ length: 20 }, (_, index) => people[index % 5]!);
		const result = await inStopMode({ items });
		expect(result.error).toBeUndefined();
		expect(came(result)).toEqual([...all(5, 'sent'), ...all(15, 'skipped')]);
		expect(howOften(people)).toEqual([1, 1, 1, 1, 1]);
	});

	test('the execution hint counts recipients who were skipped and who are in doubt', async ({
		service,
		run,
		letters,
	}) => {
		const items = letters(4);
		service.faults.add({ kind: 'reset', match: { recipient: items[1]!.id } });
		await run({ items: items.slice(0, 3) });
		const [hint] = hintsOf(await run({ items }));
		expect(hint).toBe(
			'Of 4 items, 3 were done, 1 failed and 0 were not sent. 2 were skipped: the message was sent before. ' +
				'The outcome of 1 of the others is unknown. Check them in the service before you retry.',
		);
	});
});

/** Ways to address a recipient by phone number. */
const byNumber: Array<[string, Messenger, INodeParameters]> = [
	...(['vk', 'telegram', 'whatsapp'] as const).map((messenger): [string, Messenger, INodeParameters] => [
		`a person in ${messenger}`,
		messenger,
		{
			...send,
			recipient: 'externalId',
			messenger,
			botId: '={{ $json.botId }}',
			externalId: '={{ $json.phone }}',
		},
	]),
	['a WhatsApp number', 'whatsapp', { ...sendToWhatsApp, contactName: 'Анна Смирнова' }],
];

const apart: Array<[string, string, string]> = [
	['the code of another country', '+89161234567', '+79161234567'],
	['the same digits with a plus', '+84951234567', '84951234567'],
	['ten digits', '9161234567', '+79161234567'],
	['another country', '+380441234567', '80441234567'],
];

describe('a phone number', () => {
	const test = onceSideBySide();

	/** One item for each spelling of a phone number. */
	const lettersTo = (botId: number, phones: string[]) =>
		phones.map((phone, index) => ({ botId, phone, text: `Письмо ${index}` }));

	/** A person in the service, and spellings of the number. */
	function newPerson({ service }: OnceScene, messenger: Messenger) {
		const [{ id, botId, phone }] = addContacts(service.data, 1, { messenger }) as [Contact];
		const [code, rest] = [phone!.slice(1, 4), phone!.slice(4)];
		return {
			person: { id },
			botId,
			spellings: [`8${code}${rest}`, `+7 (${code}) ${rest}`, phone!, `8-${code}-${rest}`],
		};
	}

	/** People whom the service knows only by these numbers. */
	function newPeople({ service }: OnceScene, messenger: Messenger, phones: string[]) {
		const botId = SEEDED.bots.school;
		for (const externalId of phones)
			addContact(service.data, { botId, messenger, name: 'Иван', externalId, phone: '' });
		return lettersTo(botId, phones);
	}

	test.each(byNumber)(
		'of %s identifies one recipient with 8 and with +7, in one run and in the next',
		async (scene, _name, messenger, parameters) => {
			const { person, botId, spellings } = newPerson(scene, messenger);
			const items = lettersTo(botId, spellings);
			const { run, howOften } = scene;
			expect(came(await run({ parameters, items }))).toEqual(['sent', ...all(items.length - 1, 'skipped')]);
			for (const item of items) expect(came(await run({ parameters, items: [item] }))).toEqual(['skipped']);
			expect(howOften([person])).toEqual([1]);
		},
	);

	type Apart = [
		name: string,
		why: string,
		messenger: Messenger,
		parameters: INodeParameters,
		phones: string[],
	];

	test.each(
		byNumber.flatMap(([name, ...by]) => apart.map(([why, ...phones]): Apart => [name, why, ...by, phones])),
	)(
		'of %s is not confused with another number: %s',
		async (scene, _name, _why, messenger, parameters, phones) => {
			const { service, run } = scene;
			const items = newPeople(scene, messenger, phones);
			expect(came(await run({ parameters, items }))).toEqual(['sent', 'sent']);
			expect(came(await run({ parameters, items }))).toEqual(['skipped', 'skipped']);
			expect(
				service
					.deliveries()
					.map(({ recipient }) => recipient)
					.sort(),
			).toEqual([...phones].sort());
		},
	);

	/** Recipients for whom the service accepts more than one message within seconds. */
	const fast = byNumber.filter(([name]) => name !== 'a person in whatsapp');

	/** The times of two messages. Their answers take longer than the second message would wait for a limit. */
	async function twoLetters({ service, run }: OnceScene, parameters: INodeParameters, items: IDataObject[]) {
		service.faults.add({ kind: 'delay', ms: 1800 });
		const result = await run({ parameters: { ...parameters, options: {} }, items });
		expect(came(result)).toEqual(['sent', 'sent']);
		return service.requests.map(({ input, arrivedAt, answeredAt }) => ({
			text: input.text,
			arrivedAt,
			answeredAt: answeredAt!,
		}));
	}

	test.each(fast)(
		'of %s keeps the order of its messages, with 8 and with +7',
		async (scene, _name, messenger, parameters) => {
			const { botId, spellings } = newPerson(scene, messenger);
			const [first, second] = await twoLetters(scene, parameters, lettersTo(botId, spellings.slice(0, 2)));
			expect([first!.text, second!.text]).toEqual(['Письмо 0', 'Письмо 1']);
			expect(second!.arrivedAt).toBeGreaterThanOrEqual(first!.answeredAt);
		},
	);

	test.each(fast)('of %s does not delay another recipient', async (scene, _name, messenger, parameters) => {
		const items = newPeople(scene, messenger, ['+84951234567', '84951234567']);
		const [first, second] = await twoLetters(scene, parameters, items);
		expect(second!.arrivedAt).toBeLessThan(first!.answeredAt);
	});

	test('is never recognized in the ID of a contact', async (scene) => {
		const { service, run } = scene;
		const [contact] = addContacts(service.data, 1) as [Contact];
		const people = [81234567890, 71234567890].map((id) => ({ id, text: 'Добрый день' }));
		for (const { id } of people) service.data.contacts.set(id, { ...contact, id });
		const [first, second] = await twoLetters(scene, send, people);
		expect(second!.arrivedAt).toBeLessThan(first!.answeredAt);
		service.faults.clear();
		expect(came(await run({ items: people }))).toEqual(['sent', 'sent']);
		expect(came(await run({ items: people }))).toEqual(['skipped', 'skipped']);
	});
});

describe("a value of 'Send Once Per'", () => {
	const test = onceSideBySide();

	test("each value of 'Send Once Per' stands for one message, which is sent once", async ({
		run,
		letters,
		howOften,
	}) => {
		const [item] = letters(1);
		const orders = ['заказ 1', 'заказ 2', 'заказ 1'].map((order) => ({ ...item!, order }));
		const parameters = { ...send, ...withOnce('={{ $json.order }}') };
		const result = await run({ parameters, items: orders });
		expect(came(result)).toEqual(['sent', 'sent', 'skipped']);
		expect(came(await run({ parameters, items: orders }))).toEqual(all(3, 'skipped'));
		expect(howOften([item!])).toEqual([2]);
	});

	test.each(['', '={{ "" }}', '={{ "  " }}'])(
		"an empty value of 'Send Once Per' (%j) has no effect and needs no store",
		async ({ run, letters, howOften, deduplication }, value) => {
			const items = letters(2);
			const parameters = { ...send, ...withOnce(value) };
			for (const store of [deduplication, deduplication, null])
				expect(came(await run({ parameters, items, deduplication: store }))).toEqual(['sent', 'sent']);
			expect(howOften(items)).toEqual([3, 3]);
		},
	);

	test.each(['null', 'undefined', '$json.nothing'])(
		"a value of 'Send Once Per' that evaluates to %s is refused before anything is sent",
		async ({ service, run, inStopMode, letters, howOften }, code) => {
			const items = letters(3);
			const parameters = { ...send, ...withOnce(`={{ $itemIndex === 1 ? ${code} : 'осень' }}`) };
			const { error } = await inStopMode({ parameters, items });
			expect(error?.message).toBe("'Send Once Per' has no value [Item 1]");
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(items)).toEqual([1, 0, 1]);
		},
	);

	test("items without a value of 'Send Once Per' are sent every time", async ({ run, letters, howOften }) => {
		const items = letters(4);
		const parameters = { ...send, ...withOnce("={{ $itemIndex % 2 ? 'осень' : '' }}") };
		expect(came(await run({ parameters, items }))).toEqual(all(4, 'sent'));
		expect(came(await run({ parameters, items }))).toEqual(['sent', 'skipped', 'sent', 'skipped']);
		expect(howOften(items)).toEqual([2, 1, 2, 1]);
	});

	test('every node and every workflow keeps its own list of recipients with a message', async ({
		run,
		letters,
	}) => {
		const items = letters(2);
		await run({ items });
		expect(came(await run({ items, node: { ...goingOn, id: 'another' } }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items, workflowId: 'another' }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items }))).toEqual(all(2, 'skipped'));
	});

	test('the store receives only digests, without tokens, texts or phone numbers', async (scene) => {
		const { service, run, letters, numbers } = scene;
		const people = numbers(3);
		await run({ items: people });
		await run({ items: people.slice(0, 1), parameters: sendToWhatsApp });
		service.faults.add({ kind: 'server error' });
		await run({ items: letters(1) });
		const values = scene.deduplication.calls.flatMap((call) => call.values);
		expect(values.length).toBeGreaterThan(10);
		for (const value of values)
			expect(value).toMatch(/^(open|(sent|doubt) [\w-]{32}|ticket [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/);
		const stored = JSON.stringify([values, [...scene.deduplication.snapshot()]]);
		for (const secret of [service.token, 'Письмо', 'осень', people[0]!.phone, String(people[0]!.id)])
			expect(stored).not.toContain(secret);
	});
});

describe('when n8n cannot store recipients', () => {
	const test = onceSideBySide();

	test.each<[string, Partial<RunOptions>]>([
		['a workflow that was never saved', { workflowId: null }],
		['an n8n without the store', { deduplication: null }],
	])(
		"in %s an item with a value of 'Send Once Per' is refused before anything is sent",
		async ({ service, run, inStopMode, letters, howOften }, _name, options) => {
			const items = letters(3);
			const parameters = { ...send, ...withOnce("={{ $itemIndex === 1 ? 'осень' : '' }}") };
			const { error } = await inStopMode({ parameters, items, ...options });
			expect(error?.message).toBe(
				"'Send Once Per' is not available here: n8n cannot store who received a message [Item 1]",
			);
			expect(error?.description).toMatch(/Save the workflow.*leave 'Send Once Per' empty/);
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items, ...options }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(items)).toEqual([1, 0, 1]);
		},
	);

	test('an agent that calls the node by itself is told that Send Once Per is not available, and nothing leaves', async ({
		service,
		credential,
		letters,
	}) => {
		const [item] = letters(1);
		const parameters = { ...send, contactId: String(item!.id), text: 'Добрый день' };
		const answers = await callAsTool({ parameters, credential: credential() }, [{ arguments: {} }]);
		expect(JSON.stringify(answers)).toContain("'Send Once Per' is not available here");
		expect(service.requests).toEqual([]);
	});

	// A workflow given as JSON may have nodes without IDs, which would share their entries in the store.
	test('a node without an ID refuses Send Once Per, and nothing is sent', async ({
		service,
		run,
		letters,
	}) => {
		const parameters = { ...send, ...withOnce('осень') };
		const { error } = await run({ parameters, items: letters(1), node: { id: '' } });
		expect(error?.message).toMatch(/^'Send Once Per' is not available here/);
		expect(service.requests).toEqual([]);
	});

	test('when the store fails before the run, every item is refused and nothing is sent', async (scene) => {
		const { service, run, letters } = scene;
		for (const call of [1, 2, 3]) scene.deduplication.failAt({ call, when: 'before' });
		const items = letters(2);
		const result = await run({ items });
		expect(came(result)).toEqual(all(2, 'failed'));
		expect(result.json[0]!.message).toContain('database is locked');
		expect(service.requests).toEqual([]);
		expect(came(await run({ items }))).toEqual(all(2, 'sent'));
	});
});

type Claim = 'sent' | 'released' | 'in doubt';
type Met = [
	what: string,
	claim: Claim,
	faults: Fault[],
	credential?: (service: OnceScene['service']) => object,
];

/** The result for the claim of a message, by faults of the service or of the credential. */
const claims: Met[] = [
	['an answer at once', 'sent', []],
	['a slow answer', 'sent', [{ kind: 'delay', ms: 300, when: 'after' }]],
	['an answer without a body', 'sent', [{ kind: 'empty' }]],
	['a short wait for the limit', 'sent', [{ kind: 'too many', retryAfter: 1, match: { times: 1 } }]],
	['maintenance that ends', 'sent', [{ kind: 'maintenance', retryAfter: 1, match: { times: 1 } }]],
	["PHP's warning before the answer", 'sent', [{ kind: 'php warning' }]],
	['a 401', 'released', [{ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } }]],
	['a wrong token', 'released', [], () => ({ token: 'wrong-token' })],
	['a 404', 'released', [{ kind: 'answer', status: 404, body: { message: 'Контакт не найден' } }]],
	['a request that is too long', 'released', [{ kind: 'answer', status: 414, body: '' }]],
	['no connection', 'released', [], () => ({ baseUrl: 'http://127.0.0.1:1' })],
	['a server without https', 'released', [], ({ url }) => ({ baseUrl: url.replace('http:', 'https:') })],
	...faults.flatMap(([name, { fault, beside, isUnknown, onlyForReading }]): Met[] => {
		if (onlyForReading) return [];
		if (!isUnknown) return [[name, 'released', [beside ?? [], fault].flat()]];
		return (['before', 'after'] as const).map((when) => [
			`${name} ${when} it was done`,
			'in doubt',
			[{ ...fault, when }],
		]);
	}),
];

describe('claims', () => {
	const test = onceSideBySide();

	const operations = [
		{ name: 'message/send', parameters: send, path: 'sendMessage' },
		{ name: 'message/sendToWhatsApp', parameters: sendToWhatsApp, path: 'sendMessageToWhatsApp' },
	];

	test.each(claims)('after %s, the claim of a message is %s', async (scene, ...met) => {
		const { service, run, credential, anotherToken, numbers, howOften } = scene;
		const [, claim, faults, changes = () => ({})] = met;
		const requestOptions = faults.some(({ kind }) => kind === 'timeout') ? { timeout: 1500 } : {};
		for (const fault of faults)
			for (const { path } of operations) service.faults.add({ ...fault, match: { ...fault.match, path } });
		const outcomes = operations.map(async ({ name, parameters }) => {
			const [person] = numbers(1);
			const node = { ...goingOn, id: name };
			const options = { items: [person!], node, parameters };
			const first = await run({
				...options,
				parameters: { ...parameters, requestOptions },
				credential: credential({ token: anotherToken(), ...changes(service) }),
			});
			expect([name, came(first)]).toEqual([name, [claim === 'sent' ? 'sent' : 'failed']]);
			expect([name, standing(scene.deduplication, { workflowId: scene.workflowId, nodeId: name })]).toEqual([
				name,
				{ sent: claim === 'sent' ? 1 : 0, inDoubt: claim === 'in doubt' ? 1 : 0 },
			]);
			return { name, options, person: person!, delivered: howOften([person!])[0]! };
		});
		const runs = await Promise.all(outcomes);
		service.faults.clear();
		const asked = service.requests.length;
		const again = { sent: 'skipped', released: 'sent', 'in doubt': 'in doubt' }[claim] as Came;
		for (const { name, options, person, delivered } of runs) {
			const next = async () =>
				came(await run({ ...options, credential: credential({ token: anotherToken() }) }));
			expect([name, await next()]).toEqual([name, [again]]);
			expect([name, howOften([person])]).toEqual([name, [claim === 'released' ? 1 : delivered]]);
			expect([name, await next()]).toEqual([name, [again === 'sent' ? 'skipped' : again]]);
		}
		expect(service.requests.length - asked).toBe(claim === 'released' ? 2 : 0);
	});

	test('an item is not claimed when its values are not valid', async ({
		run,
		inStopMode,
		letters,
		standing,
	}) => {
		const items = letters(3);
		const wrong = items.map((item, index) => (index === 1 ? { ...item, text: '' } : item));
		await inStopMode({ items: wrong });
		expect(standing()).toEqual({ sent: 0, inDoubt: 0 });
		expect(came(await run({ items: wrong }))).toEqual(['sent', 'failed', 'sent']);
		expect(came(await run({ items }))).toEqual(['skipped', 'sent', 'skipped']);
	});

	test('a message in doubt remains in doubt, and the error of each later run says what to do', async ({
		service,
		run,
		inStopMode,
		letters,
		howOften,
	}) => {
		const [item] = letters(1);
		service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
		await run({ items: [item!] });
		for (let time = 0; time < 3; time++) {
			const { error } = await inStopMode({ items: [item!] });
			expect(error?.message).toBe(
				'This message may have been sent already, so it was not sent again [Item 0]',
			);
			expect(error?.description).toMatch(/Check the chat first\. .*another value of 'Send Once Per'\.$/);
		}
		expect(howOften([item!])).toEqual([1]);
		// The advice of the error works.
		expect(came(await run({ items: [item!], parameters: { ...send, ...withOnce('осень 2') } }))).toEqual([
			'sent',
		]);
	});
});

describe('when a run stops at the first failure', () => {
	const test = onceSideBySide();

	test('recipients in doubt after an earlier run do not stop the others, and the final error names one', async ({
		service,
		run,
		inStopMode,
		letters,
		howOften,
	}) => {
		const items = letters(12);
		for (const { id } of [items[0]!, items[7]!])
			service.faults.add({ kind: 'reset', match: { recipient: id, times: 1 } });
		await run({ items: items.slice(0, 9) });
		const { error } = await inStopMode({ items });
		expect(error?.message).toBe('This message may have been sent already, so it was not sent again [Item 0]');
		expect(error?.context?.itemIndex).toBe(0);
		expect(error?.description).toContain('Of 12 items, 10 were done, 2 failed and 0 were not sent');
		expect(howOften(items)).toEqual(items.map((_, index) => (index === 0 || index === 7 ? 0 : 1)));
	});

	test.each([0, 1, 17, 39])(
		'a run that fails at item %d releases recipients without a message, and the next run sends to them',
		async ({ service, run, inStopMode, letters, standing, howOften, expectEachOnce }, place) => {
			const items = letters(40);
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			service.faults.add({ ...refusal, match: { recipient: items[place]!.id } });
			const { error } = await inStopMode({ items });
			expect(error?.message).toContain(`[Item ${place}]`);
			const delivered = howOften(items);
			expect(standing()).toEqual({ sent: countOf(delivered, 1), inDoubt: 0 });
			service.faults.clear();
			const next = await run({ items });
			expect(came(next)).toEqual(delivered.map((count) => (count ? 'skipped' : 'sent')));
			expectEachOnce(items);
		},
	);

	test('a run that fails with an unknown outcome leaves one recipient in doubt and releases the rest', async ({
		service,
		inStopMode,
		letters,
		standing,
		howOften,
	}) => {
		const items = letters(40);
		service.faults.add({ kind: 'delay', ms: [0, 20] });
		service.faults.add({ kind: 'server error', match: { recipient: items[9]!.id } });
		const { error } = await inStopMode({ items });
		expect(error?.message).toContain('[Item 9]');
		expect(standing().inDoubt).toBe(1);
		service.faults.clear();
		expect((await inStopMode({ items })).error?.message).toContain('[Item 9]');
		expect(howOften(items)).toEqual(items.map((_, index) => (index === 9 ? 0 : 1)));
	});

	test("Batching works with 'Send Once Per': the next run sends what was refused, and nothing is sent twice", async ({
		service,
		inStopMode,
		letters,
		standing,
		expectEachOnce,
	}) => {
		const items = letters(12);
		const requestOptions = { batching: { batch: { batchSize: 5, batchInterval: 50 } } };
		const parameters = { ...send, requestOptions };
		service.faults.add({ ...refusal, match: { recipient: items[6]!.id, times: 1 } });
		await inStopMode({ parameters, items });
		expect(standing().inDoubt).toBe(0);
		expect((await inStopMode({ parameters, items })).error).toBeUndefined();
		expectEachOnce(items);
	});
});

describe("Retry On Fail with 'Send Once Per'", () => {
	const test = onceSideBySide();

	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

	test('Retry On Fail sends refused messages again, and nobody gets two', async ({
		service,
		run,
		letters,
		standing,
		expectEachOnce,
	}) => {
		const items = letters(30);
		service.faults.add({ ...refusal, match: { recipient: items[12]!.id, times: 2 } });
		const { error, json } = await run({ items, node: retrying });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(30);
		expectEachOnce(items);
		expect(standing()).toEqual({ sent: 30, inDoubt: 0 });
	});

	test('Retry On Fail leaves recipients in doubt unchanged', async ({
		service,
		run,
		letters,
		howOften,
		requestsTo,
	}) => {
		const items = letters(5);
		service.faults.add({ kind: 'reset', when: 'after', match: { recipient: items[2]!.id } });
		const { error } = await run({ items, node: retrying });
		expect(error?.message).toContain('[Item 2]');
		expect(howOften(items)).toEqual([1, 1, 1, 1, 1]);
		expect(requestsTo(items[2]!)).toHaveLength(1);
		expect(came(await run({ items }))).toEqual(['skipped', 'skipped', 'in doubt', 'skipped', 'skipped']);
	});
});

describe('concurrent runs', () => {
	const test = onceSideBySide();

	test.each([0, 40])(
		'two concurrent runs with the same recipients send to each once (store calls of %d ms)',
		async (scene, delayMs) => {
			const { service, inStopMode, letters, standing, expectEachOnce } = scene;
			scene.deduplication = new MemoryDeduplicator({ delayMs });
			service.faults.add({ kind: 'delay', ms: [0, 30] });
			const items = letters(80);
			const results = await Promise.all([inStopMode({ items }), inStopMode({ items: [...items].reverse() })]);
			expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
			expectEachOnce(items);
			const both = results.flatMap(came);
			expect([countOf(both, 'sent'), countOf(both, 'skipped')]).toEqual([80, 80]);
			expect(standing()).toEqual({ sent: 80, inDoubt: 0 });
		},
	);

	test('two concurrent runs with the same recipients share the rate limit of the account, and both end', async ({
		service,
		inStopMode,
		credential,
		letters,
		expectEachOnce,
	}) => {
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		const items = letters(10);
		const paced = credential({ requestsPerSecond: 5 });
		const results = await Promise.all([
			inStopMode({ items, credential: paced }),
			inStopMode({ items: [...items].reverse(), credential: paced }),
		]);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expectEachOnce(items);
	});

	test('the second of two runs sends what the first was refused, and reports what the first left in doubt', async ({
		service,
		run,
		letters,
		howOften,
	}) => {
		const [refused, doubted, good] = letters(3);
		service.faults.add({ kind: 'delay', ms: 100 });
		service.faults.add({ ...refusal, match: { recipient: refused!.id, times: 1 } });
		service.faults.add({ kind: 'reset', when: 'after', match: { recipient: doubted!.id, times: 1 } });
		const items = [refused!, doubted!, good!];
		const results = (await Promise.all([run({ items }), run({ items })])).map(came);
		expect(results.map((result) => result[0]).sort()).toEqual(['failed', 'sent']);
		expect(results.map((result) => result[1]).sort()).toEqual(['failed', 'in doubt']);
		expect(results.map((result) => result[2]).sort()).toEqual(['sent', 'skipped']);
		expect(howOften(items)).toEqual([1, 1, 1]);
	});

	test('a failed run does not keep other runs with the same recipients from ending', async ({
		service,
		run,
		inStopMode,
		letters,
		standing,
		expectEachOnce,
	}) => {
		const items = letters(60);
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		service.faults.add({ ...refusal, match: { recipient: items[20]!.id, times: 1 } });
		const results = await Promise.all([
			inStopMode({ items }),
			run({ items: [...items].reverse() }),
			run({ items }),
		]);
		expectEachOnce(items);
		expect(standing()).toEqual({ sent: 60, inDoubt: 0 });
		expect(countOf(results.flatMap(came), 'in doubt')).toBe(0);
	});
});

describe('a run that the user stops', () => {
	const test = onceSideBySide();

	test.each([5, 30, 70])(
		'a run that the user stops after %d messages releases recipients without a message, and the next run sends to them',
		async ({ service, run, stoppableRun, letters, standing, howOften, requestsTo }, after) => {
			const items = letters(100);
			service.faults.add({ kind: 'delay', ms: [5, 40] });
			const { ended, stop } = stoppableRun({ items, node: {} });
			await until(() => service.requests.length >= after);
			stop();
			expect((await ended).run.status).toBe('canceled');
			service.faults.clear();
			const next = came(await run({ items }));
			const counts = howOften(items);
			expect(Math.max(...counts)).toBe(1);
			// At most the requests in transit.
			expect(countOf(next, 'in doubt')).toBeLessThanOrEqual(10);
			for (const [index, each] of next.entries()) {
				if (each !== 'in doubt') expect([index, each, counts[index]]).toEqual([index, each, 1]);
				else expect(requestsTo(items[index]!).length).toBeLessThanOrEqual(1);
			}
			expect(countOf(next, 'failed')).toBe(0);
			expect(standing().inDoubt).toBe(countOf(next, 'in doubt'));
		},
	);

	test('a run that the user stops while it claims releases everybody', async (scene) => {
		const { run, stoppableRun, letters, expectEachOnce } = scene;
		scene.deduplication = new MemoryDeduplicator({ delayMs: 50 });
		const items = letters(20);
		const { ended, stop } = stoppableRun({ items, node: {} });
		await until(() => scene.deduplication.calls.length === 2);
		stop();
		expect((await ended).run.status).toBe('canceled');
		expect(came(await run({ items }))).toEqual(all(20, 'sent'));
		expectEachOnce(items);
	});

	test('a stopped run with a rate limit leaves nobody in doubt whose message was not sent', async ({
		service,
		run,
		stoppableRun,
		credential,
		letters,
		howOften,
	}) => {
		const items = letters(40);
		const { ended, stop } = stoppableRun({
			items,
			node: {},
			credential: credential({ requestsPerSecond: 5 }),
		});
		await until(() => service.deliveries().length === 5);
		stop();
		await ended;
		const sent = countOf(howOften(items), 1);
		const next = came(await run({ items }));
		expect(countOf(next, 'in doubt') + countOf(next, 'skipped')).toBe(sent);
		expect(Math.max(...howOften(items))).toBe(1);
	});
});

describe("the store of 'Send Once Per'", () => {
	const test = onceSideBySide();

	test.each([0, 10])(
		'1,000 messages need few calls to the store and one entry each (store calls of %d ms)',
		async (scene, delayMs) => {
			const { inStopMode, letters, standing } = scene;
			scene.deduplication = new MemoryDeduplicator({ delayMs });
			const count = 1000;
			const items = letters(count);
			expect((await inStopMode({ items })).error).toBeUndefined();
			// One call to open the table, then for at least 12 messages one call to look up and one to record the previous ones.
			expect(scene.deduplication.calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(count / 12));
			expect(scene.deduplication.entries(scene.ids)).toBe(count + 1);
			expect(standing()).toEqual({ sent: count, inDoubt: 0 });
			// Two entries for each of 200 claimed recipients, one for each recipient of the previous call, and some tickets.
			for (const { values } of scene.deduplication.calls)
				expect(values.length).toBeLessThanOrEqual(3 * 200 + 20);

			const before = scene.deduplication.calls.length;
			expect(came(await inStopMode({ items }))).toEqual(all(count, 'skipped'));
			// At most 200 at once, and fewer at first.
			expect(scene.deduplication.calls.length - before).toBeLessThanOrEqual(1 + 2 * Math.ceil(count / 40));
			expect(scene.deduplication.entries(scene.ids)).toBe(count + 1);
		},
	);

	test('with more than 100,000 entries, the store drops the oldest and keeps the newest', async (scene) => {
		const { run, letters } = scene;
		const [oldest, ...newer] = letters(4);
		await run({ items: [oldest!] });
		const row = JSON.parse([...scene.deduplication.snapshot().values()][0]!) as {
			mode: string;
			data: string[];
		};
		const younger = new MemoryDeduplicator();
		younger.prefill(scene.ids, 99_999);
		const [[key, text]] = [...younger.snapshot()] as [[string, string]];
		const { data } = JSON.parse(text) as { data: string[] };
		scene.deduplication = new MemoryDeduplicator({
			stored: new Map([[key, JSON.stringify({ ...row, data: [...row.data, ...data] })]]),
		});
		expect(came(await run({ items: newer }))).toEqual(all(3, 'sent'));
		expect(scene.deduplication.entries(scene.ids)).toBeLessThanOrEqual(100_000);
		expect(came(await run({ items: newer }))).toEqual(all(3, 'skipped'));
		expect(came(await run({ items: [oldest!] }))).toEqual(['sent']);
	});
});
