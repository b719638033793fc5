import { Lanes, RunQueue, type QueuedRequest } from '../../nodes/ChatbotService/client/pace/lanes';
import type { Limits, Terms } from '../../nodes/ChatbotService/client/pace/limits';

/* Requests that wait, without a clock. When each of them leaves is in scheduler.test.ts. */

/** A request whose slot is its name. */
const requestOf = (name: string): QueuedRequest<string> & { name: string } => ({
	name,
	begin: () => {},
	again: () => {},
});
const nameOf = (request: QueuedRequest<string>) => (request as ReturnType<typeof requestOf>).name;

const account: Limits = { account: { count: 2, windowMs: 1000 } };
const whatsapp: Limits = { ...account, whatsapp: { count: 1, windowMs: 10_000 } };
const telegram: Limits = { ...account, telegram: { count: 10, windowMs: 10_000 } };
const viber: Limits = { ...account, viber: { count: 10, windowMs: 10_000 } };
const termsOf = (limits: Limits, changes: Partial<Terms> = {}): Terms => ({
	limits,
	workers: 1,
	bursts: false,
	...changes,
});

function setUp() {
	const windowsOf = jest.fn(() => new Map());
	const lanes = new Lanes<string>(windowsOf);
	const push = (run: object, terms: Terms, ...names: string[]) => {
		for (const name of names) lanes.queueOf(run, terms).push(requestOf(name));
	};
	/** The lane of these terms, in which something waits. */
	const laneOf = (terms: Terms) => {
		const run = {};
		push(run, terms, 'x');
		const lane = lanes.all.find(({ queues }) => queues.has(run))!;
		lanes.withdraw(run);
		return lane;
	};
	const take = (run: object, terms: Terms) => nameOf(lanes.take({ lane: laneOf(terms), run }));
	/** Which of two runs goes before the other, each with requests of some terms. */
	const firstOf = (...requests: Array<[run: object, terms: Terms]>) => {
		const [one, other] = requests.map(([run, terms]) => ({ lane: laneOf(terms), run }));
		return [
			...(lanes.goesBefore(one!, other!) ? ['first'] : []),
			...(lanes.goesBefore(other!, one!) ? ['second'] : []),
		];
	};
	return { lanes, windowsOf, push, laneOf, take, firstOf };
}

describe('the queue of a run', () => {
	/** A queue of requests with these letters. */
	const queueOf = (letters: string, first = '') => {
		const queue = new RunQueue<string>();
		for (const name of letters) queue.push(requestOf(name));
		for (const name of first) queue.putFirst(requestOf(name));
		return queue;
	};

	test('Requests leave in order of arrival; requests put first leave before all others, the latest of them first', () => {
		const queue = queueOf('ab', 'cd');
		const taken = [queue.take(), queue.take(), queue.take()];
		queue.push(requestOf('e'));
		taken.push(queue.take(), queue.take());
		expect(taken.map(nameOf)).toEqual(['d', 'c', 'a', 'b', 'e']);
	});

	test('The length is the number of waiting requests', () => {
		const queue = queueOf('abc', 'de');
		const lengths = [0, 1, 2, 3, 4].map(() => {
			queue.take();
			return queue.length;
		});
		expect(lengths).toEqual([4, 3, 2, 1, 0]);
	});

	test('Enqueuing the waiting requests again keeps their order', () => {
		const queue = queueOf('abc');
		queue.take();
		for (const name of 'de') queue.putFirst(requestOf(name));
		expect(queue.waiting.map(nameOf)).toEqual(['d', 'e', 'b', 'c']);
	});
});

describe('lanes', () => {
	test('Requests with equal terms share a lane, even if the terms are different objects', () => {
		const { lanes, windowsOf, push } = setUp();
		const [one, other] = [{}, {}];
		push(one, termsOf(whatsapp), 'a', 'b');
		push(other, termsOf(structuredClone(whatsapp)), 'c');
		expect(lanes.all.map(({ queues }) => [...queues.keys()])).toEqual([[one, other]]);
		expect(windowsOf.mock.calls).toEqual([[termsOf(whatsapp)]]);
	});

	test.each([
		['limits', termsOf(whatsapp)],
		['Workers', termsOf(account, { workers: 2 })],
		['Bursts', termsOf(account, { bursts: true })],
	])('Requests with different %s have different lanes', (_, terms) => {
		const { lanes, push } = setUp();
		push({}, termsOf(account), 'a');
		push({}, terms, 'b');
		expect(lanes.all).toHaveLength(2);
	});

	test.each([
		['the account alone', termsOf(account), 500],
		['the slowest of several limits', termsOf(whatsapp), 10_000],
		['the share of one of several processes', termsOf(telegram, { workers: 4 }), 4000],
		['no limit', termsOf({}), 0],
	])('The spacing of a lane is that of %s', (_, terms, spacingMs) => {
		expect(setUp().laneOf(terms).spacingMs).toBe(spacingMs);
	});

	test('A lane is removed with its last request, and a run with its last request in any lane', () => {
		const { lanes, push, take } = setUp();
		const { served } = lanes as unknown as { served: Map<object, number> };
		const run = {};
		push(run, termsOf(account), 'a', 'b');
		push(run, termsOf(whatsapp), 'c');
		expect(take(run, termsOf(account))).toBe('a');
		expect([lanes.all.length, served.size]).toEqual([2, 1]);
		expect(take(run, termsOf(account))).toBe('b');
		expect([lanes.all.length, served.size]).toEqual([1, 1]);
		expect(take(run, termsOf(whatsapp))).toBe('c');
		expect([lanes.all.length, served.size]).toEqual([0, 0]);
	});

	test('Withdrawing a run removes its requests from all lanes, and does not affect other runs', () => {
		const { lanes, push } = setUp();
		const { served } = lanes as unknown as { served: Map<object, number> };
		const [run, other] = [{}, {}];
		push(run, termsOf(account), 'a', 'b');
		push(other, termsOf(account), 'other');
		push(run, termsOf(whatsapp), 'c');
		expect(lanes.withdraw(run).map(nameOf)).toEqual(['a', 'b', 'c']);
		expect(lanes.all.map(({ queues }) => [...queues.keys()])).toEqual([[other]]);
		expect([...served.keys()]).toEqual([other]);
		expect(lanes.withdraw(run)).toEqual([]);
	});

	test('A run with hundreds of thousands of requests is withdrawn at once', () => {
		const { lanes } = setUp();
		const run = {};
		const queue = lanes.queueOf(run, termsOf(account));
		for (let item = 0; item < 300_000; item++) queue.push(requestOf('x'));
		expect(lanes.withdraw(run)).toHaveLength(300_000);
	});
});

describe('which of two candidates goes first', () => {
	const [one, other] = [{}, {}];

	test('The run that was served longer ago goes first, even if the other one asks for more', () => {
		const { push, take, firstOf } = setUp();
		const terms = termsOf(account);
		for (const run of [one, other]) push(run, terms, 'a', 'b', 'c');
		take(one, terms);
		push(one, terms, 'd');
		expect(firstOf([one, terms], [other, terms])).toEqual(['second']);
		take(other, terms);
		expect(firstOf([one, terms], [other, terms])).toEqual(['first']);
	});

	test('A run that asks for more keeps its place', () => {
		const { push, take, firstOf } = setUp();
		const [terms, third] = [termsOf(account), {}];
		for (const run of [one, other, third]) push(run, terms, 'a', 'b');
		for (const run of [one, other, third]) take(run, terms);
		push(one, terms, 'c');
		expect(firstOf([one, terms], [other, terms])).toEqual(['first']);
	});

	test('A new run goes after the waiting runs, and before the run that was served last', () => {
		const { push, take, firstOf } = setUp();
		const [terms, third] = [termsOf(account), {}];
		for (const run of [one, other]) push(run, terms, 'a', 'b', 'c');
		take(other, terms);
		take(one, terms);
		push(third, terms, 'a');
		expect(firstOf([third, terms], [one, terms])).toEqual(['first']);
		expect(firstOf([third, terms], [other, terms])).toEqual(['second']);
	});

	test('Within a run, the slower lane goes first, however long the other one is', () => {
		const { push, firstOf } = setUp();
		push(one, termsOf(whatsapp), 'a');
		push(one, termsOf(account), 'b', 'c');
		expect(firstOf([one, termsOf(whatsapp)], [one, termsOf(account)])).toEqual(['first']);
	});

	test('Of two equally slow lanes of a run, the longer queue goes first', () => {
		const { push, firstOf } = setUp();
		push(one, termsOf(telegram), 'a');
		push(one, termsOf(viber), 'b', 'c');
		expect(firstOf([one, termsOf(viber)], [one, termsOf(telegram)])).toEqual(['first']);
		push(one, termsOf(telegram), 'd');
		expect(firstOf([one, termsOf(viber)], [one, termsOf(telegram)])).toEqual([]);
	});

	test('The order of runs matters more than the speed of their lanes', () => {
		const { push, take, firstOf } = setUp();
		push(one, termsOf(whatsapp), 'a', 'b', 'c');
		push(other, termsOf(account), 'd');
		take(one, termsOf(whatsapp));
		expect(firstOf([other, termsOf(account)], [one, termsOf(whatsapp)])).toEqual(['first']);
	});
});
