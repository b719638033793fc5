import { shareOfLimit } from '../../../bench/messages';
import { keep, medianOf } from '../../../bench/page';
import { poll } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import {
	expectEverybodyOnce,
	expectSuccess,
	IN_DOUBT,
	itemsEnded,
	newAccount,
	newPeople,
	nobodyTwiceOrWithout,
} from '../support/interrupted';
import { allowed } from '../support/allowed';
import { duringTests } from '../support/duringTests';
import { answer, approval, ASK, askingWorkflow, untilWaiting } from '../support/pages';
import { limit, openQueueBench, takenBy } from '../support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/*
 * Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database, and share the limit of an
 * account. More processes and other services are in virtual time (test/simulation/pace.test.ts), and two copies of the node with a
 * store of the tests' own (test/engine/processes.test.ts).
 */

const bench = duringTests(
	async () => await openQueueBench('queue-mode', { limits: false, workers: 2, concurrency: 10 }),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));
afterEach(() => service.assertContract());

/** Begins to watch. @returns a function for the executions that have started since, with the workers that run them */
async function watchWorkers() {
	const known = new Set((await takenBy(bench.workers)).map(({ executionId }) => executionId));
	return async () => (await takenBy(bench.workers)).filter(({ executionId }) => !known.has(executionId));
}

const workersIn = (taken: Array<{ worker: number }>) => new Set(taken.map(({ worker }) => worker)).size;

/** Sends to a person for each call of a webhook, which answers with the output of the node. */
async function sendingOnCall(path: string, account: object, options: Record<string, unknown>) {
	const { api, main } = bench;
	const credential = await newAccount(api, service, { requestsPerSecond: 0, ...account });
	const node = {
		...sendNode(credential, '={{ $json.name }}, ваш заказ собран.'),
		onError: 'continueRegularOutput',
	};
	node.parameters.options = options;
	const workflow = workflowForPeople(path, node);
	Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode' });
	await activate(api, main.host.url, workflow);
	return async ({ id, name }: Contact) => {
		const response = await post(webhookUrl(main.host.url, path), { people: [{ id, name }] });
		return (await response.json()) as Record<string, unknown>;
	};
}

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
		// Without a pace, 'Workers' has no effect on it, so a user may leave it at 1.
		const send = await sendingOnCall('orders', {}, { sendOncePer: '={{ $json.id }}' });
		const people = newPeople(service, ORDERS);
		/** Everybody gets a message from a separate execution; all executions start at once. */
		const round = async () => await Promise.all(people.map(send));
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
		keep('orders', {
			orders: ORDERS,
			...nobodyTwiceOrWithout,
			'orders skipped in the second round': skipped,
			'people in doubt, for each execution': inDoubt,
		});
	});

	const paces = [0, 20];
	/** A value for each execution. */
	const numbersInDoubt: number[] = [];
	let passed = 0;

	afterAll(() => {
		if (passed < paces.length) return;
		const inDoubt = { 'people in doubt, for each execution': numbersInDoubt };
		keep('together', { people: PEOPLE, ...nobodyTwiceOrWithout, ...inDoubt });
	});

	test.each(paces)(
		'two concurrent executions with the same people reach each once, and a third one skips all, at a pace of %i',
		async (requestsPerSecond) => {
			const { api, main } = bench;
			const name = `together-${requestsPerSecond}`;
			const options = { name, once: 'together', onError: 'continueRegularOutput' };
			const both = await bench.newMailing(options, { requestsPerSecond, workers: 2 });
			let workers = 0;
			// Sometimes one worker takes both executions.
			for (let attempt = 0; attempt < 8 && workers < 2; attempt++) {
				const people = newPeople(service, PEOPLE);
				const known = new Set((await api.executions(both.workflow.id)).map(({ id }) => id));
				const taken = await watchWorkers();
				const start = async () => await post(webhookUrl(main.host.url, name), { people });
				await Promise.all([start(), start()]);
				const started = await poll(async () => {
					const executions = await api.executions(both.workflow.id);
					const added = executions.filter(({ id }) => !known.has(id));
					return added.length === 2 ? added : undefined;
				});
				const ended = await Promise.all(started.map(async ({ id }) => await bench.ended(id)));
				workers = workersIn(await taken());
				expectEverybodyOnce(service, people);
				// A third execution, which runs alone, knows all of them.
				const alone = await bench.ended(await both.start(people));
				expect(itemsEnded(alone).sent).toEqual([]);
				for (const { failed, inDoubt } of [...ended, alone].map(itemsEnded)) {
					expect(failed).toEqual([]);
					expect(inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
					numbersInDoubt.push(inDoubt.length);
				}
			}
			expect(workers).toBe(2);
			passed++;
		},
	);

	test('a message of a single execution is recorded within a tenth of a second', async () => {
		const timesOf = async (path: string, options: Record<string, unknown>) => {
			const send = await sendingOnCall(path, { workers: 2 }, options);
			const times: number[] = [];
			for (const person of newPeople(service, 21)) {
				const startedAt = performance.now();
				await send(person);
				times.push(performance.now() - startedAt);
			}
			// The first call is not measured, because n8n does one-time work for it.
			return times.slice(1);
		};
		const withoutMs = await timesOf('single', {});
		const withMs = await timesOf('single-once', { sendOncePer: '={{ $json.id }}' });
		expect(medianOf(withMs) - medianOf(withoutMs)).toBeLessThan(allowed(100));
		keep('single', { 'without Send Once Per, ms': withoutMs, 'with Send Once Per, ms': withMs });
	});
});

/**
 * With 'Workers' left at 1, each worker assumes that it has the whole limit, and notices the other one only by refusals. Sometimes one
 * of them finds no gap for a while, as the simulations of the rate limit show too.
 */
test.each([
	{ workers: 2, least: 0.85, mostRefused: 0.05 },
	{ workers: 1, least: 0.6, mostRefused: 1 },
])(
	"two workers share the limit of the account with 'Workers' at $workers, and deliver every message once",
	async ({ workers: setting, least, mostRefused }) => {
		service.setLimits({ account: limit });
		const { start } = await bench.newMailing({ name: `one-account-${setting}` }, { workers: setting });
		const taken = await watchWorkers();
		const runs: Array<{ executionId: string; people: Contact[] }> = [];
		for (let each = 0; each < 4; each++) {
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
		for (const { executionId, people } of runs) {
			const execution = await bench.ended(executionId);
			expectSuccess(execution);
			expect(itemsEnded(execution).sent).toHaveLength(people.length);
			expectEverybodyOnce(service, people);
		}
		service.setLimits(false);

		const requestsOf = (some: typeof runs) => {
			const ids = new Set(some.flatMap(({ people }) => people).map(({ id }) => id));
			return service.requests.filter(({ input }) => ids.has(Number(input.contact_id)));
		};
		const momentsOf = (some: typeof runs) =>
			requestsOf(some).flatMap(({ accepted, countedAt }) => (accepted ? [countedAt!] : []));
		// Until the first worker has nothing left to send.
		const ends = [0, 1].map((worker) =>
			Math.max(...momentsOf(runs.filter(({ executionId }) => workers.get(executionId) === worker))),
		);
		const moments = momentsOf(runs).filter((moment) => moment <= Math.min(...ends));
		const share = shareOfLimit(moments, limit);
		expect(share).toBeGreaterThanOrEqual(least);
		const refused = requestsOf(runs).filter(({ refusedBy }) => refusedBy !== undefined).length;
		expect(refused / requestsOf(runs).length).toBeLessThan(mostRefused);
		keep(setting === 2 ? 'workersSet' : 'workersLeft', {
			messages: runs.flatMap(({ people }) => people).length,
			'share of the limit, while both workers send': share,
			'requests refused, and then repeated': refused,
			'messages given up': 0,
			...nobodyTwiceOrWithout,
		});
	},
);

test('a worker asks, the main process takes the answer, and a worker continues, also when all workers have restarted', async () => {
	const { api, workers } = bench;
	const credential = await newAccount(api, service, { requestsPerSecond: 0 });
	const [person] = newPeople(service, 1);
	const parameters = { contactId: String(person!.id), approvalOptions: approval };
	const { id } = await api.createWorkflow(askingWorkflow(parameters, credential));
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
