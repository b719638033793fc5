import type { IHttpRequestOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { Client } from '../../nodes/ChatbotService/client/client';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { ServiceRequest } from '../../nodes/ChatbotService/client/http/request';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/messageLimits';
import { inTime, pass, useVirtualTime } from '../virtualTime';
import { broken, busy, closed, limited, lost, ok } from './answers';
import { ask, callerOf, clientOf, credentialOf, done, list } from './clients';
import { message, pageOf, tag, type Reaction } from './clients';

/*
 * What trouble of the account and of n8n does to requests of clients. The waits are in gate.test.ts; edits of a credential during a whole
 * run are in engine/failures.test.ts.
 */

useVirtualTime();

const unknown = messageLimits(undefined);

test.each<[string, Reaction[], Limits, waits: number[]]>([
	['with the waits', [limited(7), limited(2), ok], {}, [8000, 3000]],
	['and of no other failure', [lost('ECONNREFUSED'), closed(), ok], {}, []],
	['and whether limits were assumed', [limited(7), ok], unknown, [8000]],
])('a run is told of each refusal by a limit, %s', async (_, reactions, limits, waits) => {
	const { refused } = await ask(reactions, { ...message, limits });
	expect(refused.mock.calls).toEqual(waits.map((waitMs) => [waitMs, limits === unknown]));
});

test.each<[string, Reaction[], ServiceRequest, number]>([
	['fails and asks for a wait', [busy(7), ok], tag, 0],
	['cannot be reached before its first answer', [lost('ECONNREFUSED'), ok], tag, 0],
	['cannot be reached after it has answered', [ok, lost('ECONNREFUSED'), ok], tag, 1000],
	['is at a limit', [limited(7), ok], message, 8000],
])('only the account waits if the service %s', async (_, reactions, request, waitMs) => {
	const credential = credentialOf();
	const first = clientOf(reactions, credential);
	const [other, stranger] = [clientOf([ok], credential), clientOf([ok])];
	const asked = reactions.slice(1).map(() => first.client.request(callerOf().caller, request));
	await pass(50);
	const later = [other.request(), stranger.request()];
	await inTime(Promise.all([...asked, ...later]));
	expect(other.times()[0]).toBeGreaterThanOrEqual(waitMs - 60);
	expect(other.times()[0]).toBeLessThan(waitMs + 200);
	expect(stranger.times()[0]).toBeLessThan(200);
	expect(other.refused).not.toHaveBeenCalled();
});

test('the editor tries a lost connection three times', async () => {
	const { request, sent } = clientOf([ok, lost('ECONNREFUSED')], credentialOf(), false);
	for (let asked = 0; asked < 2; asked++) await inTime(request());
	expect(sent).toHaveLength(1 + 3);
});

test('five minutes begin with the trouble of a request', async () => {
	const credential = credentialOf();
	const { request } = clientOf([broken, limited(20), limited(20), ok], credential);
	void clientOf([closed(290), ok], credential).request();
	await pass(10);
	expect(await inTime(request(tag))).toEqual(done);
});

type Held = ReturnType<typeof credentialOf>;

/** A client in an n8n that sends so. */
function clientIn(send: (options: IHttpRequestOptions, held: Held) => Promise<ServiceAnswer>) {
	const held = credentialOf();
	const addresses: unknown[] = [];
	const client = new Client(readAccount(held), async (options) => {
		const answered = await send(options, held);
		addresses.push(options.baseURL);
		return answered;
	});
	const ask = async (request = message) => await inTime(client.request(callerOf().caller, request));
	return { ask, addresses };
}

const unsupported = failures.unsupportedN8n('unknown');

test.each<[string, ServiceRequest, ServiceAnswer, failures.Failure]>([
	['a message', message, ok, withAdvice(unsupported, message.advice)],
	['a tag', tag, ok, withAdvice(unsupported, tag.advice)],
	['a list', list, pageOf(1, 2, 'а'), unsupported],
])('if n8n hides the credential of %s, nothing follows', async (_, request, answered, failure) => {
	const { ask, addresses } = clientIn(async () => answered);
	expect(await ask(request)).toEqual({ failure });
	expect(await ask(request)).toEqual({ failure: failures.unsupportedN8n('notDone') });
	expect(addresses).toHaveLength(1);
});

test.each<[string, baseUrl: string, outcome: unknown, addresses: string[]]>([
	['goes to the new one', 'https://new.ru', done, ['https://new.ru/api/v1']],
	['says so if there is none now', '', { failure: failures.invalidAddress() }, []],
])('a request whose address has changed %s', async (_, baseUrl, outcome, addresses) => {
	const client = clientIn(async (options, held) => {
		await new ChatbotServiceApi().authenticate({ ...held, baseUrl }, options);
		return ok;
	});
	expect(await client.ask()).toEqual(outcome);
	expect(client.addresses).toEqual(addresses);
});
