import { Client } from '../../nodes/ChatbotService/client/client';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import {
	credentialChanges,
	interrupted,
	invalidAddress,
	timedOut,
	unsupportedN8n,
} from '../../nodes/ChatbotService/client/failure/failure';
import { ofReading, withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { witnessOf } from '../../nodes/ChatbotService/client/http/request';
import { inTime, useVirtualTime } from '../virtualTime';
import { answer, ok } from './answers';
import { callerOf, credentialOf, done, list, lost, message, pageOf, tag } from './clients';

/* How a client learns with which credential n8n sends its requests. Edits of it during a whole run: engine/failures.test.ts. */

useVirtualTime();

type Held = ReturnType<typeof credentialOf>;

/** A client in an n8n that sends so. */
function clientIn(send: (options: object, held: Held) => Promise<ServiceAnswer>) {
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

const unwitnessed = { failure: withAdvice(unsupportedN8n('unknown'), message.advice) };

describe('if n8n does not tell the credential of a request', () => {
	test.each([
		['a message', message, ok, unwitnessed],
		['a refused message', message, answer(422, { message: 'Нет' }), unwitnessed],
		['a tag', tag, ok, { failure: withAdvice(unsupportedN8n('unknown'), tag.advice) }],
		['a list', list, pageOf(1, 2, 'а'), { failure: unsupportedN8n('unknown') }],
	])('the outcome of %s that was answered is unknown, and nothing more is sent', async (...of) => {
		const [, request, answered, expected] = of;
		const { ask, addresses } = clientIn(async () => answered);
		expect(await ask(request)).toEqual(expected);
		expect(await ask(request)).toEqual({ failure: unsupportedN8n('notDone') });
		expect(addresses).toHaveLength(1);
	});

	test('a request without an answer may have failed before that', async () => {
		const failing = clientIn(async () => await Promise.reject(lost('ECONNRESET')));
		const { description } = interrupted('The reason is ECONNRESET.');
		expect(await failing.ask(list)).toMatchObject({
			failure: { description: `${ofReading} ${description}` },
		});
		const hanging = clientIn(async () => await new Promise<never>(() => {}));
		expect(await hanging.ask(message)).toMatchObject({ failure: { message: timedOut().message } });
	});
});

describe('if the address in the credential changes', () => {
	const evaluated = (addressOf: (read: number) => string) => {
		let read = 0;
		const client = clientIn(async (options, held) => {
			witnessOf(options)!({ ...held, baseUrl: addressOf(++read) });
			return ok;
		});
		return { ...client, reads: () => read };
	};

	test('once, the request goes to the new one', async () => {
		const { ask, addresses } = evaluated(() => 'https://new.example.com');
		expect(await ask()).toEqual(done);
		expect(addresses).toEqual(['https://new.example.com/api/v1']);
	});

	test('each time, the request is given up, and nothing is sent', async () => {
		const { ask, addresses, reads } = evaluated((read) => `https://${Math.min(read, 9)}.example.com`);
		expect(await ask()).toEqual({ failure: credentialChanges() });
		expect([addresses, reads()]).toEqual([[], 3]);
	});

	test('at last into none, the failure says that', async () => {
		const { ask, addresses } = evaluated((read) => (read < 3 ? `https://${read}.example.com` : ''));
		expect(await ask()).toEqual({ failure: invalidAddress() });
		expect(addresses).toEqual([]);
	});
});
