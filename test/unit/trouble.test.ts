import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import {
	accessRefused,
	manyUnknown,
	notAttempted,
	serviceFailed,
	tokenRefused,
	tooManyRequests,
	underMaintenance,
	unknownEndpoint,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { broken, closed, failing, forbidden, limited, ok, refused } from './answers';
import { newCredential, once, range, runFor, type RunChanges } from './runs';

/* Trouble of the account in the middle of a broadcast, and what the broadcast loses. Times are virtual, in milliseconds. */

useVirtualTime();

const revoked = failing(401, 'Unauthenticated.');
const gone = failing(404, 'The route api/v1/sendMessage could not be found.');
const unconnected = (): never => {
	throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED' });
};

/** An answer that depends on the time since the first request, and on the number of requests so far. */
type Service = (at: number, count: number, contact: number) => ServiceAnswer;

/** A broadcast at the usual pace of two requests per second that continues after failures. */
async function broadcast(
	count: number,
	service: Service,
	changes: RunChanges = {},
	parameters: Record<string, unknown> = changes.entries ? once : {},
	contacts?: object[],
) {
	let firstAt: number | undefined;
	const answerTo = (contact: number, { length }: number[]) =>
		service(performance.now() - (firstAt ??= performance.now()), length, contact);
	const context = { answerTo, continues: true, credential: newCredential(2), ...changes };
	const run = await runFor(count, context, parameters, contacts);
	const failedWith = ({ message }: Failure) => run.errors.filter((error) => error === message).length;
	return { ...run, failedWith };
}

const after =
	(count: number, trouble: () => ServiceAnswer): Service =>
	(_at, so) =>
		so <= count ? ok : trouble();

const refusal = { expected: [], isForeign: false };

test.each<[string, () => ServiceAnswer, requests: number, Failure, rest?: Failure]>([
	['the token is revoked', () => revoked, 3, tokenRefused(401)],
	['the plan expires', () => forbidden, 3, accessRefused(403, refusal)],
	['the endpoint is gone', () => gone, 3, unknownEndpoint(404, [])],
	['it is gone, and the service has no words for it', () => failing(404, ''), 20, unknownEndpoint(404, [])],
	['the service asks for an hour', () => limited(3600), 1, tooManyRequests(429)],
	['it is closed for an hour', () => closed(3600), 1, underMaintenance(503)],
	['it fails at everything', () => broken, 20, serviceFailed(500), manyUnknown(20, serviceFailed(500))],
])(
	'trouble after 60 of 150 messages ends the broadcast if %s',
	async (_, trouble, requests, failure, rest = failure) => {
		const entries = new FakeEntries();
		const run = await broadcast(150, after(60, trouble), { entries });
		expect(run.to).toHaveLength(60 + requests);
		expect([run.done, run.failedWith(failure), run.failedWith(notAttempted(rest))]).toEqual([
			...[60, requests, 90 - requests],
		]);
		const [numbers, reason, advice] = run.notice.split('<br>');
		const failed = requests ? `${requests} failed, ` : '';
		expect(numbers).toBe(`60 sent, ${failed}${90 - requests} not attempted.`);
		expect([reason, advice]).toEqual([`${rest.message}.`, expect.stringContaining("with 'Send Once Per'")]);
		expect(run.logged.join()).toContain(`${numbers} ${reason}`);
		// Everybody who has no message gets it later, and nobody twice. Only those in doubt are left out.
		const doubtful = trouble() === broken ? 20 : 0;
		const next = await broadcast(150, () => ok, { entries: entries.inAnotherProcess() });
		expect(next.to).toHaveLength(90 - doubtful);
		expect(new Set([...run.to.slice(0, 60), ...next.to]).size).toBe(150 - doubtful);
	},
);

test('after trouble without Send Once Per, the notice says with which items to start again', async () => {
	const credential = newCredential(2);
	const { notice } = await runFor(20, { answerTo: () => revoked, continues: true, credential });
	expect(notice).toContain('only with the items that were not attempted.');
});

describe('a restart of the service', () => {
	const restarts =
		(lengthMs: number): Service =>
		(at) =>
			at >= 20_000 && at < 20_000 + lengthMs ? unconnected() : ok;

	test.each([true, false])('of six seconds costs nobody (continues: %s)', async (continues) => {
		const { done, times } = await broadcast(200, restarts(6000), { continues });
		expect(done).toBe(200);
		// One request tries after 1, 2 and 4 seconds, and the others follow only after it has succeeded.
		const tried = times.filter((at) => at >= 20_000 && at < 26_000);
		expect(tried.slice(1).map((at, index) => Math.round((at - tried[index]!) / 1000))).toEqual([1, 2]);
	});

	test('of more than five minutes ends the broadcast after five minutes', async () => {
		const run = await broadcast(200, restarts(900_000));
		expect(run.times.at(-1)! - 20_000).toBeGreaterThan(290_000);
		expect(run.tookMs - 20_000).toBeLessThan(302_000);
		const unreached = unreachable('');
		expect(run.done).toBeGreaterThan(30);
		expect(run.failedWith(unreached) + run.failedWith(notAttempted(unreached))).toBe(200 - run.done);
		expect(run.failedWith(unreached)).toBeLessThan(15);
	});

	test('is in the log of n8n every 30 seconds, with the reason and the longest wait', async () => {
		const { logged } = await broadcast(60, restarts(150_000));
		const waits = logged.flatMap((line) => / It waits: (.*)/.exec(line)?.[1] ?? []);
		expect(waits).toEqual(
			[291, 261, 231, 201, 171].map((left) => {
				const times = `The next request leaves in 3 s, and the run waits for ${left} s at most`;
				return `${unreachable('').message}. ${times}`;
			}),
		);
	});

	test('is waited for by all runs of the account, and one request tries for all of them', async () => {
		const credential = newCredential(2);
		let requests = 0;
		const answerTo = () => {
			if (performance.now() < 20_000 || performance.now() >= 60_000) return ok;
			requests++;
			return unconnected();
		};
		const runs = range(0, 3).map(async () => await runFor(40, { answerTo, continues: true, credential }));
		for (const { done } of await Promise.all(runs)) expect(done).toBe(40);
		// Alone, a run tries ten times in forty seconds.
		expect(requests).toBeLessThanOrEqual(14);
	});
});

describe('the others get their messages', () => {
	test.each<[string, ServiceAnswer]>([
		['has wrong values', refused],
		['is missing', failing(404, 'No query results for model [Contact].')],
		['belongs to another account', failing(403, 'This action is unauthorized.')],
		['has blocked the bot', failing(403, 'Контакт заблокировал бота')],
	])('if every person %s', async (_, refusal) => {
		const { to, notice } = await broadcast(60, () => refusal);
		expect(to).toHaveLength(60);
		expect(notice).toBe('0 sent, 60 failed.');
	});

	test('if many people in a row are unknown, and the service has no words for it', async () => {
		const unknown = failing(404, '');
		const { to, done } = await broadcast(60, (_at, count) => (count % 20 === 1 ? ok : unknown));
		expect([to.length, done]).toEqual([60, 3]);
	});

	test.each<[string, number, ServiceAnswer]>([
		['two refusals of the token', 2, revoked],
		['19 unknown outcomes', 19, broken],
	])('if %s are followed by another answer, again and again', async (_, inRow, failure) => {
		for (const other of [refused, ok]) {
			const { to } = await broadcast(120, (_at, count) => (count % (inRow + 1) ? failure : other));
			expect(to).toHaveLength(120);
		}
	});

	test.each<[string, () => ServiceAnswer]>([
		['refusals by a limit', () => limited()],
		['maintenance', () => closed()],
		['connections that cannot be made', unconnected],
	])('if %s and answers alternate', async (_, trouble) => {
		const { done } = await broadcast(60, (_at, count) => (count % 2 ? ok : trouble()));
		expect(done).toBe(60);
	});

	test('in other messengers, if the limit of one messenger is used up for an hour', async () => {
		const contacts = range(0, 60).map((id) => ({ id: id + 1, messenger: id % 3 ? 'vk' : 'whatsapp' }));
		const service: Service = (_at, _count, contact) => (contact % 3 === 1 ? limited(3600) : ok);
		const parameters = { ...once, contactMessenger: '={{ $json.messenger }}' };
		const entries = new FakeEntries();
		const { done, to, notice } = await broadcast(60, service, { entries }, parameters, contacts);
		expect([done, to.length]).toEqual([40, 41]);
		const { message } = tooManyRequests(429);
		expect(notice).toMatch(new RegExp(`^40 sent, 1 failed, 19 not attempted\\.<br>${message}\\.<br>`));
	});

	test('until trouble of the account ends the run, after the limit of one messenger', async () => {
		const contacts = range(0, 60).map((id) => ({ id: id + 1, messenger: id % 3 ? 'vk' : 'whatsapp' }));
		const service: Service = (_at, count, contact) =>
			contact % 3 === 1 ? limited(3600) : count > 20 ? revoked : ok;
		const parameters = { contactMessenger: '={{ $json.messenger }}' };
		const { done, notice, failedWith } = await broadcast(60, service, {}, parameters, contacts);
		expect([done, failedWith(tokenRefused(401))]).toEqual([19, 3]);
		expect(notice).toMatch(
			new RegExp(`^19 sent, 4 failed, 37 not attempted\\.<br>${tokenRefused(401).message}`),
		);
	});
});

describe('trouble from the first request on', () => {
	test('a Base URL that nobody answers at ends a broadcast within seconds', async () => {
		const { to, tookMs, failedWith } = await broadcast(300, unconnected);
		expect(tookMs).toBeLessThan(10_000);
		expect(to.length).toBeLessThan(25);
		expect(failedWith(notAttempted(unreachable('')))).toBeGreaterThan(280);
	});

	test('a broadcast waits for the end of maintenance', async () => {
		const { done } = await broadcast(20, (at) => (at < 120_000 ? closed() : ok));
		expect(done).toBe(20);
	});

	test.each<[string, () => ServiceAnswer, seconds: number]>([
		['cannot be sent', unconnected, 4],
		['comes during maintenance', () => closed(), 35],
		['is to wait for an hour', () => limited(3600), 2],
		['is refused by a limit for ever', () => limited(1), 305],
	])('a single message that %s ends soon', async (_, trouble, seconds) => {
		const { tookMs, errors } = await broadcast(1, trouble);
		expect([errors.length, errors[0] !== '']).toEqual([1, true]);
		expect(tookMs).toBeLessThan(seconds * 1000);
	});
});

test('the trouble of another run stops a run that waits, in stop mode', async () => {
	const credential = newCredential(2);
	const service = after(10, () => closed(3600));
	const other = broadcast(40, service, { credential });
	const { error } = await broadcast(40, service, { credential, continues: false });
	await other;
	expect(error!.message).toContain(underMaintenance(503).message);
	expect(error!.description).toMatch(/^10 sent, 30 not attempted\. /);
});
