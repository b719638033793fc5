import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { addContacts, SEEDED, startEmulator, type Emulator } from '../../sandbox/emulator';
import { filled, properties } from '../description/editor';
import { operationOf, unknownOf } from '../operations';
import {
	credentialFor,
	hintsOf,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { attach, lettersFor, refusal, send } from './messages';
import { sideBySide } from './sideBySide';

/* The promises of the node, through the real engine. Each test fails when its promise is broken. */

const unknownMessage = unknownOf(operationOf('message/send'));
const unknownTag = unknownOf(operationOf('tag/attach'));

const { contacts } = SEEDED;
const texts = (items: Array<{ text: string }>) => items.map(({ text }) => text);

/** A node and an emulator. */
function sceneOf(service: Emulator) {
	const credential = (changes = {}) => credentialFor(service, changes);
	const letters = (count: number) => lettersFor(service, count);
	const run = async (options: Partial<RunOptions>) =>
		await runNode({ parameters: send, credential: credential(), ...options });
	const stoppableRun = (options: Partial<RunOptions>) =>
		stoppable(async (onStart) => await run({ ...options, onStart }));
	return { service, credential, letters, run, stoppableRun };
}

const service = useEmulator();
const { credential, letters, run, stoppableRun } = sceneOf(service);
const delivered = () => service.deliveries().map(({ text }) => text);

const batches = (batchSize: number, batchInterval: number) => ({
	requestOptions: { batching: { batch: { batchSize, batchInterval } } },
});

describe('nothing is sent when something is wrong', () => {
	test('in stop mode one invalid item prevents all requests, and the error names it', async () => {
		const items = letters(10);
		const { error } = await run({
			items: items.map((item, i) => (i === 3 || i === 7 ? { ...item, id: 'нет' } : item)) as never,
		});
		expect(service.requests).toEqual([]);
		expect(error?.message).toContain("'Contact ID'");
		expect(error?.message).toContain('[Item 3]');
		expect(error?.description).toContain('Of 10 items, 0 were done, 2 failed and 8 were not sent');
	});

	test('in stop mode an invalid last item of a thousand prevents all requests', async () => {
		const items = letters(1000);
		items[999]!.id = -1;
		const { error } = await run({ items });
		expect(service.requests).toEqual([]);
		expect(error?.message).toContain('[Item 999]');
	});

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'when On Error continues, only the invalid items are not sent (On Error: %s)',
		async (onError) => {
			const items = letters(6);
			items[0]!.id = items[4]!.id = 0;
			const { outputs } = await run({ items, node: { onError } });
			expect(delivered().sort()).toEqual([1, 2, 3, 5].map((i) => `Письмо ${i}`));
			const failed = (onError === 'continueErrorOutput' ? outputs[1]! : outputs[0]!).filter(
				({ json }) => json.error,
			);
			expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 4 }]);
		},
	);

	const oneBroken: INodeParameters = {
		...send,
		text: "={{ $itemIndex === 5 ? $('Nowhere').item.json.x : $json.text }}",
	};

	test('in stop mode one failing expression prevents all requests, and the error names its item and field', async () => {
		const { error } = await run({ parameters: oneBroken, items: letters(10) });
		expect(service.requests).toEqual([]);
		expect(error?.message).toBe("'Text' cannot be evaluated [Item 5]");
		expect(error?.description).toMatch(/^Correct the expression of 'Text'\. n8n says: ".*exist.*"\./);
		expect(error?.description).toContain('Of 10 items, 0 were done, 1 failed and 9 were not sent');
		expect(error?.context?.itemIndex).toBe(5);
	});

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'an expression that cannot be evaluated fails only its own item (On Error: %s)',
		async (onError) => {
			const items = letters(10);
			const { outputs, error } = await run({ parameters: oneBroken, items, node: { onError } });
			expect(error).toBeUndefined();
			expect(delivered().sort()).toEqual(texts(items.filter((_, index) => index !== 5)).sort());
			const failed = outputs.flat().filter(({ json }) => json.error);
			expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 5 }]);
			expect(failed[0]!.json).toMatchObject({
				error: "'Text' cannot be evaluated [Item 5]",
				message: expect.stringMatching(/n8n says: ".*exist.*"\./) as string,
			});
		},
	);

	test('in stop mode one invalid item prevents all batches, and the error names it', async () => {
		const items = letters(6);
		items[5]!.id = 0;
		const { error } = await run({ parameters: { ...send, ...batches(2, 300) }, items });
		expect(error?.message).toContain('[Item 5]');
		expect(error?.description).toContain('Of 6 items, 0 were done, 1 failed and 5 were not sent');
		await sleep(700);
		expect(service.requests).toEqual([]);
	});

	test.each([
		['Resource is an expression', { resource: '={{ "message" }}' }],
		['Operation is an expression', { operation: '={{ "send" }}' }],
		['Operation is none of the list', { operation: 'shout' }],
	])('a workflow whose %s is refused with an explanation before anything is sent', async (_, changes) => {
		// With an expression, n8n treats every field as shown, and refuses the workflow itself while one of them is empty.
		const all = Object.fromEntries(properties.map((property) => [property.name, filled(property)]));
		const { error } = await run({ parameters: { ...all, ...send, ...changes }, items: letters(2) });
		expect(service.requests).toEqual([]);
		expect(error?.message).toContain("'Resource' and 'Operation'");
		expect(error?.description).toMatch(/^Choose both from their lists; they take no expressions\./);
	});

	test.each([
		['throws when it is looked at', '={{ { toJSON: () => null.x } }}'],
		['has a getter that throws', '={{ $json.box }}'],
		['holds itself', '={{ ((box) => { box.box = box; return box; })({}) }}'],
		['is a function', '={{ () => 1 }}'],
		['is a symbol', '={{ Symbol("s") }}'],
	])('a value that %s fails only its own item', async (_, text) => {
		const box = Object.defineProperty({}, 'toJSON', {
			get: () => {
				throw new Error('nothing to see');
			},
		});
		const { outputs } = await run({
			parameters: { ...send, text: text.replace('{{ ', '{{ $itemIndex === 1 ? $json.text : ') },
			items: letters(2).map((item) => ({ ...item, box })) as never,
			node: { onError: 'continueErrorOutput' },
		});
		expect(delivered()).toEqual(['Письмо 1']);
		expect(outputs[1]!.map(({ json }) => json.error)).toEqual([expect.stringContaining("'Text'")]);
	});
});

test('files of items are not read: only the text values are', async () => {
	const [item] = letters(1);
	const binary = { picture: { data: 'aGk=', mimeType: 'image/png', fileName: 'кот.png' } };
	const { json } = await run({
		parameters: { ...send, text: '={{ $json.text }} {{ $binary.picture.fileName }}' },
		rawItems: [{ json: item!, binary }],
	});
	expect(json).toEqual([{ success: true }]);
	expect(delivered()).toEqual(['Письмо 0 кот.png']);
});

test('Execute Once sends only the first item', async () => {
	const { json } = await run({ items: letters(5), node: { executeOnce: true } });
	expect(json).toEqual([{ success: true }]);
	expect(delivered()).toEqual(['Письмо 0']);
});

describe('other work in the process continues', () => {
	/** A slow expression. Progress is counted in iterations of the event loop, so that machine load does not matter. */
	const slow = '={{ ((until) => { while (Date.now() < until); return $json.text; })(Date.now() + 5) }}';

	/** Counts the iterations of the event loop. */
	function countTurns() {
		let turns = 0;
		let next: NodeJS.Immediate;
		const turn = () => {
			turns++;
			next = setImmediate(turn);
		};
		next = setImmediate(turn);
		return {
			get turns() {
				return turns;
			},
			stop: () => clearImmediate(next),
		};
	}

	/** Items that report when their text is read. */
	const watched = (count: number, onRead: () => void) =>
		letters(count).map(({ id, text }) =>
			Object.defineProperty({ id }, 'text', {
				enumerable: true,
				get: () => {
					onRead();
					return text;
				},
			}),
		) as never;

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'reading the items of a run does not block the process (On Error: %s)',
		async (onError) => {
			const counter = countTurns();
			let turnsAtLastRead = 0;
			const items = watched(100, () => (turnsAtLastRead = counter.turns));
			const { json } = await run({ parameters: { ...send, text: slow }, items, node: { onError } });
			counter.stop();
			expect(json).toHaveLength(100);
			// Reading takes half a second. Without yielding to the event loop, it would block the process all that time.
			expect(turnsAtLastRead).toBeGreaterThan(50);
		},
	);

	test('a run that is stopped while it reads its items sends nothing and stops reading', async () => {
		let reads = 0;
		const items = watched(500, () => reads++);
		const { ended, stop } = stoppableRun({ parameters: { ...send, text: slow }, items });
		await until(() => reads > 10);
		stop();
		expect((await ended).run.status).toBe('canceled');
		expect(reads).toBeLessThan(250);
		expect(service.requests).toEqual([]);
	});
});

describe('the execution hint', () => {
	test('appears when not all items succeeded, and states the outcome of the run', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Письмо 1', times: 1 } });
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { text: 'Письмо 2', times: 1 } });
		const items = letters(4);
		items[3]!.id = 0;
		const result = await run({ items, node: { onError: 'continueRegularOutput' } });
		expect(hintsOf(result)).toEqual([
			'Of 4 items, 2 were done, 2 failed and 0 were not sent. ' +
				'The outcome of 1 of the others is unknown. Check them in the service before you retry. ' +
				'The service refused 1 request because of its limit, so the node sent nothing for 2 s.',
		]);
	});

	test('does not appear when all items succeeded', async () => {
		expect(hintsOf(await run({ items: letters(3) }))).toEqual([]);
	});
});

/** Allows ten times the usual duration, for a machine that stalls. */
async function expectEndsSoon(ended: Promise<RunResult>, stop: () => void) {
	const stoppedAt = performance.now();
	stop();
	expect((await ended).run.status).toBe('canceled');
	expect(performance.now() - stoppedAt).toBeLessThan(5000);
}

describe('stop means stop', () => {
	test('in stop mode nothing more is sent after a refusal, and the error counts the outcomes', async () => {
		service.faults.add({ kind: 'delay', ms: 30 });
		service.faults.add({ ...refusal, match: { text: 'Письмо 14' } });
		const { error } = await run({ items: letters(60) });
		expect(error?.message).toContain('[Item 14]');
		// Only the requests that were in progress when the refusal arrived.
		expect(service.requests.length).toBeLessThanOrEqual(45);
		const counts = /Of 60 items, (\d+) were done, 1 failed and (\d+) were not sent/.exec(
			error?.description ?? '',
		);
		expect(Number(counts?.[1])).toBe(service.deliveries().length);
		expect(Number(counts?.[2])).toBe(60 - 1 - service.deliveries().length);
	});

	test('in stop mode the batches after a refused item are not sent, and the error counts the outcomes', async () => {
		// The last item of its batch, so that its answer can only prevent the batches after it.
		service.faults.add({ kind: 'forbidden', match: { text: 'Письмо 3' } });
		const { error } = await run({ parameters: { ...send, ...batches(2, 400) }, items: letters(8) });
		expect(error?.message).toContain('[Item 3]');
		expect(error?.description).toContain('Of 8 items, 3 were done, 1 failed and 4 were not sent');
		await sleep(900);
		expect(delivered().sort()).toEqual([0, 1, 2].map((item) => `Письмо ${item}`));
		expect(service.requests).toHaveLength(4);
	});

	test('a canceled execution ends quickly and sends nothing more', async () => {
		const { ended, stop } = stoppableRun({
			credential: credential({ requestsPerSecond: 4 }),
			items: letters(200),
		});
		await until(() => service.requests.length >= 4);
		await expectEndsSoon(ended, stop);
		const sent = service.requests.length;
		expect(sent).toBeLessThan(10);
		await sleep(700);
		expect(service.requests).toHaveLength(sent);
	});

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'items answered before Stop keep their answers, and the others report their outcome (On Error: %s)',
		async (onError) => {
			service.faults.add({ kind: 'delay', ms: 5000, match: { text: 'Письмо 2' } });
			const { ended, stop } = stoppableRun({ items: letters(4), node: { onError } });
			await until(() => service.requests.filter(({ answeredAt }) => answeredAt !== undefined).length === 3);
			await sleep(300);
			stop();
			const { outputs, run: result } = await ended;
			expect(result.status).toBe('canceled');
			const rows = outputs.flat().map(({ json }) => json.error ?? json.success);
			const [stopped] = outputs.flat().filter(({ json }) => json.error);
			expect(stopped!.error).toMatchObject({
				description: `The request was already in progress. ${unknownMessage}`,
				context: { itemIndex: 2 },
			});
			expect(rows).toHaveLength(4);
			expect(new Set(rows)).toEqual(new Set([true, 'The execution was canceled']));
		},
	);
});

describe('nothing is sent twice', () => {
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
	const howOften = () => {
		const counts = new Map<string, number>();
		for (const { input } of service.requests)
			counts.set(String(input.text), (counts.get(String(input.text)) ?? 0) + 1);
		return counts;
	};

	test('Retry On Fail sends only what was refused or not sent', async () => {
		const items = letters(30);
		service.faults.add({ ...refusal, match: { text: 'Письмо 12', times: 1 } });
		const { json, error } = await run({ items, node: retrying });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(30);
		expect(delivered().sort()).toEqual(texts(items).sort());
		for (const [text, times] of howOften())
			expect([text, times]).toEqual([text, text === 'Письмо 12' ? 2 : 1]);
	});

	test('Retry On Fail does not repeat a message whose outcome is unknown', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Письмо 1', times: 1 } });
		const { error } = await run({ items: letters(3), node: retrying });
		expect(error?.message).toContain('[Item 1]');
		expect(error?.description?.slice(0, unknownMessage.length)).toBe(unknownMessage);
		expect(error?.description).toContain('Of 3 items, 2 were done, 1 failed and 0 were not sent');
		expect(howOften().get('Письмо 1')).toBe(1);
		expect(delivered().filter((text) => text === 'Письмо 1')).toHaveLength(1);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'Retry On Fail repeats only the first item when that item fails (On Error: %s)',
		async (onError) => {
			const items = letters(8);
			service.faults.add({ kind: 'forbidden', match: { text: 'Письмо 0' } });
			const { outputs } = await run({ items, node: { ...retrying, onError } });
			expect(delivered().sort()).toEqual(texts(items.slice(1)).sort());
			for (const [text, times] of howOften())
				if (text !== 'Письмо 0') expect([text, times]).toEqual([text, 1]);
			expect(outputs.flat()).toHaveLength(8);
		},
	);

	test('another run with Retry On Fail sends the same item again', async () => {
		const [item] = letters(1);
		await run({ items: [item!], node: retrying });
		await run({ items: [item!], node: retrying });
		expect(delivered()).toEqual(['Письмо 0', 'Письмо 0']);
	});

	test.each(['server error', 'unavailable', 'reset'] as const)(
		'after a fault a message is not repeated, and the error says that it may have been sent: %s',
		async (kind) => {
			service.faults.add({ kind });
			const { error } = await run({ items: letters(1) });
			expect(service.requests).toHaveLength(1);
			expect(error?.description?.slice(0, unknownMessage.length)).toBe(unknownMessage);
		},
	);
});

describe('the user can see the progress', () => {
	afterEach(() => jest.restoreAllMocks());

	test('a long run writes its progress to the log of n8n every 30 seconds', async () => {
		const { Logger } = jest.requireActual<{ Logger: new () => { info(text: string): void } }>(
			'@n8n/backend-common',
		);
		const logged = jest.spyOn(Container.get(Logger), 'info').mockReturnValue(undefined);
		// By the mocked clock, each request takes ten seconds.
		const now = performance.now.bind(performance);
		jest.spyOn(performance, 'now').mockImplementation(() => now() + service.requests.length * 10_000);
		service.faults.add({ kind: 'forbidden', match: { text: 'Часть 5' } });
		const items = Array.from({ length: 10 }, (_, index) => ({ id: contacts.vk, text: `Часть ${index}` }));
		await run({ items, node: { onError: 'continueRegularOutput' } });
		const said = logged.mock.calls.map(([text]) => text).filter((text) => text.startsWith('Tested: '));
		expect(said).toEqual([
			expect.stringMatching(/^Tested: 3 of 10 items are through, 0 of them failed; about 7\d s left$/),
			expect.stringMatching(/^Tested: 6 of 10 items are through, 1 of them failed; about 4\d s left$/),
			expect.stringMatching(/^Tested: 9 of 10 items are through, 1 of them failed; about 1\d s left$/),
		]);
	});
});

describe('the limits are respected', () => {
	/** Fast limits keep the tests short; the window sizes are those of the unit tests of rate limits. */
	const tenPerSecond = { account: { requests: 10, windowMs: 1000 } };

	/**
	 * The unit tests prove in virtual time that no request is refused. Here a busy machine can delay a request for longer than any
	 * margin. Without a rate limit, at least 25 requests of these runs are refused.
	 */
	const strays = 6;
	const refused = () => service.requests.filter(({ refusedBy }) => refusedBy).length;

	test('a run stays under the limit and none of it is refused', async () => {
		service.setLimits(tenPerSecond);
		const items = letters(35);
		const { json } = await run({
			parameters: { ...attach },
			items,
			credential: credential({ requestsPerSecond: 10 }),
		});
		expect(json).toHaveLength(35);
		expect(refused()).toBeLessThanOrEqual(strays);
	});

	test('workflows of one account share its rate limit, also with different credentials', async () => {
		service.setLimits(tenPerSecond);
		const [first, second] = [letters(15), letters(15)];
		const results = await Promise.all([
			run({ parameters: attach, items: first, credential: credential({ requestsPerSecond: 10 }) }),
			run({
				parameters: attach,
				items: second,
				credential: credential({
					requestsPerSecond: 10,
					baseUrl: `${service.url}/api/v1/`,
					tokenPlacement: 'bearer',
				}),
			}),
		]);
		expect(results.map(({ json }) => json.length)).toEqual([15, 15]);
		expect(refused()).toBeLessThanOrEqual(strays);
	});

	test('accounts do not wait for each other', async () => {
		const other = await startEmulator({ limits: { account: { requests: 1, windowMs: 1000 } } });
		try {
			const slow = stoppableRun({
				parameters: attach,
				items: lettersFor(other, 10),
				credential: credential({ baseUrl: other.url, requestsPerSecond: 1 }),
			});
			const fast = credential({ requestsPerSecond: 20 });
			await run({ parameters: attach, items: letters(20), credential: fast });
			const sentMeanwhile = other.requests.length;
			slow.stop();
			await slow.ended;
			expect(service.requests).toHaveLength(20);
			expect(sentMeanwhile).toBeGreaterThan(0);
			expect(sentMeanwhile).toBeLessThan(10);
		} finally {
			await other.stop();
		}
	});

	test('messages to the same person are sent in item order, each after the previous answer', async () => {
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		const people = addContacts(service.data, 3);
		const items = Array.from({ length: 24 }, (_, index) => ({
			id: people[index % 3]!.id,
			text: `Часть ${index}`,
		}));
		const { error } = await run({ items });
		expect(error).toBeUndefined();
		for (const { id } of people) {
			const mine = service.requests.filter(({ input }) => Number(input.contact_id) === id);
			expect(mine.map(({ input }) => input.text)).toEqual(texts(items.filter((item) => item.id === id)));
			for (const [index, request] of mine.entries()) {
				if (index > 0) expect(request.arrivedAt).toBeGreaterThanOrEqual(mine[index - 1]!.answeredAt!);
			}
		}
		expect(service.inFlight.peak).toBe(3);
	});
});

describe('promises that take seconds to see', () => {
	const test = sideBySide(sceneOf);

	test('an execution that is canceled in the pause between two batches ends quickly and sends nothing more', async ({
		service,
		letters,
		stoppableRun,
	}) => {
		const parameters = { ...send, ...batches(1, 7000) };
		const { ended, stop } = stoppableRun({ parameters, items: letters(3) });
		await until(() => service.requests[0]?.answeredAt !== undefined);
		await sleep(200);
		await expectEndsSoon(ended, stop);
		await sleep(7000);
		expect(service.requests).toHaveLength(1);
	}, 30_000);

	test('an execution that is canceled in the wait before a retry ends quickly', async ({
		service,
		letters,
		stoppableRun,
	}) => {
		service.faults.add({ kind: 'unavailable', retryAfter: 30 });
		const { ended, stop } = stoppableRun({ parameters: attach, items: letters(1) });
		await until(() => service.requests[0]?.answeredAt !== undefined);
		await sleep(200);
		await expectEndsSoon(ended, stop);
	});

	test.each(['server error', 'unavailable', 'reset', 'malformed'] as const)(
		'an idempotent request is repeated after a fault: %s',
		async ({ service, run }, kind) => {
			service.faults.add({ kind, match: { times: 1 } });
			const { json, error } = await run({ parameters: attach, items: [{ id: contacts.telegram }] });
			expect(error).toBeUndefined();
			expect(json).toEqual([{ success: true }]);
			expect(service.requests).toHaveLength(2);
			expect(service.data.contacts.get(contacts.telegram)!.tags).toContain('VIP');
		},
	);

	test('an idempotent request is sent at most three times, each time before the waiting items', async ({
		service,
		credential,
		letters,
		run,
	}) => {
		const items = letters(40);
		service.faults.add({ kind: 'reset', match: { recipient: items[0]!.id } });
		const { outputs } = await run({
			parameters: attach,
			items,
			credential: credential({ requestsPerSecond: 5 }),
			node: { onError: 'continueErrorOutput' },
		});
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		const order = service.requests.map(({ input }) => Number(input.contact_id) - items[0]!.id);
		const places = order.flatMap((item, place) => (item === 0 ? [place] : []));
		expect(places).toHaveLength(3);
		// The waits before the retries are one and two seconds, with five items each; a machine that stalls allows more.
		expect(places[1]).toBeLessThan(20);
		expect(places[2]).toBeLessThan(35);
	});

	test('the error still says what an earlier attempt may have changed when a later one is refused', async ({
		service,
		run,
	}) => {
		service.faults.add({ kind: 'server error', when: 'after', match: { times: 1 } });
		service.faults.add({ kind: 'forbidden', match: { nth: 2 } });
		const { error } = await run({ parameters: attach, items: [{ id: contacts.whatsapp }] });
		expect(error?.message).toContain('refused access');
		expect(error?.description).toBe(
			`${unknownTag} Check that the plan of the account includes API access. Check 'Contact ID', 'Tag': they must belong to the account whose token is in the credential. The service says: "Forbidden".`,
		);
		expect(service.requests).toHaveLength(2);
		expect(service.data.contacts.get(contacts.whatsapp)!.tags).toContain('VIP');
	});

	test('a message is repeated too after a refused connection', async ({ credential, letters, run }) => {
		const other = await startEmulator();
		const { port } = new URL(other.url);
		await other.stop();
		const [item] = letters(1);
		const running = run({
			items: [{ ...item!, id: contacts.telegram }],
			credential: credential({ baseUrl: other.url }),
		});
		await sleep(300);
		const back = await startEmulator({ port: Number(port) });
		try {
			const { json, error } = await running;
			expect(error).toBeUndefined();
			expect(json).toEqual([{ success: true }]);
			expect(back.deliveries()).toHaveLength(1);
		} finally {
			await back.stop();
		}
	});

	test.each<[string, object]>([
		['Retry-After in seconds', { kind: 'too many', retryAfter: 1 }],
		['Retry-After as a date', { kind: 'too many', retryAfter: 'date', dateInMs: 2000 }],
		['no Retry-After', { kind: 'too many' }],
	])(
		'after a 429 with %s the node waits and repeats the request',
		async ({ service, credential, letters, run }, _name, fault) => {
			const items = letters(3);
			service.faults.add({ ...fault, match: { recipient: items[1]!.id, times: 1 } } as never);
			const { json, error } = await run({
				parameters: attach,
				items,
				credential: credential({ requestsPerSecond: 20 }),
			});
			expect(error).toBeUndefined();
			expect(json).toHaveLength(3);
			const attempts = service.requests.filter(({ input }) => Number(input.contact_id) === items[1]!.id);
			expect(attempts).toHaveLength(2);
			expect(attempts[1]!.arrivedAt - attempts[0]!.answeredAt!).toBeGreaterThanOrEqual(900);
		},
	);

	test('a request that was refused for the limit is sent again first', async ({
		service,
		credential,
		letters,
		run,
	}) => {
		const items = letters(4);
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { recipient: items[0]!.id, times: 1 } });
		await run({ parameters: attach, items, credential: credential({ requestsPerSecond: 1 }) });
		const order = service.requests.map(({ input }) => Number(input.contact_id) - items[0]!.id);
		expect(order).toEqual([0, 0, 1, 2, 3]);
	});
});
