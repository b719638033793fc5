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
	type RunResult,
} from '../engine/harness';
import { attach, send } from '../engine/messages';
import { withOnce } from '../engine/once';

/* n8n runs for months: nothing of an execution that has ended stays in memory, however it has ended. */

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

const inVk = { ...send, contactMessenger: 'vk' };
const once = { ...inVk, ...withOnce('осень') };
const impatient = { ...send, requestOptions: { timeout: 100 } };
const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
const continued = { onError: 'continueErrorOutput' } as const;

const itemBytes = 100_000;
const note = () => randomBytes(itemBytes / 2).toString('hex');

/** Of an account of its own. */
function newCredential(changes: Record<string, unknown> = {}) {
	const token = randomBytes(20).toString('hex');
	service.data.accounts.push({ token, apiAccess: true });
	return credentialFor({ ...service, token, url: service.url }, changes);
}

interface Execution extends Pick<RunOptions, 'parameters' | 'node'> {
	credential?: Record<string, unknown>;
	fault?: Fault;
	/** Once the service has a request of it. */
	isStopped?: boolean;
	/** How it goes on. */
	then?: (result: RunResult) => Promise<object>;
}

const answered = async (asked: RunResult) => {
	const link = linkIn(service.deliveries().at(-1)!.text);
	return await openLink(asked, link, { method: 'POST', body: { answer: 'true' } });
};

/** By how an execution ends. */
const executions: Record<string, Execution> = {
	'has read': { parameters: read },
	'has sent messages': { parameters: inVk },
	'has sent once per recipient': { parameters: once },
	'has failed, and was retried': {
		...{ parameters: inVk, node: retried, fault: { kind: 'forbidden' } },
		then: async (failed) => await retryNode(failed),
	},
	'has continued after errors': { parameters: send, node: continued, fault: { kind: 'server error' } },
	'was stopped in the pace': { parameters: attach, credential: { requestsPerSecond: 1 }, isStopped: true },
	'was stopped before an answer': { parameters: read, fault: { kind: 'delay', ms: 200 }, isStopped: true },
	'got no answer in time': { parameters: impatient, fault: { kind: 'timeout' } },
	'has asked, and got an answer': { parameters: ask, then: answered },
	'has asked, and reached its limit': { parameters: askForAnHour, then: reachTimeLimit },
};

/** @returns what belongs to the execution alone */
async function execute({ parameters, node, fault, isStopped, then, ...own }: Execution): Promise<object[]> {
	const credential = newCredential(own.credential);
	const items = addContacts(service.data, parameters.operation === 'sendAndWait' ? 1 : 3).map(({ id }) => {
		return { id, text: `Письмо ${id}`, note: note() };
	});
	if (fault) service.faults.add(fault);
	const before = service.requests.length;
	const { ended, stop } = stoppable(
		async (onStart) => await runNode({ parameters, node, credential, items, onStart }),
	);
	if (isStopped) await until(() => service.requests.length > before).then(stop);
	const result = await ended;
	service.faults.clear();
	return [credential, ...items, result, (await then?.(result)) ?? result];
}

test.each(Object.entries(executions))('nothing stays of an execution that %s', async (_end, execution) => {
	const belongings: Array<WeakRef<object>> = [];
	for (let time = 0; time < 5; time++)
		belongings.push(...(await execute(execution)).map((each) => new WeakRef(each)));
	// A message counts for ten seconds under the limit of its messenger, and a timer knows of it.
	const isGone = async () => {
		await nextTurn();
		collect();
		return belongings.every((each) => each.deref() === undefined) || undefined;
	};
	await poll(isGone, { timeoutMs: 20_000, everyMs: 200, failure: 'Something stays' });
});

test("what the editor's lists have read does not stay", async () => {
	const parameters = { resource: 'listSchema', operation: 'get' };
	let minutes = 0;
	const { now } = Date;
	const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
	const inUseAfter = async (lists: number) => {
		for (let list = 0; list < lists; list++) {
			const credential = newCredential();
			const body = { data: [{ id: 'a', name: note() }] };
			service.faults.add({ kind: 'answer', status: 200, body });
			await loadList('searchListSchemas', { parameters, credential });
			service.faults.clear();
			minutes += 2;
		}
		service.reset();
		await nextTurn();
		collect();
		return process.memoryUsage().heapUsed;
	};
	const before = await inUseAfter(50);
	const after = await inUseAfter(50);
	later.mockRestore();
	expect((after - before) / (50 * itemBytes)).toBeLessThan(0.2);
});
