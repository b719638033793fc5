import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { schedulerOf } from '../../nodes/ChatbotService/client/pace/schedulers';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { accountWith, leavingRun, never, newRun, paceOf, times, unlimited } from './pacing';

/*
 * Which request gets the next slot of an account, and with which pace. How its limits are kept is in window.test.ts, what happens after
 * trouble in gate.test.ts. Whole broadcasts are in test/simulation.
 */

useVirtualTime();

describe('runs', () => {
	test('share the slots evenly, and each keeps its order', async () => {
		const { sendAll, names } = accountWith(paceOf(1));
		void sendAll(['first']);
		void sendAll(['a1', 'a2', 'a3']);
		void sendAll(['b1', 'b2']);
		await inTime(sendAll(['c1', 'c2']));
		expect(names()).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
	});

	test('do not take all slots that others wait for', async () => {
		const { sendAll, names } = accountWith(unlimited);
		const limitOf = (name: string) => ({ [name]: { count: 1, windowMs: 1000 } });
		for (const name of ['a', 'b']) {
			const run = newRun();
			void sendAll(times(4, name), { run, limits: limitOf('both') });
			void sendAll(times(4, `only ${name}`), { run, limits: limitOf(`of ${name}`) });
		}
		await passTime();
		const atBoth = names().filter((name) => name.length === 1);
		expect(atBoth).toHaveLength(8);
		expect(atBoth.join('')).not.toMatch(/aaa.*b|bbb.*a/);
	});

	test('without answers free their slots after ten seconds', async () => {
		const { sendAll, timesOf } = accountWith(unlimited);
		void sendAll(times(12, 'a'), { answer: never });
		await passTime(500);
		void sendAll(times(3, 'b'), { answer: never });
		await passTime(60_000);
		expect([timesOf('a'), timesOf('b')]).toEqual([times(10, 0), times(3, 10_000)]);
	});
});

describe("the editor's lists", () => {
	const newList = () => ({ isForEditor: true });

	test('let runs go first, and send one in four seconds', async () => {
		const { send, sendAll, names } = accountWith(paceOf(1));
		for (const name of times(3, 'list')) void send(name, { run: newList() });
		void sendAll(times(14, 'run'));
		await passTime(20_000);
		const sent = names().map((name) => name.slice(0, 1));
		expect(sent.join('')).toMatch(/^l?r{3,4}lr{3}lr{3}l?r+$/);
	});

	test('leave at once if no request of a run is ready', async () => {
		const { send, sendAll, names } = accountWith(paceOf(10));
		void sendAll(times(3, 'run'), { limits: { whatsapp: { count: 1, windowMs: 10_000 } } });
		await passTime(100);
		for (const name of times(5, 'list')) await inTime(send(name, { run: newList() }), 1000);
		expect(names()).toEqual(['run', ...times(5, 'list')]);
	});

	test('keep their turn while a person types', async () => {
		const { send, sendAll, names } = accountWith(paceOf(1));
		void sendAll(times(40, 'run'));
		// Each of them waits when a request can leave, and none of them when the turn comes.
		for (let second = 0; second < 20; second++) {
			const { run, leave } = leavingRun(newList());
			await passTime(1000 * second + 600);
			void send('list', { run });
			await passTime(1000 * second + 1300);
			leave();
		}
		expect(names().filter((name) => name === 'list').length).toBe(4);
	});
});

describe('the credential that was used last', () => {
	/* The seconds from its use until nine waiting requests have left. */
	test.each<[string, Pace, Pace, number]>([
		['without a limit', paceOf(0.1), unlimited, 0],
		['with fewer processes', paceOf(1, { workers: 20 }), paceOf(1), 8.4],
		['slower', paceOf(1), paceOf(0.1), 89.4],
	])('sets the pace, also for what waits: %s', async (_, first, latest, seconds) => {
		const { scheduler, sendAll, left } = accountWith(first);
		const sent = sendAll(times(10, 'x'));
		await passTime(600);
		scheduler.use(latest);
		await inTime(sent);
		expect(left).toHaveLength(10);
		expect((left.at(-1)!.at - 600) / 1000).toBeCloseTo(seconds, 1);
	});
});

/* An n8n with many users meets many accounts. */
const minute = 60_000;

test('an account is forgotten an hour after its last run', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const accounts = times(100, '').map((_, index) => new WeakRef(schedulerOf(`account ${index}`)));
	const left = [];
	for (const minutes of [59, 61]) {
		await passTime(performance.now() + minutes * minute);
		schedulerOf('another');
		await new Promise((resolve) => setImmediate(resolve));
		collect();
		left.push(accounts.filter((each) => each.deref() !== undefined).length);
	}
	expect(left).toEqual([100, 0]);
});

test('an account keeps its limits while a request waits', async () => {
	const everyTwoHours = { account: { count: 1, windowMs: 120 * minute } };
	const scheduler = schedulerOf('slow');
	scheduler.use({ ...unlimited, limits: everyTwoHours });
	const request = { sender: {}, limits: {}, behind: 0 };
	await scheduler.slot(request);
	const second = scheduler.slot(request);
	await passTime(90 * minute);
	expect(schedulerOf('slow')).toBe(scheduler);
	await passTime();
	await second;
});
