import type { IHttpRequestOptions } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import type { Kept } from '../../nodes/ChatbotService/run/memory';
import { run, type Door } from '../../nodes/ChatbotService/run/run';
import { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';

/* Moments of a run that n8n's engine cannot be brought to at will. All else of a run is for test/engine. */

const resource = 'message';
const operation = 'send';
const type = 'n8n-nodes-chatbot-service.chatbotService';
const ok: ServiceAnswer = { statusCode: 200, headers: {}, body: { success: true } };
const refused: ServiceAnswer = { statusCode: 422, headers: {}, body: { message: 'Нет контакта.' } };
const broken: ServiceAnswer = { statusCode: 500, headers: {}, body: { message: 'Server Error' } };

let accounts = 0;

/** A door to a run of messages to contacts 1, 2, 3, … of an account without a pace. */
function doorTo(
	count: number,
	changes: Partial<Door> & Pick<Door, 'send'>,
	parameters: Record<string, unknown> = {},
	contacts: object[] = Array.from({ length: count }, (_, index) => ({ id: index + 1 })),
): Door {
	const raw = {
		...{ resource, operation, recipient: 'contact', contactMessenger: 'vk', content: ['text'] },
		contactId: '={{ $json.id }}',
		text: 'Здравствуйте!',
		...parameters,
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

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** A service that writes down to whom it was asked to send, and what. */
function serviceOf(answerTo: (contact: number) => ServiceAnswer | Promise<ServiceAnswer> = () => ok) {
	const to: number[] = [];
	const texts: string[] = [];
	const send = async (options: IHttpRequestOptions) => {
		to.push(contactOf(options));
		texts.push(options.qs!.text as string);
		await new Promise((resolve) => setImmediate(resolve));
		return await answerTo(contactOf(options));
	};
	return { to, texts, send, sorted: () => [...to].sort((a, b) => a - b) };
}

/** What a run comes to: its items, or the error that ends it. */
const outcomeOf = async (door: Door) => {
	try {
		return { json: (await run(door)).map(({ json }) => json) };
	} catch (error) {
		return { error: error as Error & { description?: string } };
	}
};

const once = { options: { sendOncePer: 'осень' } };

/** The entries as a process finds them that begins when this one has died. */
const left = (entries: FakeEntries) => new FakeEntries([...entries.stored]);

const doubts = ({ stored }: FakeEntries) => stored.filter((entry) => entry.startsWith('doubt'));

describe('under a value of Send Once Per', () => {
	test('whoever has got the message is skipped when the same runs again, and the output says so', async () => {
		const entries = new FakeEntries();
		const first = serviceOf();
		await run(doorTo(3, { send: first.send, entries }, once));
		const second = serviceOf();
		const hint = jest.fn();
		const { json } = await outcomeOf(doorTo(5, { send: second.send, entries: left(entries), hint }, once));
		expect([first.sorted(), second.sorted()]).toEqual([
			[1, 2, 3],
			[4, 5],
		]);
		const skipped = { success: true, alreadySent: true };
		expect(json).toEqual([skipped, skipped, skipped, { success: true }, { success: true }]);
		expect(hint).toHaveBeenCalledWith(
			expect.objectContaining({ type: 'info', message: expect.stringContaining('3 were skipped') }),
		);
	});

	test('another value is another message, and none is no protection', async () => {
		const entries = new FakeEntries();
		const { to, send } = serviceOf();
		for (const sendOncePer of ['осень', 'зима', '', 'осень', '']) {
			await run(doorTo(1, { send, entries }, { options: { sendOncePer } }));
		}
		expect(to).toEqual([1, 1, 1, 1]);
	});

	test('a recipient who comes several times in one run gets one message', async () => {
		const contacts = [{ id: 5 }, { id: 6 }, { id: '5' }, { id: ' 5 ' }];
		const { send, sorted } = serviceOf();
		const entries = new FakeEntries();
		const { json } = await outcomeOf(doorTo(4, { send, entries }, once, contacts));
		expect(sorted()).toEqual([5, 6]);
		expect(json!.map(({ alreadySent }) => alreadySent)).toEqual([undefined, undefined, true, true]);
	});

	test('a recipient who comes several times gets no second message where nobody knows of the first', async () => {
		const contacts = [{ id: 5 }, { id: 5 }];
		const { to, send } = serviceOf(() => broken);
		const entries = new FakeEntries();
		const { json } = await outcomeOf(doorTo(2, { send, entries, continues: true }, once, contacts));
		expect(to).toEqual([5]);
		expect(json![1]).toMatchObject({
			error: expect.stringMatching(/^This message may have been sent already/),
		});
	});

	test('a recipient of whom the service wanted to know nothing gets the next message', async () => {
		const contacts = [{ id: 5 }, { id: 5 }];
		const answers = [refused, ok];
		const { to, send } = serviceOf(() => answers.shift()!);
		const entries = new FakeEntries();
		const { json } = await outcomeOf(doorTo(2, { send, entries, continues: true }, once, contacts));
		expect(to).toEqual([5, 5]);
		expect(json![1]).toEqual({ success: true });
	});

	test('two runs of the node at the same time send one message to each', async () => {
		const entries = new FakeEntries();
		const { send, sorted } = serviceOf();
		const outcomes = await Promise.all(
			[1, 2].map(async () => await outcomeOf(doorTo(80, { send, entries }, once))),
		);
		expect(sorted()).toEqual(range(1, 81));
		const done = outcomes.flatMap(({ json }) => json!);
		expect([done.length, done.filter(({ alreadySent }) => alreadySent).length]).toEqual([160, 80]);
		expect([entries.peak, doubts(entries)]).toEqual([1, []]);
	});

	test('where the workflow stops, an item in doubt lets all others go, and is named in the end', async () => {
		const entries = new FakeEntries();
		const lost = serviceOf(() => broken);
		await outcomeOf(doorTo(1, { send: lost.send, entries }, once, [{ id: 3 }]));
		const { send, sorted } = serviceOf();
		const { error } = await outcomeOf(doorTo(40, { send, entries: left(entries) }, once));
		expect(sorted()).toEqual(range(1, 41).filter((contact) => contact !== 3));
		expect(error!.message).toBe('This message may have been sent already, so it was not sent again [Item 2]');
		expect(error!.description).toContain('Of 40 items, 39 were done, 1 failed and 0 were not sent.');
	});

	test('where the workflow stops, an item in doubt is not what a run is blamed for in which another fails', async () => {
		const entries = new FakeEntries();
		const lost = serviceOf(() => broken);
		await outcomeOf(doorTo(1, { send: lost.send, entries }, once, [{ id: 1 }]));
		const { send } = serviceOf((contact) => (contact === 4 ? refused : ok));
		const { error } = await outcomeOf(doorTo(5, { send, entries: left(entries) }, once));
		expect(error!.message).toMatch(/^The service refused the request \[Item 3\]$/);
	});

	test.each([true, false])(
		'where n8n has no store, nothing leaves, and the field is named; goes on: %p',
		async (continues) => {
			const failing = new FakeEntries();
			failing.before = () => {
				throw new Error('Workflow is not saved');
			};
			for (const entries of [undefined, failing]) {
				const { to, send } = serviceOf();
				const { json, error } = await outcomeOf(doorTo(3, { send, entries, continues }, once));
				expect(to).toEqual([]);
				const texts = json?.map((each) => `${each.error as string} ${each.message as string}`) ?? [
					`${error!.message} ${error!.description}`,
				];
				expect(texts).toHaveLength(continues ? 3 : 1);
				for (const text of texts) {
					expect(text).toContain("n8n cannot remember for 'Send Once Per' here");
					expect(text.includes('n8n says: "Workflow is not saved"')).toBe(entries !== undefined);
				}
			}
		},
	);

	test('where n8n has no store, items without a value go', async () => {
		const { to, send } = serviceOf();
		const options = { sendOncePer: "={{ $json.id === 2 ? 'осень' : '' }}" };
		const { json } = await outcomeOf(doorTo(3, { send, continues: true }, { options }));
		expect(to).toEqual([1, 3]);
		expect(json![1]).toMatchObject({ error: expect.stringContaining('cannot remember') });
	});

	test('an item whose expression yields nothing is refused before anything leaves', async () => {
		const { to, send } = serviceOf();
		const options = { sendOncePer: "={{ $json.id === 3 ? null : 'осень' }}" };
		const { error } = await outcomeOf(doorTo(3, { send, entries: new FakeEntries() }, { options }));
		expect(to).toEqual([]);
		expect(error!.message).toBe("'Send Once Per' has no value [Item 2]");
	});

	test('where the workflow stops, a store that fails stops it; what runs next sends the rest', async () => {
		const entries = new FakeEntries();
		let adds = 0;
		entries.before = ({ name }) => {
			// The first opens the store, the second claims the first recipients.
			if (name === 'add' && ++adds > 2 && adds <= 5) throw new Error('Нет связи с базой');
		};
		const { send, sorted, to } = serviceOf();
		const { error } = await outcomeOf(doorTo(120, { send, entries }, once));
		expect(error!.message).toMatch(/^n8n could not note this beforehand, so nothing was sent \[Item \d+\]$/);
		expect(error!.description).toContain('n8n says: "Нет связи с базой".');
		expect(to.length).toBeGreaterThan(0);
		expect(to.length).toBeLessThanOrEqual(50);
		expect(doubts(entries)).toEqual([]);
		await run(doorTo(120, { send, entries: left(entries) }, once));
		expect(sorted()).toEqual(range(1, 121));
	});

	test('where the workflow goes on, a store that fails for a while costs the items of that while', async () => {
		const entries = new FakeEntries();
		let adds = 0;
		entries.before = ({ name }) => {
			if (name === 'add' && ++adds > 2 && adds <= 5) throw new Error('Нет связи с базой');
		};
		const { send, sorted } = serviceOf();
		const { json } = await outcomeOf(doorTo(150, { send, entries, continues: true }, once));
		const failed = json!.flatMap(({ error }, item) => (error ? [item + 1] : []));
		expect(failed.length).toBeGreaterThan(0);
		expect(failed.length).toBeLessThanOrEqual(50);
		expect(sorted()).toEqual(range(1, 151).filter((contact) => !failed.includes(contact)));
		await run(doorTo(150, { send, entries: left(entries) }, once));
		expect(sorted()).toEqual(range(1, 151));
	});

	test('when the user stops the execution, those who got nothing are as before, and get it from the next run', async () => {
		const entries = new FakeEntries();
		const stop = new AbortController();
		const { send, sorted, to } = serviceOf(async () => {
			if (to.length === 10) stop.abort();
			while (!stop.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
			return ok;
		});
		const { error } = await outcomeOf(doorTo(60, { send, entries, signal: stop.signal }, once));
		expect(error!.message).toBe('The execution was canceled');
		expect(to).toHaveLength(10);
		expect([entries.stored.filter((entry) => entry !== 'open').length, doubts(entries)]).toEqual([10, []]);
		await run(doorTo(60, { send, entries: left(entries) }, once));
		expect(sorted()).toEqual(range(1, 61));
	});

	test('whom n8n could not note is told to its log', async () => {
		const entries = new FakeEntries();
		entries.before = ({ name }) => {
			if (name === 'remove') throw new Error('Нет связи с базой');
		};
		const log = jest.fn();
		const { send } = serviceOf();
		await run(doorTo(3, { send, entries, log }, once));
		expect(log.mock.calls.flat()).toEqual([
			expect.stringMatching(/^Рассылка: n8n could not note how 3 recipients/),
		]);
		expect(doubts(entries)).toHaveLength(3);
	});

	test('without it nothing is asked of the store', async () => {
		const entries = new FakeEntries();
		await run(doorTo(3, { send: serviceOf().send, entries }));
		expect(entries.calls).toEqual([]);
	});
});

describe('an execution that failed and is retried', () => {
	/** As n8n saves it, and hands it to the execution that retries it. */
	const saved = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as Kept;

	/** Of 30 contacts the fourth is refused, and nobody knows what became of the fifth. */
	const answerTo = (contact: number) => ({ 4: refused, 5: broken })[contact] ?? ok;

	/** An execution that failed, and what it has sent. */
	async function failed(
		parameters: Record<string, unknown> = {},
		contacts?: object[],
		to: (contact: number) => ServiceAnswer = answerTo,
	) {
		const kept: Kept = {};
		const entries = new FakeEntries();
		const count = contacts?.length ?? 30;
		const service = serviceOf(async (contact) => {
			// Nothing stops the run before as many have left as may be under way at once.
			while (to(contact) !== ok && service.to.length < Math.min(10, count)) {
				await new Promise((resolve) => setImmediate(resolve));
			}
			return to(contact);
		});
		const { error } = await outcomeOf(
			doorTo(count, { send: service.send, kept, entries }, parameters, contacts),
		);
		expect(error).toBeDefined();
		return { kept, entries, service };
	}

	test.each([true, false])(
		'sends only what is missing, and not what may be done, which stops nothing; with a store: %p',
		async (hasStore) => {
			const { kept, entries, service } = await failed();
			const { to, send } = serviceOf();
			const { error } = await outcomeOf(
				doorTo(30, { send, kept: saved(kept), entries: hasStore ? entries : undefined }),
			);
			expect(service.to).toContain(5);
			expect(service.to.length).toBeLessThan(30);
			const missing = range(1, 31).filter((contact) => contact === 4 || !service.to.includes(contact));
			expect([...to].sort((a, b) => a - b)).toEqual(missing);
			expect(error!.message).toBe(
				'The service may have done this already, so it was not asked again [Item 4]',
			);
			expect(error!.description).toContain('Of 30 items, 29 were done, 1 failed and 0 were not sent.');
		},
	);

	const clock = { text: '={{ "Сейчас " + (globalThis.часы = (globalThis.часы ?? 0) + 1) }}' };

	test('does not send a text again that would only tell another time', async () => {
		const { kept, service } = await failed(clock);
		expect(new Set(service.texts).size).toBe(service.texts.length);
		const { to, send } = serviceOf();
		await outcomeOf(doorTo(30, { send, kept: saved(kept) }, clock));
		expect(to.filter((contact) => contact !== 4 && service.to.includes(contact))).toEqual([]);
	});

	const named = { text: '={{ "Привет, " + $json.имя }}' };
	const people = range(1, 6).map((id) => ({ id, имя: `Имя ${id}` }));

	test('sends to whom the user has edited, and to nobody else', async () => {
		const { kept, service } = await failed(named, people, (contact) => (contact === 1 ? refused : ok));
		expect(service.sorted()).toEqual([1, 2, 3, 4, 5]);
		const edited = people.map((each) => (each.id === 3 ? { ...each, имя: 'Анна' } : each));
		// What stands beside the values in an item is not asked for with.
		const beside = edited.map((each) => (each.id === 4 ? { ...each, заметка: 'новая' } : each));
		const { to, texts, send } = serviceOf();
		await run(doorTo(5, { send, kept: saved(kept) }, named, beside));
		expect([...to].sort()).toEqual([1, 3]);
		expect(texts).toContain('Привет, Анна');
	});

	test('sends all again whose text the user has edited in the node', async () => {
		const { kept } = await failed(named, people, (contact) => (contact === 1 ? refused : ok));
		const { send, sorted } = serviceOf();
		await run(doorTo(5, { send, kept: saved(kept) }, { text: '={{ "Добрый день, " + $json.имя }}' }, people));
		expect(sorted()).toEqual([1, 2, 3, 4, 5]);
	});

	test('asks again for what has come to another contact', async () => {
		const { kept } = await failed(named, people, (contact) => (contact === 1 ? refused : ok));
		const { to, send } = serviceOf();
		const others = people.map((each) => (each.id === 2 ? { ...each, id: 12 } : each));
		await run(doorTo(5, { send, kept: saved(kept) }, named, others));
		expect([...to].sort((a, b) => a - b)).toEqual([1, 12]);
	});

	test('has all answers as if it had asked for them itself, and then forgets', async () => {
		const said = (contact: number): ServiceAnswer => ({ ...ok, body: { success: true, id: contact * 10 } });
		const { kept } = await failed(named, people, (contact) => (contact === 1 ? refused : said(contact)));
		const copy = saved(kept);
		const { json } = await outcomeOf(doorTo(5, { send: serviceOf(said).send, kept: copy }, named, people));
		expect(json).toEqual(range(1, 6).map((contact) => ({ success: true, id: contact * 10 })));
		expect(copy).toEqual({});
	});

	test('sends nothing that an earlier retry of the same execution has sent', async () => {
		const { kept, entries, service } = await failed();
		const all = service.to.filter((contact) => contact !== 4);
		let store = entries;
		for (const refusedContact of [16, 27, 0]) {
			const { to, send } = serviceOf((contact) => (contact === refusedContact ? refused : ok));
			await outcomeOf(doorTo(30, { send, kept: saved(kept), entries: store }));
			all.push(...to.filter((contact) => contact !== refusedContact));
			store = left(store);
		}
		expect(all.sort((a, b) => a - b)).toEqual(range(1, 31));
	});

	test('sends edited values to all, also to whom an earlier retry has sent those before', async () => {
		const { kept, entries } = await failed(named, people, (contact) => (contact < 3 ? refused : ok));
		const first = saved(kept);
		const second = serviceOf((contact) => (contact === 2 ? refused : ok));
		await outcomeOf(doorTo(5, { send: second.send, kept: first, entries }, named, people));
		expect(second.to).toContain(1);
		const edited = { text: '={{ "Добрый день, " + $json.имя }}' };
		const third = serviceOf();
		await run(doorTo(5, { send: third.send, kept: saved(first), entries: left(entries) }, edited, people));
		expect(third.sorted()).toEqual([1, 2, 3, 4, 5]);
	});

	test('sends nothing twice that two retries were asked for in other words', async () => {
		const { kept, entries } = await failed(named, people, (contact) => (contact < 3 ? refused : ok));
		const second = serviceOf((contact) => (contact === 2 ? refused : ok));
		await outcomeOf(doorTo(5, { send: second.send, kept: saved(kept), entries }, named, people));
		expect(second.to).toContain(1);
		// Another expression, and the same text.
		const same = { text: '={{ ["Привет", $json.имя].join(", ") }}' };
		const third = serviceOf();
		await run(doorTo(5, { send: third.send, kept: saved(kept), entries: left(entries) }, same, people));
		expect(third.sorted()).toEqual([2]);
	});

	test('sends nothing twice, however often and in however many tries one execution is retried', async () => {
		const { kept, entries, service } = await failed();
		const all = [...service.to.filter((contact) => contact !== 4)];
		let store = entries;
		for (const refusedContact of [16, 27, 0]) {
			const copy = saved(kept);
			const triesKey = {};
			for (let attempt = 0; attempt < 2; attempt++) {
				// In the second try the service takes whom it refused in the first.
				const { to, send } = serviceOf((contact) => (contact === refusedContact && !attempt ? refused : ok));
				await outcomeOf(doorTo(30, { send, kept: copy, triesKey, entries: store }));
				all.push(...to.filter((contact) => contact !== refusedContact || attempt));
			}
			store = left(store);
		}
		expect(all.sort((a, b) => a - b)).toEqual(range(1, 31));
	});
});
