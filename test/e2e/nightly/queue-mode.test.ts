import { until } from '../../../sandbox/host';
import type { Emulator } from '../../../sandbox/emulator';
import { expectEverybodyOnce, IN_DOUBT, itemsEnded, newAccount, newPeople } from '../support/interrupted';
import { duringTests } from '../support/duringTests';
import { openQueueBench, takenBy } from '../support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/*
 * Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database. More processes are in virtual
 * time: test/unit/sendOncePer.test.ts, and test/unit/pace.test.ts for the limit of the account that they share.
 */

const bench = duringTests(async () => await openQueueBench('queue-mode', { workers: 2, concurrency: 10 }));
let service: Emulator;

beforeAll(() => void ({ service } = bench));

/** Begins to watch. @returns a function for the executions that have started since, with the workers that run them */
async function watchWorkers() {
	const known = new Set((await takenBy(bench.workers)).map(({ executionId }) => executionId));
	return async () => (await takenBy(bench.workers)).filter(({ executionId }) => !known.has(executionId));
}

/*
 * n8n's store has no lock between processes: each call reads all entries of the node and writes them back, and overwrites what
 * another process has written meanwhile. So the node confirms a claim before it sends the message.
 */
describe('two workers with the same workflow', () => {
	const ORDERS = 60;
	const PEOPLE = 100;

	/** Of the people to whom two executions send at the same time, the most that may be in doubt. */
	const MOST_IN_DOUBT = PEOPLE / 20;

	test('two workers that send to different people at the same time reach each once, and the store has each', async () => {
		const { api, main } = bench;
		const credential = await newAccount(api, service, { requestsPerSecond: 0, workers: 2 });
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
	});

	test.each([0, 20])(
		'two concurrent executions with the same people reach each once, and a third one skips all, at a pace of %i',
		async (requestsPerSecond) => {
			const { api, main } = bench;
			const name = `together-${requestsPerSecond}`;
			const options = { name, once: 'together', node: { onError: 'continueRegularOutput' } };
			const both = await bench.newMailing(options, { requestsPerSecond, workers: 2 });
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
				for (const { failed, inDoubt } of ended.map(itemsEnded)) {
					expect(failed).toEqual([]);
					expect(inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
				}
				// A third execution, which runs alone, knows all of them.
				const alone = itemsEnded(await bench.ended(await both.start(people)));
				expect(alone.sent).toEqual([]);
				expect(alone.inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
			}
			expect(new Set(workers).size).toBe(2);
		},
	);
});

test('no request in queue mode violated the API', () => {
	service.assertContract();
});
