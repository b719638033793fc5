import type { INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import {
	interrupted,
	manyUnknown,
	serviceFailed,
	underMaintenance,
} from '../../nodes/ChatbotService/client/failure';
import { addContacts, startEmulator, type Emulator } from '../../sandbox/emulator';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import {
	hintsOf,
	newWorkflowId,
	runNode,
	until,
	withEmulator,
	credentialFor,
	type RunOptions,
} from './harness';
import { lettersFor, send } from './messages';

/* Trouble of the account in the middle of a broadcast, on real sockets. test/unit/trouble.test.ts has more of it in virtual time. */

const count = 120;
const before = 40;

const toVk: INodeParameters = { ...send, contactMessenger: 'vk' };
const goingOn = { onError: 'continueErrorOutput' } as const;

const broadcast = async (service: Emulator, options: Partial<RunOptions> = {}) =>
	await runNode({
		parameters: toVk,
		credential: credentialFor(service, { requestsPerSecond: 20 }),
		items: lettersFor(service, count),
		node: goingOn,
		...options,
	});

test.concurrent.each<[string, (service: Emulator) => void, most: number, says: RegExp]>([
	[
		'the token is revoked',
		({ data }) => (data.accounts[0]!.token = 'новый'),
		4,
		/does not accept the token\. The node stopped/,
	],
	[
		'the plan ends',
		({ data }) => (data.accounts[0]!.apiAccess = false),
		4,
		/refused access\. The node stopped/,
	],
	[
		'the endpoint is gone',
		({ faults }) =>
			faults.add({
				kind: 'answer',
				status: 404,
				body: { message: 'The route api/v1/x could not be found.' },
			}),
		4,
		/does not have this endpoint\. The node stopped/,
	],
	[
		'the service asks for an hour',
		({ faults }) => faults.add({ kind: 'too many', retryAfter: 3600 }),
		2,
		/limit of requests was reached\. The node stopped.* wait for 60 min/,
	],
	[
		'maintenance takes an hour',
		({ faults }) => faults.add({ kind: 'maintenance', retryAfter: 3600 }),
		2,
		new RegExp(`${underMaintenance(503).message}\\. The node stopped`),
	],
	[
		'the service fails at everything',
		({ faults }) => faults.add({ kind: 'answer', status: 500, body: { message: 'Server Error' } }),
		21,
		new RegExp(`${manyUnknown(20, serviceFailed(500)).message}\\. The node stopped`),
	],
])(
	'a broadcast stops when %s',
	withEmulator(async (service, _name, begin, most, says) => {
		const ended = broadcast(service);
		await until(() => service.deliveries().length >= before);
		begin(service);
		const sent = service.requests.length;
		const result = await ended;
		// On a machine that stalls, ten more can be in flight.
		expect(service.requests.length - sent).toBeLessThanOrEqual(most + 10);
		const [done, failed] = result.outputs as [unknown[], Array<{ json: Record<string, unknown> }>];
		expect(done.length + failed.length).toBe(count);
		expect(done.length).toBeGreaterThanOrEqual(before);
		const rest = failed.filter(({ json }) => String(json.error).startsWith('Nothing was sent. '));
		expect(rest.length).toBeGreaterThanOrEqual(count - before - 2 * most - 20);
		// The fields of the item survive, so that the error output can be sent later.
		for (const { json } of rest)
			expect(json).toMatchObject({ id: expect.any(Number), text: expect.any(String) });
		const [notice] = hintsOf(result);
		expect(notice).toMatch(says);
		expect(notice).toContain(`${rest.length} were not attempted`);
	}),
);

test.concurrent.each([
	['without Send Once Per', {}],
	['with Send Once Per', { options: { sendOncePer: 'осень' } }],
])('a restart of six seconds costs nobody a message, %s', async (_, more) => {
	const first = await startEmulator();
	const deduplication = new MemoryDeduplicator();
	const workflowId = newWorkflowId();
	const items = lettersFor(first, count);
	const run = async () =>
		await broadcast(first, { parameters: { ...toVk, ...more }, items, deduplication, workflowId });
	const ended = run();
	await until(() => first.deliveries().length >= before);
	// Nothing is in progress.
	await until(() => first.inFlight.now === 0);
	await first.stop();
	await sleep(6000);
	const second = await startEmulator({ port: Number(new URL(first.url).port) });
	addContacts(second.data, count);
	try {
		const { outputs, error } = await ended;
		expect(error).toBeUndefined();
		// Only requests that were in progress at the moment of the restart have no answer.
		const doubtful = outputs[1]?.length ?? 0;
		expect(doubtful).toBeLessThanOrEqual(10);
		for (const { json } of outputs[1] ?? []) expect(json.error).toContain(interrupted('').message);
		expect(first.deliveries().length + second.deliveries().length).toBeGreaterThanOrEqual(count - doubtful);
		if ('options' in more) {
			const again = await run();
			expect(again.outputs[0]).toHaveLength(count - doubtful);
		}
		const all = [...first.deliveries(), ...second.deliveries()].map(({ contactId }) => contactId);
		expect(new Set(all).size).toBe(all.length);
	} finally {
		await second.stop();
	}
});
