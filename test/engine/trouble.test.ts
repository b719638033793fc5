import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { interrupted, tokenRefused } from '../../nodes/ChatbotService/client/failure';
import { addContacts, startEmulator, type Emulator } from '../../sandbox/emulator';
import { MemoryDeduplicator } from './n8n/deduplication';
import {
	credentialFor,
	hintsOf,
	newWorkflowId,
	runNode,
	until,
	useEmulator,
	type RunOptions,
} from './harness';
import { lettersFor, send } from './messages';

/* Trouble of the account in the middle of a broadcast, on real sockets. test/unit/trouble.test.ts has more of it in virtual time. */

const service = useEmulator();

const count = 120;
const before = 40;

const toVk: INodeParameters = { ...send, contactMessenger: 'vk' };

const broadcast = async (service: Emulator, options: Partial<RunOptions> = {}) =>
	await runNode({
		parameters: toVk,
		credential: credentialFor(service, { requestsPerSecond: 20 }),
		items: lettersFor(service, count),
		node: { onError: 'continueErrorOutput' },
		...options,
	});

test('a broadcast stops when the token is revoked, and says how far it came', async () => {
	const ended = broadcast(service);
	await until(() => service.deliveries().length >= before);
	service.data.accounts[0]!.token = 'новый';
	const sent = service.requests.length;
	const result = await ended;
	// Three refusals; on a machine that stalls, ten more can be in flight.
	expect(service.requests.length - sent).toBeLessThanOrEqual(14);
	const [done = [], failed = []] = result.outputs;
	expect(done.length + failed.length).toBe(count);
	expect(done.length).toBeGreaterThanOrEqual(before);
	const rest = failed.filter(({ json }) => String(json.error).startsWith('Nothing was sent. '));
	expect(rest.length).toBeGreaterThanOrEqual(count - before - 28);
	// The fields of the item survive, so that the error output can be sent later.
	for (const { json } of rest)
		expect(json).toMatchObject({ id: expect.any(Number), text: expect.any(String) });
	const [notice, ...others] = hintsOf(result);
	expect(others).toEqual([]);
	expect(notice).toContain(`${tokenRefused(401).message}. The node stopped`);
	expect(notice).toContain(`${rest.length} were not attempted`);
});

test('a restart of the service costs nobody a message, and with Send Once Per nobody gets two', async () => {
	const first = await startEmulator();
	const items = lettersFor(first, count);
	const parameters = { ...toVk, options: { sendOncePer: 'осень' } };
	const [deduplication, workflowId] = [new MemoryDeduplicator(), newWorkflowId()];
	const run = async () => await broadcast(first, { parameters, items, deduplication, workflowId });
	const ended = run();
	await until(() => first.deliveries().length >= before);
	// Nothing is in progress.
	await until(() => first.inFlight.now === 0);
	await first.stop();
	await sleep(2000);
	const second = await startEmulator({ port: Number(new URL(first.url).port) });
	addContacts(second.data, count);
	try {
		const { outputs, error } = await ended;
		expect(error).toBeUndefined();
		// Only requests that were in progress at the moment of the restart have no answer.
		const doubtful = outputs[1] ?? [];
		expect(doubtful.length).toBeLessThanOrEqual(10);
		for (const { json } of doubtful) expect(json.error).toContain(interrupted('').message);
		expect((await run()).outputs[0]).toHaveLength(count - doubtful.length);
		const reached = [...first.deliveries(), ...second.deliveries()].map(({ contactId }) => contactId);
		expect(reached.length).toBeGreaterThanOrEqual(count - doubtful.length);
		expect(new Set(reached).size).toBe(reached.length);
	} finally {
		await second.stop();
	}
});
