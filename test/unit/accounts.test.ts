import { inspect } from 'node:util';

import { VirtualClock } from '../../bench/simulation/clock';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import { accountLimits, type Terms } from '../../nodes/ChatbotService/client/pace/limits';
import type { Taken } from '../../nodes/ChatbotService/client/pace/scheduler';
import { TurnsByAccount, turnsOf } from '../../nodes/ChatbotService/client/pace/accounts';

/* What the process keeps of its accounts, in virtual time. */

const token = 'секретный-токен';
const credential = { baseUrl: 'https://app.example.com', token, requestsPerSecond: 2, workers: 1 };
const account = readAccount(credential);
const { limits } = account;
const terms = { limits, workers: 1, bursts: false };

const setUp = () => {
	const clock = new VirtualClock();
	const accounts = new TurnsByAccount(clock);
	const turns = accounts.of(account);
	/** Sends a request of the account. */
	const send = (taken: Taken | Error = {}, tookMs = 10, kept: Terms = terms) =>
		void turns
			.take({ run: {}, terms: kept }, async () => {
				await clock.sleep(tookMs);
				if (taken instanceof Error) throw taken;
				return taken;
			})
			.catch(() => {});
	/** Whether the account is forgotten when another one asks at a time. */
	const isForgottenAt = async (at: number) => {
		await clock.run(at);
		accounts.of({ ...account, key: `another one at ${at}` });
		return accounts.of(account) !== turns;
	};
	return { clock, accounts, turns, send, isForgottenAt };
};

/** A refusal that asks for a wait, and is repeated after it. */
const refused = (milliseconds: number): Taken => ({
	refused: { askedMs: milliseconds, waitMs: milliseconds },
});

test('The turns of an account are the same for all credentials of it, and others for another account', () => {
	const { accounts, turns } = setUp();
	const same = readAccount({ ...credential, baseUrl: 'app.example.com/api/v1/', requestsPerSecond: 5 });
	expect(accounts.of(same)).toBe(turns);
	expect(accounts.of(readAccount({ ...credential, token: 'другой' }))).not.toBe(turns);
	expect(accounts.of(readAccount({ ...credential, baseUrl: 'https://app.example.org' }))).not.toBe(turns);
});

test('The token and the address appear nowhere in what is kept of an account', async () => {
	const { clock, accounts, turns, send } = setUp();
	turns.lineUp({}, terms, () => {});
	for (let sent = 0; sent < 5; sent++) send(refused(1000));
	await clock.run(100);
	const shown = inspect(accounts, { depth: Infinity, showHidden: true, maxArrayLength: null });
	expect(shown).toContain(account.key);
	for (const hidden of [token, encodeURIComponent(token), 'app.example.com'])
		expect(shown).not.toContain(hidden);
});

describe('an account that is idle', () => {
	test('An account that has sent nothing is forgotten when another one asks', async () => {
		expect(await setUp().isForgottenAt(0)).toBe(true);
	});

	test('An idle account is forgotten once its latest answer may not be of any window any more, and begins anew', async () => {
		const { send, isForgottenAt } = setUp();
		for (let sent = 0; sent < 2; sent++) send();
		expect(await isForgottenAt(61_009)).toBe(false);
		expect(await isForgottenAt(61_010)).toBe(true);
	});

	test('An idle account is kept while no other one asks', async () => {
		const { clock, accounts, turns, send } = setUp();
		send();
		await clock.run(10_000_000);
		expect(accounts.of(account)).toBe(turns);
	});

	test.each<[string, Taken, number]>([
		['that is paused after a refusal', refused(200_000), 200_010],
		['that is paused since the service is closed', { closedMs: 200_000 }, 200_010],
		[
			'whose count is not listened to for ten minutes',
			{ count: { limit: 120, remaining: 5 }, ...refused(1000) },
			600_010,
		],
	])('An idle account %s is kept until that is over', async (_, taken, until) => {
		const { send, isForgottenAt } = setUp();
		send(taken);
		expect(await isForgottenAt(until - 1)).toBe(false);
		expect(await isForgottenAt(until)).toBe(true);
	});

	test('An idle account that was slowed down is kept until its pace has come back', async () => {
		const { clock, accounts, turns, send } = setUp();
		for (let sent = 0; sent < 2; sent++) send(refused(1000), 0, { ...terms, limits: accountLimits(0.1) });
		await clock.run(600_000);
		accounts.of({ ...account, key: 'another one' });
		expect(accounts.of(account)).toBe(turns);
		await clock.run(4_000_000);
		accounts.of({ ...account, key: 'a third one' });
		expect(accounts.of(account)).not.toBe(turns);
	});

	const [fast, slow] = [5, 0.01].map((perSecond) => ({ ...terms, limits: accountLimits(perSecond) }));

	test.each([
		['the slow one first', [slow!, fast!]],
		['the fast one first', [fast!, slow!]],
	])(
		'An idle account is kept while something matters at the pace of any of its credentials, %s',
		async (_, all) => {
			const { send, isForgottenAt } = setUp();
			for (const kept of all) send({}, 10, kept);
			expect(await isForgottenAt(100_009)).toBe(false);
			expect(await isForgottenAt(100_010)).toBe(true);
		},
	);

	test('Of several idle accounts only those are forgotten of which nothing matters any more', async () => {
		const { clock, accounts, turns, send } = setUp();
		send(refused(100_000));
		const idle = accounts.of({ ...account, key: 'idle' });
		await clock.run(70_000);
		accounts.of({ ...account, key: 'another one' });
		expect(accounts.of(account)).toBe(turns);
		expect(accounts.of({ ...account, key: 'idle' })).not.toBe(idle);
	});
});

describe('an account that is not idle', () => {
	test('An account with a request under way is kept, however long that takes', async () => {
		const { send, isForgottenAt } = setUp();
		send({}, 10_000_000);
		expect(await isForgottenAt(9_000_000)).toBe(false);
		expect(await isForgottenAt(10_061_000)).toBe(true);
	});

	test('An account whose request is called but not sent yet is kept', async () => {
		const { turns, isForgottenAt } = setUp();
		turns.lineUp({}, { ...terms, limits: {} }, () => {});
		expect(await isForgottenAt(10_000_000)).toBe(false);
	});

	test('An account with a request that waits is kept, also when the process is too busy to send it in time', async () => {
		let now = 0;
		const accounts = new TurnsByAccount({ now: () => now, sleep: async () => await new Promise(() => {}) });
		const turns = accounts.of(account);
		const one = { ...terms, limits: accountLimits(1) };
		for (let sent = 0; sent < 2; sent++) void turns.take({ run: {}, terms: one }, async () => ({}));
		await new Promise((resolve) => setImmediate(resolve));
		now = 10_000_000;
		accounts.of({ ...account, key: 'another one' });
		expect(accounts.of(account)).toBe(turns);
	});

	test('A request that throws leaves nothing that keeps its account', async () => {
		const { send, isForgottenAt } = setUp();
		send(new Error('lost'));
		expect(await isForgottenAt(61_010)).toBe(true);
	});
});

test('The turns of the process go by the time that really passes', async () => {
	const left: number[] = [];
	const send = async () =>
		await turnsOf({ ...account, key: 'real time' }).take(
			{ run: {}, terms: { ...terms, limits: { short: { count: 1, windowMs: 100 } } } },
			async () => {
				left.push(performance.now());
				return {};
			},
		);
	await Promise.all([send(), send()]);
	expect(left[1]! - left[0]!).toBeGreaterThanOrEqual(99);
});
