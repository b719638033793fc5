import type { INodeParameters } from 'n8n-workflow';

import { addContacts, type Fault } from '../../sandbox/service';
import { usualIds } from '../../sandbox/workflow';
import {
	MemoryDeduplicator,
	type DeduplicationMoment,
	type ProcessedData,
} from '../../sandbox/workflow/deduplication';
import {
	callAsTool,
	credentialFor,
	hintsOf,
	runNode,
	stoppable,
	until,
	useService,
	type RunOptions,
} from './harness';
import { faults } from './faults';
import { lettersFor, refusal, send as sendTo } from './messages';
import { came, howOften, nodeOfNewProcess, standing, type Came } from './once';

/*
 * The promises of 'Send Once Per', through the real engine: under one value a recipient gets at most one message, whatever runs
 * again. What the service has delivered is in its own records, and what n8n remembers in a store as n8n's.
 */

const service = useService();
let deduplication: MemoryDeduplicator;
beforeEach(() => {
	deduplication = new MemoryDeduplicator();
});

const credential = (changes = {}) => credentialFor(service, changes);

let tokens = 0;
/** A token that has a pace of its own, as no other test's. */
function anotherToken() {
	const token = `another-token-${tokens++}`;
	service.data.accounts.push({ token, apiAccess: true });
	return token;
}

const once = (value: string) => ({ options: { sendOncePer: value } });

/** VK has no pace of its own. */
const send: INodeParameters = { ...sendTo, contactMessenger: 'vk', ...once('осень') };

const sendToWhatsApp: INodeParameters = {
	resource: 'message',
	operation: 'sendToWhatsApp',
	botId: '={{ $json.botId }}',
	phone: '={{ $json.phone }}',
	text: '={{ $json.text }}',
	...once('осень'),
};

const letters = (count: number) => lettersFor(service, count);

const numbers = (count: number) =>
	addContacts(service.data, count, { messenger: 'whatsapp' }).map(({ id, botId, phone }, index) => ({
		id,
		botId,
		phone: phone!,
		text: `Письмо ${index}`,
	}));

/** Goes on at failures, so that it shows of every item what came of it. */
const goingOn = { onError: 'continueRegularOutput' } as const;

const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), deduplication, node: goingOn, ...options });

const inStopMode = async (options: Partial<RunOptions>) => await run({ node: {}, ...options });

const stoppableRun = (options: Partial<RunOptions>) =>
	stoppable(async (onStart) => await run({ ...options, onStart }));

/** The same store in a process that has just been started: whatever was to go wrong does no more. */
const restartStore = () => {
	deduplication = new MemoryDeduplicator({ stored: deduplication.snapshot() });
};

const expectEachOnce = (people: Array<{ id: number }>) =>
	expect(howOften(service, people)).toEqual(people.map(() => 1));

const all = (count: number, what: Came): Came[] => Array<Came>(count).fill(what);
const countOf = <T>(list: T[], what: T) => list.filter((each) => each === what).length;
/** Bodies and queries of the requests for one contact. */
const requestsTo = ({ id }: { id: number }) =>
	service.requests.filter(({ input }) => Number(input.contact_id) === id);

describe('whoever has got the message is skipped', () => {
	test('a run that is started again sends nothing, and says of every item that it was sent before', async () => {
		const items = letters(12);
		expect((await inStopMode({ items })).json).toEqual(items.map(() => ({ success: true })));
		const again = await inStopMode({ items });
		expect(again.error).toBeUndefined();
		expect(again.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
		expect(service.requests).toHaveLength(12);
	});

	test('whoever has got the message is skipped, whatever the text, the order of the items and the token', async () => {
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

	test.each<[string, INodeParameters, (person: ReturnType<typeof numbers>[number]) => string[]]>([
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
		async (_name, parameters, spellings) => {
			const [person] = numbers(1);
			const items = spellings(person!).map((id) => ({ id, text: 'Добрый день' }));
			const first = await run({ parameters, items });
			expect(came(first)).toEqual(['sent', ...all(items.length - 1, 'skipped')]);
			expect(came(await run({ parameters, items }))).toEqual(all(items.length, 'skipped'));
			expect(howOften(service, [person!])).toEqual([1]);
		},
	);

	test('a recipient who comes several times in one run is sent to once, and the others are not held up', async () => {
		const people = letters(5);
		const items = Array.from({ length: 20 }, (_, index) => people[index % 5]!);
		const result = await inStopMode({ items });
		expect(result.error).toBeUndefined();
		expect(came(result)).toEqual([...all(5, 'sent'), ...all(15, 'skipped')]);
		expect(howOften(service, people)).toEqual([1, 1, 1, 1, 1]);
	});
});

describe("a value of 'Send Once Per'", () => {
	test("one value of 'Send Once Per' is one message: two values are two messages, each of them once", async () => {
		const [item] = letters(1);
		const orders = ['заказ 1', 'заказ 2', 'заказ 1'].map((order) => ({ ...item!, order }));
		const parameters = { ...send, ...once('={{ $json.order }}') };
		const result = await run({ parameters, items: orders });
		expect(came(result)).toEqual(['sent', 'sent', 'skipped']);
		expect(came(await run({ parameters, items: orders }))).toEqual(all(3, 'skipped'));
		expect(howOften(service, [item!])).toEqual([2]);
	});

	test.each(['', '={{ "" }}', '={{ "  " }}'])(
		"an empty value of 'Send Once Per' (%j) protects nobody, and needs no store",
		async (value) => {
			const items = letters(2);
			const parameters = { ...send, ...once(value) };
			for (const store of [deduplication, deduplication, null])
				expect(came(await run({ parameters, items, deduplication: store }))).toEqual(['sent', 'sent']);
			expect(howOften(service, items)).toEqual([3, 3]);
		},
	);

	test.each(['null', 'undefined', '$json.nothing'])(
		"a value of 'Send Once Per' that comes to %s is refused before anything leaves",
		async (code) => {
			const items = letters(3);
			const parameters = { ...send, ...once(`={{ $itemIndex === 1 ? ${code} : 'осень' }}`) };
			const { error } = await inStopMode({ parameters, items });
			expect(error?.message).toBe("'Send Once Per' has no value [Item 1]");
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(service, items)).toEqual([1, 0, 1]);
		},
	);

	test("items without a value of 'Send Once Per' are sent every time", async () => {
		const items = letters(4);
		const parameters = { ...send, ...once("={{ $itemIndex % 2 ? 'осень' : '' }}") };
		expect(came(await run({ parameters, items }))).toEqual(all(4, 'sent'));
		expect(came(await run({ parameters, items }))).toEqual(['sent', 'skipped', 'sent', 'skipped']);
		expect(howOften(service, items)).toEqual([2, 1, 2, 1]);
	});

	test('every node and every workflow remembers for itself who has got a message', async () => {
		const items = letters(2);
		await run({ items });
		expect(came(await run({ items, node: { ...goingOn, id: 'another' } }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items, workflowId: 'another' }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items }))).toEqual(all(2, 'skipped'));
	});

	test('the store gets only digests, and no token, text or number of anybody', async () => {
		const people = numbers(3);
		await run({ items: people });
		await run({ items: people.slice(0, 1), parameters: sendToWhatsApp });
		service.faults.add({ kind: 'server error' });
		await run({ items: letters(1) });
		const values = deduplication.calls.flatMap((call) => call.values);
		expect(values.length).toBeGreaterThan(10);
		for (const value of values) expect(value).toMatch(/^(open|(sent|doubt) [\w-]{32})$/);
		const stored = JSON.stringify([values, [...deduplication.snapshot()]]);
		for (const secret of [service.token, 'Письмо', 'осень', people[0]!.phone, String(people[0]!.id)])
			expect(stored).not.toContain(secret);
	});
});

describe('where n8n cannot remember', () => {
	test.each<[string, Partial<RunOptions>]>([
		['a workflow that was never saved', { workflowId: null }],
		['an n8n without the store', { deduplication: null }],
	])(
		"in %s an item with a value of 'Send Once Per' is refused before anything leaves",
		async (_name, options) => {
			const items = letters(3);
			const parameters = { ...send, ...once("={{ $itemIndex === 1 ? 'осень' : '' }}") };
			const { error } = await inStopMode({ parameters, items, ...options });
			expect(error?.message).toBe(
				"n8n cannot remember for 'Send Once Per' here who has got a message [Item 1]",
			);
			expect(error?.description).toMatch(/Save the workflow.*leave 'Send Once Per' empty/);
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items, ...options }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(service, items)).toEqual([1, 0, 1]);
		},
	);

	test('an agent that calls the node by itself is told that n8n cannot remember, and nothing leaves', async () => {
		const [item] = letters(1);
		const parameters = { ...send, contactId: String(item!.id), text: 'Добрый день' };
		const answers = await callAsTool({ parameters, credential: credential(), deduplication }, [
			{ arguments: {} },
		]);
		expect(JSON.stringify(answers)).toContain("n8n cannot remember for 'Send Once Per'");
		expect(service.requests).toEqual([]);
	});

	test('where the store fails before the run every item is refused, and nothing leaves', async () => {
		for (const call of [1, 2, 3]) deduplication.failAt({ call, when: 'before' });
		const items = letters(2);
		const result = await run({ items });
		expect(came(result)).toEqual(all(2, 'failed'));
		expect(result.json[0]!.message).toContain('database is locked');
		expect(service.requests).toEqual([]);
		expect(came(await run({ items }))).toEqual(all(2, 'sent'));
	});
});

type Claim = 'sent' | 'released' | 'in doubt';
type Met = [what: string, claim: Claim, faults: Fault[], credential?: () => object];

/** What becomes of the claim of a message, by what it met: faults of the service, or of the credential. */
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
	['a server without https', 'released', [], () => ({ baseUrl: service.url.replace('http:', 'https:') })],
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
	const operations = [
		{ name: 'message/send', parameters: send, path: 'sendMessage' },
		{ name: 'message/sendToWhatsApp', parameters: sendToWhatsApp, path: 'sendMessageToWhatsApp' },
	];

	test.each(claims)('the claim of a message that met %s is %s', async (...met) => {
		const [, claim, faults, changes = () => ({})] = met;
		const requestOptions = faults.some(({ kind }) => kind === 'timeout') ? { timeout: 1500 } : {};
		for (const fault of faults)
			for (const { path } of operations) service.faults.add({ ...fault, match: { ...fault.match, path } });
		const outcomes = operations.map(async ({ name, parameters }) => {
			const [person] = numbers(1);
			const node = { ...goingOn, id: name };
			const ids = { ...usualIds, nodeId: name };
			const options = { items: [person!], node, parameters };
			const first = await run({
				...options,
				parameters: { ...parameters, requestOptions },
				credential: credential({ token: anotherToken(), ...changes() }),
			});
			expect([name, came(first)]).toEqual([name, [claim === 'sent' ? 'sent' : 'failed']]);
			expect([name, standing(deduplication, ids)]).toEqual([
				name,
				{ sent: claim === 'released' ? 0 : 1, inDoubt: claim === 'in doubt' ? 1 : 0 },
			]);
			return { name, options, person: person!, delivered: howOften(service, [person!])[0]! };
		});
		const runs = await Promise.all(outcomes);
		service.faults.clear();
		const asked = service.requests.length;
		const again = { sent: 'skipped', released: 'sent', 'in doubt': 'in doubt' }[claim] as Came;
		for (const { name, options, person, delivered } of runs) {
			const next = async () =>
				came(await run({ ...options, credential: credential({ token: anotherToken() }) }));
			expect([name, await next()]).toEqual([name, [again]]);
			expect([name, howOften(service, [person])]).toEqual([name, [claim === 'released' ? 1 : delivered]]);
			expect([name, await next()]).toEqual([name, [again === 'sent' ? 'skipped' : again]]);
		}
		expect(service.requests.length - asked).toBe(claim === 'released' ? 2 : 0);
	});

	test('no claim is made for an item whose values are wrong', async () => {
		const items = letters(3);
		const wrong = items.map((item, index) => (index === 1 ? { ...item, text: '' } : item));
		await inStopMode({ items: wrong });
		expect(standing(deduplication)).toEqual({ sent: 0, inDoubt: 0 });
		expect(came(await run({ items: wrong }))).toEqual(['sent', 'failed', 'sent']);
		expect(came(await run({ items }))).toEqual(['skipped', 'sent', 'skipped']);
	});

	test('a message in doubt stays so, and whoever runs it again is told what to do', async () => {
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
		expect(howOften(service, [item!])).toEqual([1]);
		// Which is what helps.
		expect(came(await run({ items: [item!], parameters: { ...send, ...once('осень 2') } }))).toEqual([
			'sent',
		]);
	});
});

describe('where a run stops at the first failure', () => {
	test('what an earlier run has left in doubt does not stop the others, and is named in the end', async () => {
		const items = letters(12);
		for (const { id } of [items[0]!, items[7]!])
			service.faults.add({ kind: 'reset', match: { recipient: id, times: 1 } });
		await run({ items: items.slice(0, 9) });
		const { error } = await inStopMode({ items });
		expect(error?.message).toBe('This message may have been sent already, so it was not sent again [Item 0]');
		expect(error?.context?.itemIndex).toBe(0);
		expect(error?.description).toContain('Of 12 items, 10 were done, 2 failed and 0 were not sent');
		expect(howOften(service, items)).toEqual(items.map((_, index) => (index === 0 || index === 7 ? 0 : 1)));
	});

	test.each([0, 1, 17, 39])(
		'a run that fails at item %d releases whom it has not sent to, and the next one sends to them',
		async (place) => {
			const items = letters(40);
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			service.faults.add({ ...refusal, match: { recipient: items[place]!.id } });
			const { error } = await inStopMode({ items });
			expect(error?.message).toContain(`[Item ${place}]`);
			const delivered = howOften(service, items);
			expect(standing(deduplication)).toEqual({ sent: countOf(delivered, 1), inDoubt: 0 });
			service.faults.clear();
			const next = await run({ items });
			expect(came(next)).toEqual(delivered.map((count) => (count ? 'skipped' : 'sent')));
			expectEachOnce(items);
		},
	);

	test('a run that fails with an outcome nobody knows leaves one in doubt and releases the rest', async () => {
		const items = letters(40);
		service.faults.add({ kind: 'delay', ms: [0, 20] });
		service.faults.add({ kind: 'server error', match: { recipient: items[9]!.id } });
		const { error } = await inStopMode({ items });
		expect(error?.message).toContain('[Item 9]');
		expect(standing(deduplication).inDoubt).toBe(1);
		service.faults.clear();
		expect((await inStopMode({ items })).error?.message).toContain('[Item 9]');
		expect(howOften(service, items)).toEqual(items.map((_, index) => (index === 9 ? 0 : 1)));
	});
});

describe("Retry On Fail with 'Send Once Per'", () => {
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

	test('Retry On Fail sends again what was refused, and to nobody twice', async () => {
		const items = letters(30);
		service.faults.add({ ...refusal, match: { recipient: items[12]!.id, times: 2 } });
		const { error, json } = await run({ items, node: retrying });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(30);
		expectEachOnce(items);
		expect(standing(deduplication)).toEqual({ sent: 30, inDoubt: 0 });
	});

	test('Retry On Fail leaves in doubt what is in doubt', async () => {
		const items = letters(5);
		service.faults.add({ kind: 'reset', when: 'after', match: { recipient: items[2]!.id } });
		const { error } = await run({ items, node: retrying });
		expect(error?.message).toContain('[Item 2]');
		expect(howOften(service, items)).toEqual([1, 1, 1, 1, 1]);
		expect(requestsTo(items[2]!)).toHaveLength(1);
		expect(came(await run({ items }))).toEqual(['skipped', 'skipped', 'in doubt', 'skipped', 'skipped']);
	});
});

test("Batching goes together with 'Send Once Per': what was refused is sent by the next run, and nothing twice", async () => {
	const items = letters(12);
	const requestOptions = { batching: { batch: { batchSize: 5, batchInterval: 50 } } };
	const parameters = { ...send, requestOptions };
	service.faults.add({ ...refusal, match: { recipient: items[6]!.id, times: 1 } });
	await inStopMode({ parameters, items });
	expect(standing(deduplication).inDoubt).toBe(0);
	expect((await inStopMode({ parameters, items })).error).toBeUndefined();
	expectEachOnce(items);
});

/** The most recipients of one run who may be claimed while nobody has noted yet what came of them. */
const mostInDoubt = 60;

/** Lets a run die, and runs the same in a new process then, with what is changed there. */
async function runTwice(
	options: Partial<RunOptions> & { items: Array<{ id: number; text: string }> },
	die: (first: MemoryDeduplicator) => void,
	{ delayMs = 0, changes = {} }: { delayMs?: number; changes?: Partial<RunOptions> } = {},
) {
	const first = new MemoryDeduplicator({ delayMs });
	die(first);
	const dying = stoppableRun({ ...options, deduplication: first, nodeType: nodeOfNewProcess() });
	const hasDied = await Promise.race([first.died.then(() => true), dying.ended.then(() => false)]);
	// A dead process sends nothing more; what is on its way, the service may still take.
	dying.stop();
	const stored = first.snapshot();
	const left = standing(first);
	const claimed = new Set(
		first.calls.flatMap(({ values }) => values).filter((value) => String(value).startsWith('doubt ')),
	);
	const second = new MemoryDeduplicator({ stored });
	const result = await run({ ...options, ...changes, deduplication: second, nodeType: nodeOfNewProcess() });
	return { hasDied, left, claimed: claimed.size, came: came(result), second, result };
}

/** What holds after a process has died, whenever it did. */
function expectNobodyTwice(
	context: string,
	items: Array<{ id: number }>,
	{ left, claimed, came, result, second }: Awaited<ReturnType<typeof runTwice>>,
) {
	const counts = howOften(service, items);
	const unprotected = came.flatMap((each, index) =>
		each !== 'in doubt' && counts[index] !== 1 ? [index] : [],
	);
	expect([context, counts.filter((count) => count > 1)]).toEqual([context, []]);
	expect([context, unprotected]).toEqual([context, []]);
	expect([context, result.error]).toEqual([context, undefined]);
	const doubted = countOf(came, 'in doubt');
	expect([context, doubted]).toEqual([context, left.inDoubt]);
	expect([context, countOf(came, 'failed') + countOf(came, 'not sent')]).toEqual([context, 0]);
	expect(doubted).toBeLessThanOrEqual(Math.min(mostInDoubt, claimed));
	// They stay in doubt, and everybody else is known to have got it.
	expect([context, second.entries(usualIds)]).toEqual([context, items.length + 1 + doubted]);
}

describe('a process that dies', () => {
	/** Dies as the service gets a request. */
	const dieAtRequest = (nth: number) => (first: MemoryDeduplicator) => {
		const dieThere = (request: { id: number }) => {
			if (request.id === nth) first.die();
			return false;
		};
		service.faults.add({ kind: 'delay', ms: 0, match: { where: dieThere } });
	};

	test.each<[string, { count: number; requestsPerSecond: number; most: number; delayMs?: number }]>([
		['30 messages without a pace', { count: 30, requestsPerSecond: 0, most: 5 }],
		['100 messages, and a slow store', { count: 100, requestsPerSecond: 0, most: 8, delayMs: 5 }],
		['14 messages at a pace', { count: 14, requestsPerSecond: 5, most: 9 }],
	])(
		'nobody gets a message twice when a process dies at any call to the store (%s)',
		async (_name, { count, requestsPerSecond, most, delayMs }) => {
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			const moments: DeduplicationMoment[] = Array.from({ length: most }, (_, index) => index + 1).flatMap(
				(call) => (['before', 'after'] as const).map((when) => ({ call, when })),
			);
			let died = 0;
			const die = async (moment: DeduplicationMoment) => {
				const items = letters(count);
				const options = { items, credential: credential({ requestsPerSecond }) };
				const twice = await runTwice(options, (first) => first.dieAt(moment), { delayMs });
				if (twice.hasDied) died++;
				return { moment, items, twice };
			};
			const ends = await Promise.all(moments.map(die));
			for (const { moment, items, twice } of ends)
				expectNobodyTwice(`${moment.when} the write of call ${moment.call}`, items, twice);
			// Else the calls that are told to go wrong are not those that are made.
			expect(died).toBeGreaterThanOrEqual(7);
		},
		90_000,
	);

	test.each([1, 4, 11, 25, 60, 110])(
		'nobody gets a message twice when a process dies between the calls, as the service gets request %d',
		async (nth) => {
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			const items = letters(120);
			const twice = await runTwice({ items }, dieAtRequest(nth));
			expect(twice.hasDied).toBe(true);
			expectNobodyTwice(`request ${nth}`, items, twice);
		},
	);

	test('a process that dies before the first claim leaves nobody in doubt', async () => {
		const items = letters(10);
		const twice = await runTwice({ items }, (first) => first.dieAt({ call: 2, when: 'before' }));
		expect(twice.came).toEqual(all(10, 'sent'));
	});

	test('a process that dies in a run at a pace leaves in doubt only those who leave within two seconds', async () => {
		const items = letters(100);
		const paced = { items, credential: credential({ requestsPerSecond: 4 }) };
		// The second run has nothing to wait for.
		const changes = { credential: credential() };
		const twice = await runTwice(paced, dieAtRequest(6), { changes });
		expectNobodyTwice('at a pace', items, twice);
		expect(countOf(twice.came, 'in doubt')).toBeGreaterThan(0);
		// Eight leave within two seconds, and four are under way within one.
		expect(countOf(twice.came, 'in doubt')).toBeLessThanOrEqual(8 + 4);
	});

	test('a process that has died keeps no run in stop mode from sending to the others, and that run names one in doubt', async () => {
		const items = letters(120);
		const node = {};
		const { left, result } = await runTwice({ items, node }, dieAtRequest(30));
		expect(left.inDoubt).toBeGreaterThan(0);
		expect(result.error?.message).toMatch(
			/^This message may have been sent already, so it was not sent again \[Item \d+\]$/,
		);
		const done = 120 - left.inDoubt;
		expect(result.error?.description).toContain(
			`Of 120 items, ${done} were done, ${left.inDoubt} failed and 0 were not sent`,
		);
		const counts = howOften(service, items);
		expect(Math.max(...counts)).toBe(1);
		expect(countOf(counts, 1)).toBeGreaterThanOrEqual(done);
	});

	test('nobody gets a message twice when three processes die one after the other', async () => {
		const items = letters(120);
		service.faults.add({ kind: 'delay', ms: [0, 20] });
		let stored: ProcessedData = new Map();
		for (const call of [5, 6, 4]) {
			const store = new MemoryDeduplicator({ stored });
			store.dieAt({ call, when: 'after' });
			const dying = stoppableRun({ items, deduplication: store, nodeType: nodeOfNewProcess() });
			await Promise.race([store.died, dying.ended]);
			dying.stop();
			stored = store.snapshot();
		}
		const last = await run({
			items,
			deduplication: new MemoryDeduplicator({ stored }),
			nodeType: nodeOfNewProcess(),
		});
		const counts = howOften(service, items);
		expect(Math.max(...counts)).toBe(1);
		for (const [index, each] of came(last).entries())
			if (each !== 'in doubt') expect([index, counts[index]]).toEqual([index, 1]);
		expect(countOf(came(last), 'in doubt')).toBeLessThanOrEqual(3 * mostInDoubt);
	});
});

describe('runs at the same time', () => {
	test.each([0, 40])(
		'two runs at the same time with the same recipients send to each once (a store that takes %d ms)',
		async (delayMs) => {
			deduplication = new MemoryDeduplicator({ delayMs });
			service.faults.add({ kind: 'delay', ms: [0, 30] });
			const items = letters(80);
			const results = await Promise.all([inStopMode({ items }), inStopMode({ items: [...items].reverse() })]);
			expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
			expectEachOnce(items);
			const both = results.flatMap(came);
			expect([countOf(both, 'sent'), countOf(both, 'skipped')]).toEqual([80, 80]);
			expect(standing(deduplication)).toEqual({ sent: 80, inDoubt: 0 });
		},
	);

	test('two runs at the same time with the same recipients share the pace of the account, and both end', async () => {
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

	test('what one of two runs is refused, the other one sends; what it leaves in doubt, the other one names', async () => {
		const [refused, doubted, good] = letters(3);
		service.faults.add({ kind: 'delay', ms: 100 });
		service.faults.add({ ...refusal, match: { recipient: refused!.id, times: 1 } });
		service.faults.add({ kind: 'reset', when: 'after', match: { recipient: doubted!.id, times: 1 } });
		const items = [refused!, doubted!, good!];
		const results = (await Promise.all([run({ items }), run({ items })])).map(came);
		expect(results.map((result) => result[0]).sort()).toEqual(['failed', 'sent']);
		expect(results.map((result) => result[1]).sort()).toEqual(['failed', 'in doubt']);
		expect(results.map((result) => result[2]).sort()).toEqual(['sent', 'skipped']);
		expect(howOften(service, items)).toEqual([1, 1, 1]);
	});

	test('a run that fails does not keep others with the same recipients from ending', async () => {
		const items = letters(60);
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		service.faults.add({ ...refusal, match: { recipient: items[20]!.id, times: 1 } });
		const results = await Promise.all([
			inStopMode({ items }),
			run({ items: [...items].reverse() }),
			run({ items }),
		]);
		expectEachOnce(items);
		expect(standing(deduplication)).toEqual({ sent: 60, inDoubt: 0 });
		expect(countOf(results.flatMap(came), 'in doubt')).toBe(0);
	});
});

describe('a store that fails', () => {
	const always = (first: number, method?: DeduplicationMoment['method']) => {
		for (let call = first; call < first + 100; call++) deduplication.failAt({ call, method, when: 'before' });
	};

	test.each([1, 2, 3, 4, 5, 6])(
		'a store that fails once, at call %d, is asked again, and nothing is lost',
		async (call) => {
			const items = letters(80);
			deduplication.failAt({ call, when: 'before' });
			expect(came(await run({ items }))).toEqual(all(80, 'sent'));
			expect(standing(deduplication)).toEqual({ sent: 80, inDoubt: 0 });
			expect(came(await run({ items }))).toEqual(all(80, 'skipped'));
		},
	);

	test.each([1, 2, 3, 4, 5, 6])(
		'nobody gets a message twice where the store fails once, at call %d, after it has written',
		async (call) => {
			const items = letters(80);
			deduplication.failAt({ call, when: 'after' });
			const first = came(await run({ items }));
			expect(countOf(first, 'sent') + countOf(first, 'in doubt')).toBe(80);
			expect(howOften(service, items)).toEqual(first.map((each) => (each === 'sent' ? 1 : 0)));
			expect(came(await run({ items }))).toEqual(
				first.map((each) => (each === 'sent' ? 'skipped' : 'in doubt')),
			);
			expect(Math.max(...howOften(service, items))).toBe(1);
		},
	);

	test('where the store fails at every claim no message leaves, every item says so, and nobody is claimed', async () => {
		const items = letters(12);
		always(2, 'checkProcessedAndRecord');
		const result = await run({ items });
		expect(came(result)).toEqual(all(12, 'failed'));
		expect(result.json[0]).toMatchObject({
			error: 'n8n could not note this beforehand, so nothing was sent [Item 0]',
			message: expect.stringContaining('database is locked') as string,
		});
		expect(service.requests).toEqual([]);
		restartStore();
		expect(came(await run({ items }))).toEqual(all(12, 'sent'));
	});

	test('a store that fails in the middle of a run in stop mode ends it, and the next run goes on', async () => {
		const items = letters(120);
		always(3, 'checkProcessedAndRecord');
		const { error } = await inStopMode({ items });
		expect(error?.message).toContain('n8n could not note this beforehand');
		const delivered = howOften(service, items);
		expect(countOf(delivered, 1)).toBeGreaterThan(0);
		expect(countOf(delivered, 0)).toBeGreaterThan(0);
		restartStore();
		expect((await run({ items })).error).toBeUndefined();
		expectEachOnce(items);
	});

	test.each(['checkProcessedAndRecord', 'removeProcessed'] as const)(
		'where the store fails for a while nobody is sent to again who had got the message before (%s)',
		async (method) => {
			const [sent, doubted, ...others] = letters(6);
			service.faults.add({ kind: 'reset', when: 'after', match: { recipient: doubted!.id, times: 1 } });
			await run({ items: [sent!, doubted!] });
			const stored = deduplication.snapshot();
			deduplication = new MemoryDeduplicator({ stored });
			for (const call of [2, 3, 4]) deduplication.failAt({ call, method, when: 'before' });
			const items = [sent!, doubted!, ...others];
			await run({ items });
			restartStore();
			expect(came(await run({ items })).slice(0, 2)).toEqual(['skipped', 'in doubt']);
			expectEachOnce(items);
		},
	);

	test('where the store fails at every removal all are left in doubt, and nobody gets a message twice', async () => {
		const items = letters(30);
		always(1, 'removeProcessed');
		expect(came(await run({ items }))).toEqual(all(30, 'sent'));
		restartStore();
		expect(came(await run({ items }))).toEqual(all(30, 'in doubt'));
		expectEachOnce(items);
	});
});

describe('a run that the user stops', () => {
	test.each([5, 30, 70])(
		'a run that the user stops after %d messages releases whom it has not sent to, and the next one completes it',
		async (after) => {
			const items = letters(100);
			service.faults.add({ kind: 'delay', ms: [5, 40] });
			const { ended, stop } = stoppableRun({ items, node: {} });
			await until(() => service.requests.length >= after);
			stop();
			expect((await ended).run.status).toBe('canceled');
			service.faults.clear();
			const next = came(await run({ items }));
			const counts = howOften(service, items);
			expect(Math.max(...counts)).toBe(1);
			// At most those that were on their way.
			expect(countOf(next, 'in doubt')).toBeLessThanOrEqual(10);
			for (const [index, each] of next.entries()) {
				if (each !== 'in doubt') expect([index, each, counts[index]]).toEqual([index, each, 1]);
				else expect(requestsTo(items[index]!).length).toBeLessThanOrEqual(1);
			}
			expect(countOf(next, 'failed')).toBe(0);
			expect(standing(deduplication).inDoubt).toBe(countOf(next, 'in doubt'));
		},
	);

	test('a run that the user stops while it claims releases everybody', async () => {
		deduplication = new MemoryDeduplicator({ delayMs: 50 });
		const items = letters(20);
		const { ended, stop } = stoppableRun({ items, node: {} });
		await until(() => deduplication.calls.length === 2);
		stop();
		expect((await ended).run.status).toBe('canceled');
		expect(came(await run({ items }))).toEqual(all(20, 'sent'));
		expectEachOnce(items);
	});

	test('a run at a pace that the user stops leaves nobody in doubt whose message had not left', async () => {
		const items = letters(40);
		const { ended, stop } = stoppableRun({
			items,
			node: {},
			credential: credential({ requestsPerSecond: 5 }),
		});
		await until(() => service.deliveries().length === 5);
		stop();
		await ended;
		const sent = countOf(howOften(service, items), 1);
		const next = came(await run({ items }));
		expect(countOf(next, 'in doubt') + countOf(next, 'skipped')).toBe(sent);
		expect(Math.max(...howOften(service, items))).toBe(1);
	});
});

describe("the store of 'Send Once Per'", () => {
	test.each([0, 10])(
		'the store is called seldom for 1,000 messages, and keeps one entry of each (it takes %d ms)',
		async (delayMs) => {
			deduplication = new MemoryDeduplicator({ delayMs });
			const count = 1000;
			const items = letters(count);
			expect((await inStopMode({ items })).error).toBeUndefined();
			// To open, then one to look for at least 12 and one to note what came of those before.
			expect(deduplication.calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(count / 12));
			expect(deduplication.entries(usualIds)).toBe(count + 1);
			expect(standing(deduplication)).toEqual({ sent: count, inDoubt: 0 });
			for (const { values } of deduplication.calls) expect(values.length).toBeLessThanOrEqual(160);

			const before = deduplication.calls.length;
			expect(came(await inStopMode({ items }))).toEqual(all(count, 'skipped'));
			// At most 50 at once; those that were found are noted once more.
			expect(deduplication.calls.length - before).toBeLessThanOrEqual(1 + 2 * Math.ceil(count / 40));
			expect(deduplication.entries(usualIds)).toBe(count + 1);
		},
	);

	test('the store forgets the oldest beyond 100,000 entries, and not the newest', async () => {
		const [oldest, ...newer] = letters(4);
		await run({ items: [oldest!] });
		const row = JSON.parse([...deduplication.snapshot().values()][0]!) as { mode: string; data: string[] };
		const younger = new MemoryDeduplicator();
		younger.prefill(usualIds, 99_999);
		const [[key, text]] = [...younger.snapshot()] as [[string, string]];
		const { data } = JSON.parse(text) as { data: string[] };
		deduplication = new MemoryDeduplicator({
			stored: new Map([[key, JSON.stringify({ ...row, data: [...row.data, ...data] })]]),
		});
		expect(came(await run({ items: newer }))).toEqual(all(3, 'sent'));
		expect(deduplication.entries(usualIds)).toBeLessThanOrEqual(100_000);
		expect(came(await run({ items: newer }))).toEqual(all(3, 'skipped'));
		expect(came(await run({ items: [oldest!] }))).toEqual(['sent']);
	});
});

test('the line over the output counts who was skipped and who is in doubt', async () => {
	const items = letters(4);
	service.faults.add({ kind: 'reset', match: { recipient: items[1]!.id } });
	await run({ items: items.slice(0, 3) });
	const [hint] = hintsOf(await run({ items }));
	expect(hint).toBe(
		'Of 4 items, 3 were done, 1 failed and 0 were not sent. 2 were skipped: the message had been sent before. ' +
			'The outcome of 1 of the others is unknown. Check them in the service before you retry.',
	);
});
