import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { INodeParameters } from 'n8n-workflow';

import { addContacts, SEEDED, type Fault } from '../../sandbox/emulator';
import { poll } from '../../sandbox/processes/poll';
import { linkIn } from '../operations/link';
import {
	credentialFor,
	loadList,
	openLink,
	reachTimeLimit,
	retryNode,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
} from '../engine/harness';
import { attach, send } from '../engine/messages';
import { withOnce } from '../engine/once';

/* n8n runs for months: nothing of an execution that has ended stays in memory, however it has ended. Accounts: unit/scheduler.test.ts. */

const service = useEmulator();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const ask: INodeParameters = {
	...{ resource: 'message', operation: 'sendAndWait', message: '={{ $json.text }}' },
	contactId: String(SEEDED.contacts.telegram),
};
const askForAnHour = {
	...ask,
	options: { limitWaitTime: { values: { resumeAmount: 1, resumeUnit: 'hours' } } },
};
const read: INodeParameters = {
	resource: 'tag',
	operation: 'getManyByContact',
	contactId: '={{ $json.id }}',
};

const itemBytes = 100_000;

/** What an execution needs: its own account, and items with something to keep. */
function newExecution(parameters: INodeParameters, changes: Record<string, unknown> = {}): RunOptions {
	const token = randomBytes(20).toString('hex');
	service.data.accounts.push({ token, apiAccess: true });
	const items = addContacts(service.data, 3).map(({ id }) => ({
		...{ id, text: `Письмо ${id}` },
		note: randomBytes(itemBytes / 2).toString('hex'),
	}));
	return { parameters, items, credential: credentialFor({ ...service, token, url: service.url }, changes) };
}

async function runWith(fault: Fault, options: RunOptions) {
	service.faults.add(fault);
	const result = await runNode(options);
	service.faults.clear();
	return result;
}

/** Stops a run once the service has a request of it. */
async function stopped(options: RunOptions) {
	const before = service.requests.length;
	const { ended, stop } = stoppable(async (onStart) => await runNode({ ...options, onStart }));
	await until(() => service.requests.length > before);
	stop();
	return await ended;
}

const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };

/** @returns what belongs to the execution alone */
const executions: Record<string, () => Promise<object[]>> = {
	async 'has read'() {
		const options = newExecution(read);
		return [options.credential, await runNode(options), ...options.items!];
	},
	async 'has sent messages'() {
		const options = newExecution({ ...send, contactMessenger: 'vk' });
		return [options.credential, await runNode(options), ...options.items!];
	},
	async 'has sent once per recipient'() {
		const options = newExecution({ ...send, contactMessenger: 'vk', ...withOnce('осень') });
		return [options.credential, await runNode(options), ...options.items!];
	},
	async 'has failed, and was retried'() {
		const options = newExecution({ ...send, contactMessenger: 'vk' });
		const failed = await runWith({ kind: 'forbidden' }, { ...options, node: retried });
		return [options.credential, failed, await retryNode(failed), ...options.items!];
	},
	async 'has continued after errors'() {
		const options = newExecution(send);
		const node = { onError: 'continueErrorOutput' } as const;
		return [options, await runWith({ kind: 'server error' }, { ...options, node }), ...options.items!];
	},
	async 'was stopped while it waited for the pace'() {
		const options = newExecution(attach, { requestsPerSecond: 1 });
		return [options.credential, await stopped(options), ...options.items!];
	},
	async 'was stopped while it waited for an answer'() {
		const options = newExecution(read);
		service.faults.add({ kind: 'delay', ms: 200 });
		const result = await stopped(options);
		service.faults.clear();
		return [options.credential, result, ...options.items!];
	},
	async 'got no answer in time'() {
		const options = newExecution({ ...send, requestOptions: { timeout: 100 } });
		return [options.credential, await runWith({ kind: 'timeout' }, options), ...options.items!];
	},
	async 'has asked, and got an answer'() {
		const options = newExecution(ask);
		const asked = await runNode({ ...options, items: options.items!.slice(0, 1) });
		const link = linkIn(service.deliveries().at(-1)!.text);
		const answer = { method: 'POST', body: { answer: 'true' } };
		return [options.credential, asked, await openLink(asked, link, answer), ...options.items!];
	},
	async 'has asked, and reached its time limit'() {
		const options = newExecution(askForAnHour);
		const asked = await runNode({ ...options, items: options.items!.slice(0, 1) });
		return [options.credential, asked, await reachTimeLimit(asked), ...options.items!];
	},
};

test.each(Object.entries(executions))('Nothing stays of an execution that %s', async (_end, execute) => {
	let belongings: Array<WeakRef<object>> = [];
	for (let time = 0; time < 5; time++)
		belongings = [...belongings, ...(await execute()).map((each) => new WeakRef(each))];
	// A message counts for ten seconds under the limit of its messenger, and a timer knows of it.
	const isGone = async () => {
		await nextTurn();
		collect();
		return belongings.every((each) => each.deref() === undefined) || undefined;
	};
	await poll(isGone, { timeoutMs: 20_000, everyMs: 200, failure: 'Something stays' });
});

/** By how much the memory in use grows, per byte that goes through. */
async function growthOf(times: number, bytes: number, work: () => Promise<unknown>) {
	const inUse = async () => {
		service.reset();
		for (let time = 0; time < 3; time++) {
			await nextTurn();
			collect();
		}
		return process.memoryUsage().heapUsed;
	};
	const repeat = async () => {
		for (let time = 0; time < times; time++) await work();
		return await inUse();
	};
	const before = await repeat();
	return ((await repeat()) - before) / (times * bytes);
}

test('The memory in use does not grow with the number of executions', async () => {
	const all = ['has read', 'has sent once per recipient', 'was stopped while it waited for the pace'];
	const growth = await growthOf(40, all.length * 3 * itemBytes, async () => {
		for (const each of all) await executions[each]!();
	});
	expect(growth).toBeLessThan(0.2);
});

test('What the editor has read for its lists does not stay', async () => {
	const name = () => randomBytes(itemBytes / 2).toString('hex');
	let minutes = 0;
	const { now } = Date;
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
	const growth = await growthOf(50, itemBytes, async () => {
		const { credential } = newExecution({ resource: 'listSchema', operation: 'get' });
		const body = { data: [{ id: 'a', name: name() }] };
		service.faults.add({ kind: 'answer', status: 200, body });
		await loadList('searchListSchemas', {
			parameters: { resource: 'listSchema', operation: 'get' },
			credential,
		});
		service.faults.clear();
		minutes += 2;
	});
	later.mockRestore();
	expect(growth).toBeLessThan(0.2);
});
