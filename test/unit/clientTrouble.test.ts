import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { ServiceRequest } from '../../nodes/ChatbotService/client/http/request';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { inTime, useVirtualTime } from '../virtualTime';
import { broken, busy, closed, limited, ok } from './answers';
import {
	credentialOf,
	ask,
	callerOf,
	clientOf,
	done,
	failureIn,
	failureOf,
	lost,
	message,
	pass,
	requestOf,
	tag,
	type Reaction,
} from './clients';

/* What trouble of the account does to requests of clients. The waits are in gate.test.ts. */

useVirtualTime();

test.each<[string, Reaction[], number[]]>([
	['with the wait that follows', [limited(7), limited(2), ok], [8000, 3000]],
	['without a wait if it is given up', [limited(301)], [0]],
	['and of no other failure', [lost('ECONNREFUSED'), closed(), ok], []],
])('a run is told of each refusal by a limit, %s', async (_, reactions, waits) => {
	const { refused } = await ask(reactions);
	expect(refused.mock.calls).toEqual(waits.map((waitMs) => [waitMs, false]));
});

test('a run is told whether limits were assumed for a refused request', async () => {
	const { refused } = await ask([limited(7), ok], requestOf({ limits: messageLimits(undefined) }));
	expect(refused.mock.calls).toEqual([[8000, true]]);
});

test.each<[string, Limits, string]>([
	['the messenger, if its limit was assumed', messageLimits(undefined), `${message.advice!.assumedLimits} `],
	['the account, if the messenger is known', messageLimits('telegram'), ''],
])('at a limit, the text of the failure begins with %s', async (_, limits, expected) => {
	const credential = credentialOf({ requestsPerSecond: 2 });
	const { description } = tooManyRequests(429, 301_000, 'Too Many Attempts.');
	const failure = await failureOf([limited(301)], requestOf({ limits }), credential);
	expect(failure.description).toBe(`${expected}${description}`);
});

test.each<[string, Reaction[], ServiceRequest, number]>([
	['fails and asks for a wait', [busy(7), ok], tag, 0],
	['cannot be reached before its first answer', [lost('ECONNREFUSED'), ok], tag, 0],
	['cannot be reached after it has answered', [ok, lost('ECONNREFUSED'), ok], tag, 1000],
	['is closed for two minutes', [closed(120), ok], message, 121_000],
	['is closed', [closed(), ok], message, 1000],
	['is at a limit', [limited(7), ok], message, 8000],
])(
	'if the service %s, other requests of the account wait as long as necessary, and other accounts do not wait',
	async (_, reactions, request, waitMs) => {
		const credential = credentialOf();
		const [first, other, stranger] = [
			clientOf(reactions, credential),
			clientOf([ok], credential),
			clientOf([ok]),
		];
		const { caller, refused } = callerOf();
		const asked = reactions.slice(1).map(() => first.client.request(callerOf().caller, request));
		await pass(50);
		const later = [other, stranger].map(({ client }) => client.request(caller, message));
		await inTime(Promise.all([...asked, ...later]));
		expect(other.times()[0]).toBeGreaterThanOrEqual(waitMs - 60);
		expect(other.times()[0]).toBeLessThan(waitMs + 200);
		expect(stranger.times()[0]).toBeLessThan(200);
		expect(refused).not.toHaveBeenCalled();
	},
);

test.each<[string, boolean, Reaction[], attempts: number, seconds: number]>([
	['three times before its first answer', true, [], 3, 3],
	['three times for a list of the editor', false, [ok], 3, 3],
	['for five minutes after an answer', true, [ok], 62, 297],
])('a service that cannot be reached is tried %s', async (_, isPatient, before, attempts, seconds) => {
	const { client, sent } = clientOf([...before, lost('ECONNREFUSED')]);
	const { caller, gaveUp } = callerOf(isPatient);
	for (const answered of before)
		expect(await inTime(client.request(caller, message))).toEqual(answered && done);
	expect(failureIn(await inTime(client.request(caller, message)))).toMatchObject({ outcome: 'notDone' });
	expect(sent).toHaveLength(before.length + attempts);
	expect(Math.round(performance.now() / 1000)).toBe(seconds);
	expect(gaveUp).toHaveBeenCalledTimes(1);
});

test('a request that is sent again goes before the other requests of its run', async () => {
	const credential = credentialOf({ requestsPerSecond: 1 });
	const { client, sent } = clientOf([limited(7), ok], credential);
	const { caller } = callerOf();
	const requests = [1, 2, 3].map((value) => requestOf({ parameters: [{ name: 'contact_id', value }] }));
	await inTime(Promise.all(requests.map((request) => client.request(caller, request))));
	expect(sent.map(({ options }) => options.qs!.contact_id)).toEqual([1, 1, 2, 3]);
});

test('the five minutes of a request begin with its own trouble, not with its wait for others', async () => {
	const credential = credentialOf();
	const { client } = clientOf([broken, limited(20), limited(20), ok], credential);
	void clientOf([closed(290), ok], credential).client.request(callerOf().caller, message);
	await pass(10);
	expect(await inTime(client.request(callerOf().caller, tag))).toEqual(done);
});
