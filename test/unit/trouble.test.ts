import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { broken, closed, failing, forbidden, limited, lost, ok, refused } from './answers';
import { newCredential, once, range, runFor, type RunChanges } from './runs';

/* Trouble of the account in the middle of a broadcast, and what the broadcast loses. Times are virtual, in milliseconds. */

useVirtualTime();

const { notAttempted, tokenRefused, tooManyRequests } = failures;
const unknown = failing(404, '');
const revoked = failing(401, 'Unauthenticated.');
const gone = failing(404, 'The route api/v1/sendMessage could not be found.');
const unconnected = (): never => {
	throw lost('ECONNREFUSED');
};
const unreached = failures.unreachable('');

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
	const failedWith = ({ message }: failures.Failure) =>
		run.errors.filter((error) => error === message).length;
	return { ...run, failedWith };
}

const after =
	(count: number, trouble: () => ServiceAnswer): Service =>
	(_at, so) =>
		so <= count ? ok : trouble();

const forbiddenToAll = failures.accessRefused({ expected: [], isForeign: false });
const failed = failures.serviceFailed(500);

test.each<[string, () => ServiceAnswer, requests: number, failures.Failure, rest?: failures.Failure]>([
	['the token is revoked', () => revoked, 3, tokenRefused()],
	['the plan expires', () => forbidden, 3, forbiddenToAll],
	['the endpoint is gone', () => gone, 3, failures.unknownEndpoint(404, [])],
	['it is gone without words', () => unknown, 20, failures.unknownEndpoint(404, [])],
	['the service asks for an hour', () => limited(3600), 1, tooManyRequests()],
	['it is closed for an hour', () => closed(3600), 1, failures.underMaintenance()],
	['it fails at everything', () => broken, 20, failed, failures.manyUnknown(20, failed)],
])('a broadcast ends if %s, and a later one goes on', async (_, ...[trouble, requests, failure, last]) => {
	const entries = new FakeEntries();
	const rest = last ?? failure;
	const run = await broadcast(60, after(30, trouble), { entries });
	expect(run.to).toHaveLength(30 + requests);
	const ends = [run.done, run.failedWith(failure), run.failedWith(notAttempted(rest))];
	expect(ends).toEqual([30, requests, 30 - requests]);
	const [numbers, reason, advice] = run.notice.split('<br>');
	expect(numbers).toBe(`30 sent, ${requests} failed, ${30 - requests} not attempted.`);
	expect([reason, advice]).toEqual([`${rest.message}.`, expect.stringContaining("with 'Send Once Per'")]);
	expect(run.logged.join()).toContain(`${numbers} ${reason}`);
	// Everybody who has no message gets it later, and nobody twice. Only those in doubt are left out.
	const doubtful = trouble() === broken ? 20 : 0;
	const next = await broadcast(60, () => ok, { entries: entries.inAnotherProcess() });
	expect(next.to).toHaveLength(30 - doubtful);
	expect(new Set([...run.to.slice(0, 30), ...next.to]).size).toBe(60 - doubtful);
});

const restarts =
	(lengthMs: number): Service =>
	(at) =>
		at >= 20_000 && at < 20_000 + lengthMs ? unconnected() : ok;

test.each<[string, Service, boolean]>([
	['a restart of six seconds', restarts(6000), true],
	['maintenance from the first request on', (at) => (at < 120_000 ? closed() : ok), true],
])('%s costs nobody', async (_, service, continues) => {
	expect((await broadcast(60, service, { continues })).done).toBe(60);
});

test('a restart of over five minutes ends it, as logged', async () => {
	const run = await broadcast(100, restarts(900_000));
	expect(run.times.at(-1)! - 20_000).toBeGreaterThan(290_000);
	expect(run.tookMs - 20_000).toBeLessThan(302_000);
	expect(run.done).toBeGreaterThan(30);
	expect(run.failedWith(unreached) + run.failedWith(notAttempted(unreached))).toBe(100 - run.done);
	expect(run.failedWith(unreached)).toBeLessThan(15);
	// Every 30 seconds, with the reason and the longest wait.
	const waits = run.logged.flatMap((line) => / It waits: (.*)/.exec(line)?.[1] ?? []);
	for (const [index, left] of [292, 262, 232, 202, 172].entries()) {
		const times = `The next request leaves in 3 s, and the run waits for ${left} s at most`;
		expect(waits[index]).toBe(`${unreached.message}. ${times}`);
	}
});

describe('the others get their messages', () => {
	const every =
		(most: number, usual: () => ServiceAnswer, other: ServiceAnswer): Service =>
		(_at, count) =>
			count % most ? usual() : other;

	test.each<[string, Service, done: number]>([
		['every person is missing', () => failing(404, 'No query results for model [Contact].'), 0],
		['every person belongs to another account', () => failing(403, 'This action is unauthorized.'), 0],
		['every person has blocked the bot', () => failing(403, 'Контакт заблокировал бота'), 0],
		['19 people in a row are unknown', (_at, count) => (count % 20 === 1 ? ok : unknown), 3],
		['two refusals of the token come before others', every(3, () => revoked, refused), 0],
		['19 unknown outcomes come before successes', every(20, () => broken, ok), 3],
		['maintenance and answers alternate', every(2, closed, ok), 60],
		['answers and failed connections alternate', (_at, count) => (count % 2 ? ok : unconnected()), 60],
	])('if %s', async (_, service, done) => {
		const run = await broadcast(60, service);
		expect([run.done, new Set(run.to).size]).toEqual([done, 60]);
		expect(run.notice).not.toContain('not attempted');
	});

	const contacts = range(0, 60).map((id) => ({ id: id + 1, messenger: id % 3 ? 'vk' : 'whatsapp' }));
	const parameters = { contactMessenger: '={{ $json.messenger }}' };

	test('in other messengers if one is at a limit', async () => {
		const service: Service = (_at, _count, contact) => (contact % 3 === 1 ? limited(3600) : ok);
		const { to, notice } = await broadcast(60, service, {}, parameters, contacts);
		const said = ['40 sent, 1 failed, 19 not attempted.', `${tooManyRequests().message}.`];
		expect([to.length, ...notice.split('<br>').slice(0, 2)]).toEqual([41, ...said]);
	});
});

test('a Base URL where nobody answers ends it soon', async () => {
	const { to, tookMs, failedWith } = await broadcast(300, unconnected);
	expect(tookMs).toBeLessThan(10_000);
	expect(to.length).toBeLessThan(25);
	expect(failedWith(notAttempted(unreached))).toBeGreaterThan(280);
});

test.each<[string, () => ServiceAnswer, seconds: number]>([
	['cannot be sent', unconnected, 4],
	['is refused by a limit for ever', () => limited(1), 305],
])('a single message that %s ends soon', async (_, trouble, seconds) => {
	const { tookMs, errors } = await broadcast(1, trouble);
	expect([errors.length, errors[0] !== '', tookMs < seconds * 1000]).toEqual([1, true, true]);
});

test('trouble of another run stops a run that waits', async () => {
	const credential = newCredential(2);
	const service = after(10, () => closed(3600));
	const other = broadcast(40, service, { credential });
	const { error } = await broadcast(40, service, { credential, continues: false });
	await other;
	expect(error!.message).toContain(failures.underMaintenance().message);
	expect(error!.description).toMatch(/^10 sent, 30 not attempted\. /);
});
