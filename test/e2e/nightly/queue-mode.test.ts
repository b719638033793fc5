import { recordTaken } from '../../../nodes/ChatbotService/client/failure';
import { shareOfLimit, spreadOf } from '../../../bench/figures';
import { keep } from '../../../bench/records';
import { type Execution, poll, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import {
	countDeliveries,
	deliveredTo,
	expectEverybodyOnce,
	expectSuccess,
	IN_DOUBT,
	itemsEnded,
	newAccount,
	newPeople,
	SEND,
} from '../support/interrupted';
import { allowed } from '../support/allowed';
import { duringTests } from '../support/duringTests';
import { answer, approval, ASK, asking, askingWorkflow, untilWaiting } from '../support/question';
import { limit, openQueueBench, takenBy } from '../support/queueBench';
import { workflowWithoutDuplicates } from '../support/removeDuplicates';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/*
 * Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database, and share the limit of an
 * account. More processes and other services are in virtual time (test/unit/pace.test.ts), and with a store of the tests' own
 * (test/engine/processes.test.ts).
 */

const bench = duringTests(
	async () => await openQueueBench('queue-mode', { limits: false, workers: 2, concurrency: 10 }),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));

/** Begins to watch. @returns a function for the executions that have started since, with the workers that run them */
async function watchWorkers() {
	const known = new Set((await takenBy(bench.workers)).map(({ executionId }) => executionId));
	return async () => (await takenBy(bench.workers)).filter(({ executionId }) => !known.has(executionId));
}

describe('"Retry" without \'Send Once Per\'', () => {
	const PEOPLE = 40;
	let people: Contact[];
	let reached: number[];
	let executions: Execution[];

	beforeAll(async () => {
		const { api } = bench;
		people = newPeople(service, PEOPLE);
		const plain = await bench.newMailing({ name: 'without-the-option' }, { requestsPerSecond: 20 });
		for (const place of [10, 25]) {
			const body = { message: 'The given data was invalid.' };
			const match = { recipient: people[place]!.id, times: 1 };
			service.faults.add({ kind: 'answer', status: 422, body, match });
		}
		reached = [];
		executions = [];
		const end = async (executionId: string) => {
			executions.push(await bench.ended(executionId));
			reached.push(deliveredTo(service, people).reached.length);
		};
		const executionId = await plain.start(people);
		await end(executionId);
		await end(await api.retryExecution(executionId, { loadWorkflow: false }));
		// Another Retry of the first execution: only n8n's store knows what the retry in between has sent.
		await end(await api.retryExecution(executionId, { loadWorkflow: true }));
		await end(await api.retryExecution(executions[1]!.id, { loadWorkflow: false }));
	});

	test('"Retry" on a worker sends only what is missing, with the original and the current workflow', () => {
		expect(executions.map(({ status }) => status)).toEqual(['error', 'error', 'success', 'success']);
		expect(reached).toEqual([...reached].sort((a, b) => a - b));
		expect(reached[0]).toBeLessThan(reached[1]!);
		expectEverybodyOnce(service, people);
	});

	test('"Retry" on a worker outputs every item, also those that were sent before', () => {
		for (const execution of executions.slice(2)) expect(execution.output(SEND)).toHaveLength(PEOPLE);
	});
});

/*
 * n8n's store has no lock between processes: each call reads all entries of the node and writes them back, and overwrites what
 * another process has written meanwhile. So the node makes its own lock.
 */
describe('two workers with the same workflow', () => {
	const ORDERS = 60;
	const PEOPLE = 100;

	/** Of the people to whom two executions send at the same time, the most that may be in doubt. */
	const MOST_IN_DOUBT = PEOPLE / 20;

	test('two workers that send to different people at the same time reach each once, and the store has each', async () => {
		const { api, main } = bench;
		// Without a pace, 'Workers' has no effect on it, so a user may leave it at 1.
		const credential = await newAccount(api, service, { requestsPerSecond: 0 });
		const node = sendNode(credential, '={{ $json.name }}, ваш заказ собран.');
		node.parameters.options = { sendOncePer: '={{ $json.order }}' };
		const workflow = workflowForPeople('orders', 'orders', { ...node, onError: 'continueRegularOutput' });
		// The webhook waits for the end, and returns the output.
		Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode', responseData: 'allEntries' });
		await activate(api, main.host.url, workflow);
		const people = newPeople(service, ORDERS);
		/** Everybody gets a message from a separate execution; all executions start at once. */
		const round = async () =>
			await Promise.all(
				people.map(async ({ id, name }) => {
					const body = { people: [{ id, name, order: `order ${id}` }] };
					const response = await post(webhookUrl(main.host.url, 'orders'), body);
					return ((await response.json()) as Array<Record<string, unknown>>)[0]!;
				}),
			);
		const taken = await watchWorkers();
		await round();
		expect(new Set((await taken()).map(({ worker }) => worker)).size).toBe(2);
		expectEverybodyOnce(service, people);
		const second = await round();
		expectEverybodyOnce(service, people);
		const inDoubt = second.filter(({ error }) => String(error).startsWith(IN_DOUBT));
		const skipped = second.filter(({ alreadySent }) => alreadySent === true);
		expect(inDoubt.length + skipped.length).toBe(ORDERS);
		expect(inDoubt.length).toBeLessThanOrEqual(ORDERS / 20);
		const figures = { skipped: skipped.length, inDoubt: inDoubt.length };
		keep('orders', { orders: ORDERS, ...countDeliveries(service, people), ...figures });
	});

	const paces = [0, 20];
	/** Of each pace whose test has passed: a value for each execution. */
	const together = new Map<number, { doubled: number[]; lost: number[]; inDoubt: number[] }>();

	afterAll(() => {
		if (together.size < paces.length) return;
		const figures = [...together.values()];
		keep('together', {
			people: PEOPLE,
			doubled: figures.flatMap(({ doubled }) => doubled),
			lost: figures.flatMap(({ lost }) => lost),
			inDoubt: figures.flatMap(({ inDoubt }) => inDoubt),
		});
	});

	test.each(paces)(
		'two concurrent executions with the same people reach each once, and a third one skips all, at a pace of %i',
		async (requestsPerSecond) => {
			const { api, main } = bench;
			const name = `together-${requestsPerSecond}`;
			const options = { name, once: 'together', node: { onError: 'continueRegularOutput' } };
			const both = await bench.newMailing(options, { requestsPerSecond, workers: 2 });
			const figures = { doubled: [] as number[], lost: [] as number[], inDoubt: [] as number[] };
			let workers: number[] = [];
			// Sometimes one worker takes both executions.
			for (let attempt = 0; attempt < 8 && new Set(workers).size < 2; attempt++) {
				const people = newPeople(service, PEOPLE);
				const known = new Set((await api.executions(both.workflow.id)).map(({ id }) => id));
				const taken = await watchWorkers();
				const start = async () => await post(webhookUrl(main.host.url, name), { people });
				await Promise.all([start(), start()]);
				const executions = async () =>
					(await api.executions(both.workflow.id)).filter(({ id }) => !known.has(id));
				await until(async () => (await executions()).length === 2);
				const ended = await Promise.all((await executions()).map(async ({ id }) => await bench.ended(id)));
				workers = (await taken()).map(({ worker }) => worker);
				expectEverybodyOnce(service, people);
				// A third execution, which runs alone, knows all of them.
				const alone = itemsEnded(await bench.ended(await both.start(people)));
				expect(alone.sent).toEqual([]);
				for (const { failed, inDoubt } of [...ended.map(itemsEnded), alone]) {
					expect(failed).toEqual([]);
					expect(inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
					figures.inDoubt.push(inDoubt.length);
				}
				const { doubled, lost } = countDeliveries(service, people);
				figures.doubled.push(doubled);
				figures.lost.push(lost);
			}
			expect(new Set(workers).size).toBe(2);
			together.set(requestsPerSecond, figures);
		},
	);

	test('a message of a single execution is recorded within a tenth of a second', async () => {
		const { api, main } = bench;
		const credential = await newAccount(api, service, { requestsPerSecond: 0, workers: 2 });
		const timesOf = async (name: string, options: Record<string, unknown>) => {
			const node = sendNode(credential, '={{ $json.name }}, ваш заказ собран.');
			node.parameters.options = options;
			const workflow = workflowForPeople(name, name, node);
			Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode' });
			await activate(api, main.host.url, workflow);
			const times: number[] = [];
			for (const person of newPeople(service, 21)) {
				const startedAt = performance.now();
				await post(webhookUrl(main.host.url, name), { people: [person] });
				times.push(performance.now() - startedAt);
			}
			// The first call is not measured, because n8n does one-time work for it.
			return times.slice(1);
		};
		const withoutMs = await timesOf('single', {});
		const withMs = await timesOf('single-once', { sendOncePer: '={{ $json.id }}' });
		const waitMs = spreadOf(withMs).median - spreadOf(withoutMs).median;
		expect(waitMs).toBeLessThan(allowed(100));
		keep('single', { withoutMs, withMs });
	});
});

/* The lock is the record that n8n's Remove Duplicates uses with the scope 'Workflow'. */
test('Remove Duplicates with the scope "Workflow" and \'Send Once Per\' refuse to share their record, and work when the advice is followed', async () => {
	const { api, main } = bench;
	const name = 'with-duplicates-removed';
	const credential = await newAccount(api, service, { requestsPerSecond: 0 });
	const { id } = await activate(api, main.host.url, workflowWithoutDuplicates(name, 'workflow', credential));
	const saveAs = async (does: 'node' | 'clear') => {
		await api.updateWorkflow(id, {
			...(await api.workflow(id)),
			...workflowWithoutDuplicates(name, does, credential),
		});
		await api.activateWorkflow(id);
		await until(async () => await api.isPublished(id));
	};
	const run = async (people: Contact[]) => {
		const known = new Set((await api.executions(id)).map((each) => each.id));
		await post(webhookUrl(main.host.url, name), { people });
		const started = await poll(async () => (await api.executions(id)).find((each) => !known.has(each.id)));
		const execution = await bench.ended(started.id);
		expectSuccess(execution);
		return execution.output(SEND);
	};
	const people = newPeople(service, 20);
	const refused = await run(people);
	const { message } = recordTaken();
	expect(refused.map(({ json }) => json.error)).toEqual(people.map((_, item) => `${message} [Item ${item}]`));
	expect(deliveredTo(service, people).reached).toEqual([]);
	// Its history is as it was: it passes on nobody twice.
	expect(await run(people)).toEqual([]);
	await saveAs('clear');
	await run(people.slice(0, 1));
	await saveAs('node');
	await run(people);
	await run(people);
	expectEverybodyOnce(service, people);
});

/**
 * With 'Workers' left at 1, each worker assumes that it has the whole limit, and notices the other one only by refusals. Sometimes one
 * of them finds no gap for a while, as the simulations of the rate limit show too.
 */
const settings: Array<{ workers: number; least: number; mostRefused?: number }> = [
	{ workers: 2, least: 0.85, mostRefused: 0.05 },
	{ workers: 1, least: 0.6 },
];

test.each(settings)(
	"two workers share the limit of the account with 'Workers' at $workers, and deliver every message once",
	async ({ workers: setting, least, mostRefused }) => {
		const executionsPerWorker = 2;
		service.setLimits({ account: limit });
		const { start } = await bench.newMailing({ name: `one-account-${setting}` }, { workers: setting });
		const taken = await watchWorkers();
		const runs: Array<{ executionId: string; people: Contact[] }> = [];
		for (let each = 0; each < 2 * executionsPerWorker; each++) {
			const people = newPeople(service, 25);
			runs.push({ people, executionId: await start(people) });
		}
		const workers = await poll(async () => {
			const all = await taken();
			return all.length === runs.length
				? new Map(all.map((each) => [each.executionId, each.worker]))
				: undefined;
		});
		expect(new Set(workers.values()).size).toBe(2);
		let givenUp = 0;
		for (const { executionId, people } of runs) {
			const execution = await bench.ended(executionId);
			expectSuccess(execution);
			expectEverybodyOnce(service, people);
			const { sent } = itemsEnded(execution);
			givenUp += people.length - sent.length;
		}
		expect(givenUp).toBe(0);
		service.setLimits(false);

		const requestsOf = (some: typeof runs) => {
			const ids = new Set(some.flatMap(({ people }) => people).map(({ id }) => id));
			return service.requests.filter(({ input }) => ids.has(Number(input.contact_id)));
		};
		const requests = requestsOf(runs);
		const momentsOf = (some: typeof runs) =>
			requestsOf(some).flatMap(({ accepted, countedAt }) => (accepted ? [countedAt!] : []));
		// Until the first worker has nothing left to send.
		const ends = [0, 1].map((worker) =>
			Math.max(...momentsOf(runs.filter(({ executionId }) => workers.get(executionId) === worker))),
		);
		const moments = momentsOf(runs).filter((moment) => moment <= Math.min(...ends));
		const spanMs = Math.max(...moments) - Math.min(...moments);
		const share = shareOfLimit({ accepted: moments.length, spanMs }, limit);
		expect(share).toBeGreaterThanOrEqual(least);
		const refused = requests.filter(({ refusedBy }) => refusedBy !== undefined);
		if (mostRefused !== undefined) expect(refused.length / requests.length).toBeLessThan(mostRefused);
		const people = runs.flatMap((each) => each.people);
		const figures = { messages: people.length, share, refused: refused.length, givenUp };
		keep(setting === 2 ? 'workersSet' : 'workersLeft', { ...figures, ...countDeliveries(service, people) });
	},
);

test('a worker asks, the main process takes the answer, and a worker continues, also when all workers have restarted', async () => {
	const { api, workers } = bench;
	const credential = await newAccount(api, service, { requestsPerSecond: 0 });
	const [person] = newPeople(service, 1);
	const parameters = { contactId: String(person!.id), approvalOptions: approval };
	const { id } = await api.createWorkflow(askingWorkflow(asking(parameters), credential));
	const taken = await watchWorkers();
	for (const [round, choice] of ['approve', 'decline'].entries()) {
		const { executionId, link } = await untilWaiting({ api, service }, id);
		if (round) {
			for (const worker of workers) await worker.kill();
			for (const worker of workers) await worker.restart();
		}
		expect((await answer(link, { answer: choice })).status).toBe(200);
		const execution = await bench.ended(executionId);
		expectSuccess(execution);
		const [item] = execution.output(ASK);
		expect(item!.json).toMatchObject({ data: { approved: choice === 'approve' } });
		// It asked and continued on a worker.
		if (!round) expect((await taken()).map((each) => each.executionId)).toEqual([executionId, executionId]);
	}
});

test('no request in queue mode violated the API', () => {
	service.assertContract();
});
