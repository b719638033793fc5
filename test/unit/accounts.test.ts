import { inspect } from 'node:util';

import { VirtualClock } from '../../bench/simulation/clock';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import { accountLimits } from '../../nodes/ChatbotService/client/pace/limits';
import { Accounts, accounts as accountsOfProcess } from '../../nodes/ChatbotService/client/pace/accounts';
import type { Ending } from '../../nodes/ChatbotService/client/pace/scheduler';

/* Which accounts a process keeps, and what it keeps of them, in virtual time. */

const token = 'секретный-токен';
const credential = { baseUrl: 'https://app.example.com', token, requestsPerSecond: 2, workers: 1 };
const account = readAccount(credential);
const { limits } = account;
const terms = { limits, workers: 1, bursts: false };

const setUp = () => {
	const clock = new VirtualClock();
	const accounts = new Accounts(clock);
	const scheduler = accounts.schedulerOf(account.key);
	/** Sends a request of the account. */
	const send = async (ending: Ending = {}, tookMs = 10) => {
		const slot = await scheduler.acquire({ run: {}, terms });
		await clock.sleep(tookMs);
		scheduler.release(slot!, ending);
	};
	/** Whether the account is dropped when another account is used at the given time. */
	const isForgottenAt = async (at: number) => {
		await clock.run(at);
		accounts.schedulerOf(`another one at ${at}`);
		return accounts.schedulerOf(account.key) !== scheduler;
	};
	return { clock, accounts, scheduler, send, isForgottenAt };
};

/** A refusal that asks for a wait, after which the request is sent again. */
const refused = (milliseconds: number): Ending => ({
	refused: { askedMs: milliseconds, waitMs: milliseconds },
});

test('All credentials of an account share a scheduler, and each account has its own', () => {
	const { accounts, scheduler } = setUp();
	const schedulerWith = (changes: Partial<typeof credential>) =>
		accounts.schedulerOf(readAccount({ ...credential, ...changes }).key);
	expect(schedulerWith({ baseUrl: 'app.example.com/api/v1/', requestsPerSecond: 5 })).toBe(scheduler);
	expect(schedulerWith({ token: 'другой' })).not.toBe(scheduler);
	expect(schedulerWith({ baseUrl: 'https://app.example.org' })).not.toBe(scheduler);
});

test('An account keeps neither its token nor its address', async () => {
	const { clock, accounts, scheduler, send } = setUp();
	scheduler.enqueue({}, terms, () => {});
	for (let sent = 0; sent < 5; sent++) void send(refused(1000));
	await clock.run(100);
	const shown = inspect(accounts, { depth: Infinity, showHidden: true, maxArrayLength: null });
	expect(shown).toContain(account.key);
	for (const hidden of [token, encodeURIComponent(token), 'app.example.com'])
		expect(shown).not.toContain(hidden);
});

describe('an account that is idle', () => {
	test('An account that has sent nothing is dropped when another account is used', async () => {
		expect(await setUp().isForgottenAt(0)).toBe(true);
	});

	test('An idle account is dropped after its latest request has left the window, and starts again as new', async () => {
		const { send, isForgottenAt } = setUp();
		for (let sent = 0; sent < 2; sent++) void send();
		expect(await isForgottenAt(1009)).toBe(false);
		expect(await isForgottenAt(1010)).toBe(true);
	});

	test('An idle account is kept until another account is used', async () => {
		const { clock, accounts, scheduler, send } = setUp();
		void send();
		await clock.run(10_000_000);
		expect(accounts.schedulerOf(account.key)).toBe(scheduler);
	});

	test.each<[string, Ending]>([
		['after a refusal', refused(200_000)],
		['since the service is closed', { closedMs: 200_000 }],
	])('An idle account that is paused %s is kept until the pause is over', async (_, ending) => {
		const { send, isForgottenAt } = setUp();
		void send(ending);
		expect(await isForgottenAt(200_009)).toBe(false);
		expect(await isForgottenAt(200_010)).toBe(true);
	});

	test('An idle account is dropped only if its scheduler is like new', async () => {
		const { accounts, send, isForgottenAt } = setUp();
		void send(refused(100_000));
		const idle = accounts.schedulerOf('idle');
		expect(await isForgottenAt(70_000)).toBe(false);
		expect(accounts.schedulerOf('idle')).not.toBe(idle);
	});
});

describe('an account that is not idle', () => {
	test('An account with a request in flight is kept, however long the request takes', async () => {
		const { send, isForgottenAt } = setUp();
		void send({}, 10_000_000);
		expect(await isForgottenAt(9_000_000)).toBe(false);
		expect(await isForgottenAt(10_001_000)).toBe(true);
	});

	test('An account with a waiting request is kept, even if the process is too busy to send it in time', async () => {
		let now = 0;
		const accounts = new Accounts({ now: () => now, sleep: async () => await new Promise(() => {}) });
		const scheduler = accounts.schedulerOf(account.key);
		const one = { ...terms, limits: accountLimits(1) };
		for (let sent = 0; sent < 2; sent++) {
			void scheduler.acquire({ run: {}, terms: one }).then((slot) => scheduler.release(slot!));
		}
		await new Promise((resolve) => setImmediate(resolve));
		now = 10_000_000;
		accounts.schedulerOf('another one');
		expect(accounts.schedulerOf(account.key)).toBe(scheduler);
	});
});

test('The schedulers of the process use the system clock', async () => {
	const scheduler = accountsOfProcess.schedulerOf('real time');
	const limits = { short: { count: 1, windowMs: 100 } };
	const send = async () => {
		const slot = await scheduler.acquire({ run: {}, terms: { ...terms, limits } });
		scheduler.release(slot!);
		return performance.now();
	};
	const [first, second] = await Promise.all([send(), send()]);
	expect(second - first).toBeGreaterThanOrEqual(99);
});
