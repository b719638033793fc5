import { readFile } from 'node:fs/promises';

import { shareOfLimit } from '../../../bench/messages';
import { keep } from '../../../bench/page';
import { notAttempted, recordTaken } from '../../../nodes/ChatbotService/client/failure/failure';
import { chained, poll, until, type WorkflowNode } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import {
	expectEverybodyOnce,
	expectSuccess,
	IN_DOUBT,
	itemsEnded,
	newAccount,
	newPeople,
} from '../support/interrupted';
import { duringTests } from '../../duringTests';
import { answer, approval, ASK, questionWorkflow, untilWaiting } from '../support/pages';
import { openQueueBench } from '../support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/*
 * Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database, and share the limit of an
 * account. More processes and other services are in virtual time (test/simulation/pace.test.ts), and two copies of the node with a
 * store of the tests' own (test/engine/processes.test.ts).
 */

const bench = duringTests(async () => await openQueueBench('queue-mode'));
let service: Emulator;

beforeAll(() => void ({ service } = bench));
afterEach(() => service.assertContract());

/** Which worker ran which execution, by their logs. */
async function executionsOfWorkers() {
	const taken = await Promise.all(
		bench.workers.map(async ({ host }, worker) => {
			const log = await readFile(host.logFile, 'utf8');
			const started = [...log.matchAll(/Worker started execution (\d+)/g)];
			return started.map(([, executionId]) => ({ executionId: executionId!, worker }));
		}),
	);
	return taken.flat();
}

/** Begins to watch. @returns a function for the executions that have started since, with the workers that run them */
async function watchWorkers() {
	const known = new Set((await executionsOfWorkers()).map(({ executionId }) => executionId));
	return async () => (await executionsOfWorkers()).filter(({ executionId }) => !known.has(executionId));
}

const workersIn = (taken: Array<{ worker: number }>) => new Set(taken.map(({ worker }) => worker)).size;

/*
 * n8n's store has no lock between processes: each call reads all entries of the node and writes them back, and overwrites what
 * another process has written meanwhile. So the node makes its own lock.
 */
describe('two workers with the same workflow', () => {
	const ORDERS = 60;
	const PEOPLE = 100;

	test('two workers reach different people once', async () => {
		const { api, main } = bench;
		// Without a pace, 'n8n Processes' has no effect on it, so a user may leave it at 1.
		const credential = await newAccount(api, service, { requestsPerSecond: 0 });
		const node = sendNode(credential, '={{ $json.name }}, ваш заказ собран.');
		node.parameters.options = { sendOncePer: '={{ $json.id }}' };
		const workflow = workflowForPeople('orders', { ...node, onError: 'continueRegularOutput' });
		// The call is answered with the output of the node.
		workflow.nodes[0]!.parameters.responseMode = 'lastNode';
		await activate(api, main.host.url, workflow);
		const people = newPeople(service, ORDERS);
		/** Everybody gets a message from a separate execution; all executions start at once. */
		const round = async () =>
			await Promise.all(
				people.map(async ({ id, name }) => {
					const response = await post(webhookUrl(main.host.url, 'orders'), { people: [{ id, name }] });
					return (await response.json()) as Record<string, unknown>;
				}),
			);
		const taken = await watchWorkers();
		await round();
		expect(workersIn(await taken())).toBe(2);
		expectEverybodyOnce(service, people);
		const second = await round();
		expectEverybodyOnce(service, people);
		const inDoubt = second.filter(({ error }) => String(error).startsWith(IN_DOUBT)).length;
		const skipped = second.filter(({ alreadySent }) => alreadySent === true).length;
		expect(inDoubt + skipped).toBe(ORDERS);
		expect(inDoubt).toBeLessThanOrEqual(ORDERS / 20);
	});

	test('two executions reach the same people once', async () => {
		const { api, main } = bench;
		/** A value for each execution. */
		const numbersInDoubt: number[] = [];
		for (const [requestsPerSecond, count, maintenanceMs] of [
			[0, PEOPLE, 0],
			[20, PEOPLE, 0],
			[4, 16, 40_000],
		] as const) {
			const name = `together-${requestsPerSecond}-${maintenanceMs}`;
			const account = { requestsPerSecond, workers: 2 };
			const options = { name, account, once: 'together', onError: 'continueRegularOutput' };
			const both = await bench.newMailing(options);
			const areInBothWorkers = async () => {
				const people = newPeople(service, count);
				const known = new Set((await api.executions(both.workflow.id)).map(({ id }) => id));
				const taken = await watchWorkers();
				const start = async () => await post(webhookUrl(main.host.url, name), { people });
				const isOver = Date.now() + maintenanceMs;
				service.faults.add({ kind: 'maintenance', match: { where: () => Date.now() < isOver } });
				await Promise.all([start(), start()]);
				const started = await poll(async () => {
					const executions = await api.executions(both.workflow.id);
					const added = executions.filter(({ id }) => !known.has(id));
					return added.length === 2 ? added : undefined;
				});
				const ended = await Promise.all(started.map(async ({ id }) => await bench.ended(id)));
				service.faults.clear();
				const workers = workersIn(await taken());
				expectEverybodyOnce(service, people);
				// A third execution, which runs alone, knows all of them.
				const alone = await bench.ended(await both.start(people));
				expect(itemsEnded(alone).sent).toEqual([]);
				for (const { failed, inDoubt } of [...ended, alone].map(itemsEnded)) {
					expect(failed).toEqual([]);
					// During a maintenance, a worker gives back the people whom the other one waits for.
					expect(inDoubt.length).toBeLessThanOrEqual(maintenanceMs ? 0 : count / 20);
					numbersInDoubt.push(inDoubt.length);
				}
				return workers === 2;
			};
			// Sometimes one worker takes both executions.
			await until(areInBothWorkers, { timeoutMs: 300_000 });
		}
		const inDoubt = { 'people in doubt, for each execution': numbersInDoubt };
		keep('together', { people: PEOPLE, ...inDoubt });
	});
});

test('a record that another node has taken ends the run', async () => {
	const { api, main } = bench;
	const credential = await newAccount(api, service, { workers: 2 });
	const node = sendNode(credential, '={{ $json.name }}, у нас акция.');
	node.parameters.options = { sendOncePer: 'акция' };
	const workflow = workflowForPeople('taken', { ...node, onError: 'continueRegularOutput' });
	const [start, people, send] = workflow.nodes as [WorkflowNode, WorkflowNode, WorkflowNode];
	const unique: WorkflowNode = {
		name: 'New people',
		type: 'n8n-nodes-base.removeDuplicates',
		typeVersion: 2,
		parameters: {
			operation: 'removeItemsSeenInPreviousExecutions',
			dedupeValue: '={{ $json.id }}',
			options: { scope: 'workflow' },
		},
	};
	start.parameters.responseMode = 'lastNode';
	start.parameters.responseData = 'allEntries';
	await activate(api, main.host.url, chained('taken', [start, people, unique, send]));
	const body = { people: newPeople(service, 300).map(({ id, name }) => ({ id, name })) };
	const response = await post(webhookUrl(main.host.url, 'taken'), body);
	const errors = ((await response.json()) as Array<{ error: string }>).map(({ error }) =>
		error.replace(/ \[Item \d+\]$/, ''),
	);
	expect(errors).toHaveLength(300);
	expect(new Set(errors)).toEqual(new Set([notAttempted(recordTaken()).message]));
	expect(
		service.requests.filter(({ query }) => body.people.some(({ id }) => String(id) === query.contact_id)),
	).toEqual([]);
});

/** The limit of an account, as the API documents it. */
const limit = { requests: 2, windowMs: 1000 };

/**
 * With 'n8n Processes' left at 1, each worker assumes that it has the whole limit, and notices the other one only by refusals. Sometimes one
 * of them finds no gap for a while, as the simulations of the rate limit show too.
 */
test.each([
	{ workers: 2, least: 0.85, mostRefused: 0.05 },
	{ workers: 1, least: 0.6, mostRefused: 1 },
])(
	"two workers share a limit, 'n8n Processes' $workers",
	async ({ workers: setting, least, mostRefused }) => {
		service.setLimits({ account: limit });
		const name = `one-account-${setting}`;
		const { start } = await bench.newMailing({ name, account: { workers: setting } });
		const taken = await watchWorkers();
		const before = service.requests.length;
		/** The people of each execution. */
		const lists = new Map<string, Contact[]>();
		for (let each = 0; each < 4; each++) {
			const people = newPeople(service, 25);
			lists.set(await start(people), people);
		}
		for (const [executionId, people] of lists) {
			const execution = await bench.ended(executionId);
			expectSuccess(execution);
			expect(itemsEnded(execution).sent).toHaveLength(people.length);
			expectEverybodyOnce(service, people);
		}
		service.setLimits(false);

		const executions = await taken();
		expect(workersIn(executions)).toBe(2);
		const workerOf = new Map<number, number>();
		for (const { executionId, worker } of executions)
			for (const { id } of lists.get(executionId)!) workerOf.set(id, worker);
		const requests = service.requests.slice(before);
		const accepted = requests.filter((request) => request.accepted);
		// Until the first worker has nothing left to send.
		const ends = [0, 1].map((worker) => {
			const its = accepted.filter(({ input }) => workerOf.get(Number(input.contact_id)) === worker);
			return Math.max(...its.map(({ countedAt }) => countedAt!));
		});
		const moments = accepted.map(({ countedAt }) => countedAt!);
		const whileBoth = moments.filter((moment) => moment <= Math.min(...ends));
		const share = shareOfLimit(whileBoth, limit);
		expect(share).toBeGreaterThanOrEqual(least);
		const refused = requests.filter(({ refusedBy }) => refusedBy !== undefined).length;
		expect(refused / requests.length).toBeLessThan(mostRefused);
		keep(setting === 2 ? 'workersSet' : 'workersLeft', {
			messages: accepted.length,
			'share of the limit, while both workers send': share,
			'requests rejected (429), then sent again': refused,
		});
	},
);

test('a question is answered after all workers restart', async () => {
	const { api, workers } = bench;
	const credential = await newAccount(api, service, { requestsPerSecond: 0 });
	const [person] = newPeople(service, 1);
	const parameters = { contactId: String(person!.id), approvalOptions: approval };
	const { id } = await api.createWorkflow(questionWorkflow(parameters, credential));
	const taken = await watchWorkers();
	for (const choice of ['approve', 'decline']) {
		const { executionId, link } = await untilWaiting({ api, service }, id);
		if (choice === 'decline') {
			for (const worker of workers) await worker.kill();
			for (const worker of workers) await worker.restart();
		}
		expect((await answer(link, { answer: choice })).status).toBe(200);
		const execution = await bench.ended(executionId);
		expectSuccess(execution);
		const [item] = execution.output(ASK);
		expect(item!.json).toMatchObject({ data: { approved: choice === 'approve' } });
		// It asked and continued on a worker.
		if (choice === 'approve')
			expect((await taken()).map((each) => each.executionId)).toEqual([executionId, executionId]);
	}
});
