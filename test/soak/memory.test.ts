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

/* n8n runs for months: nothing of an execution that has ended stays in memory, however it has ended. Accounts: unit/schedulers.test.ts. */

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
const read = { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' };

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

/** Runs it while the service has a fault, and stops it then, if asked to, once the service has a request of it. */
async function run(options: RunOptions, fault?: Fault, isStopped = false) {
	if (fault) service.faults.add(fault);
	const before = service.requests.length;
	const { ended, stop } = stoppable(async (onStart) => await runNode({ ...options, onStart }));
	if (isStopped) await until(() => service.requests.length > before).then(stop);
	const result = await ended;
	service.faults.clear();
	return result;
}

const retried = { node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } };
const continued = { node: { onError: 'continueErrorOutput' } } as const;
const inVk = { ...send, contactMessenger: 'vk' };
const once = { ...inVk, ...withOnce('осень') };
const impatient = { ...send, requestOptions: { timeout: 100 } };
const firstOf = (options: RunOptions) => ({ ...options, items: options.items!.slice(0, 1) });

/** By how an execution ends: its parameters, and how it runs. @returns what belongs to it alone, besides items and credential */
const executions: Record<string, [INodeParameters, (options: RunOptions) => Promise<object[]>]> = {
	'has read': [read, async (options) => [await run(options)]],
	'has sent messages': [inVk, async (options) => [await run(options)]],
	'has sent once per recipient': [once, async (options) => [await run(options)]],
	'has failed, and was retried': [
		inVk,
		async (options) => {
			const failed = await run({ ...options, ...retried }, { kind: 'forbidden' });
			return [failed, await retryNode(failed)];
		},
	],
	'has continued after errors': [
		send,
		async (options) => [await run({ ...options, ...continued }, { kind: 'server error' })],
	],
	'was stopped in the pace': [attach, async (options) => [await run(options, undefined, true)]],
	'was stopped before an answer': [
		read,
		async (options) => [await run(options, { kind: 'delay', ms: 200 }, true)],
	],
	'got no answer in time': [impatient, async (options) => [await run(options, { kind: 'timeout' })]],
	'has asked, and got an answer': [
		ask,
		async (options) => {
			const asked = await run(firstOf(options));
			const link = linkIn(service.deliveries().at(-1)!.text);
			return [asked, await openLink(asked, link, { method: 'POST', body: { answer: 'true' } })];
		},
	],
	'has asked, and reached its limit': [
		askForAnHour,
		async (options) => {
			const asked = await run(firstOf(options));
			return [asked, await reachTimeLimit(asked)];
		},
	],
};

async function execute(end: string): Promise<object[]> {
	const [parameters, runs] = executions[end]!;
	const options = newExecution(parameters, end === 'was stopped in the pace' ? { requestsPerSecond: 1 } : {});
	return [options.credential, ...options.items!, ...(await runs(options))];
}

test.each(Object.keys(executions))('nothing stays of an execution that %s', async (end) => {
	const belongings: Array<WeakRef<object>> = [];
	for (let time = 0; time < 5; time++)
		belongings.push(...(await execute(end)).map((each) => new WeakRef(each)));
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

test('memory does not grow with the number of executions', async () => {
	const all = ['has read', 'has sent once per recipient', 'was stopped in the pace'];
	const growth = await growthOf(40, all.length * 3 * itemBytes, async () => {
		for (const each of all) await execute(each);
	});
	expect(growth).toBeLessThan(0.2);
});

test('what the editor has read for its lists does not stay', async () => {
	const parameters = { resource: 'listSchema', operation: 'get' };
	let minutes = 0;
	const { now } = Date;
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
	const growth = await growthOf(50, itemBytes, async () => {
		const { credential } = newExecution(parameters);
		const body = { data: [{ id: 'a', name: randomBytes(itemBytes / 2).toString('hex') }] };
		service.faults.add({ kind: 'answer', status: 200, body });
		await loadList('searchListSchemas', { parameters, credential });
		service.faults.clear();
		minutes += 2;
	});
	later.mockRestore();
	expect(growth).toBeLessThan(0.2);
});
