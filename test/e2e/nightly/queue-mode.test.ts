import { type Execution, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import {
	deliveredTo,
	expectEverybodyOnce,
	IN_DOUBT,
	itemsEnded,
	newAccount,
	newPeople,
	SEND,
} from '../support/interrupted';
import { duringTests } from '../support/duringTests';
import { openQueueBench, takenBy } from '../support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/* Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database. */

/** Each workflow has its own account, and so this rate for itself. */
const pace = { requestsPerSecond: 20 };

const bench = duringTests(
	async () => await openQueueBench('queue-mode', { limits: false, workers: 2, concurrency: 10 }),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));

const reachedOf = (people: Contact[]): number => deliveredTo(service, people).reached.length;

/** Prints the figures, which are useful for comparisons. */
const print = (line: string) => process.stdout.write(`${line}\n`);

describe('"Retry" without \'Send Once Per\'', () => {
	const PEOPLE = 40;
	let people: Contact[];
	let reached: number[];
	let executions: Execution[];

	beforeAll(async () => {
		const { api } = bench;
		people = newPeople(service, PEOPLE);
		const plain = await bench.newMailing({ name: 'without-the-option' }, pace);
		for (const place of [10, 25]) {
			const body = { message: 'The given data was invalid.' };
			const match = { recipient: people[place]!.id, times: 1 };
			service.faults.add({ kind: 'answer', status: 422, body, match });
		}
		reached = [];
		executions = [];
		const end = async (executionId: string) => {
			executions.push(await bench.ended(executionId));
			reached.push(reachedOf(people));
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
		print(`Retry without the option: ${reached.join(', then ')} of ${PEOPLE} have it`);
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
 * another process has written meanwhile. So the node confirms a claim before it sends the message.
 */
describe('two workers with the same workflow', () => {
	const ORDERS = 60;
	const PEOPLE = 100;

	/** Of the people to whom two executions send at the same time, the most that may be in doubt. */
	const MOST_IN_DOUBT = PEOPLE / 20;

	/** The workers that ran the executions started since. */
	async function whoTakes() {
		const known = new Set((await takenBy(bench.workers)).map(({ executionId }) => executionId));
		return async () => {
			const taken = (await takenBy(bench.workers)).filter(({ executionId }) => !known.has(executionId));
			return taken.map(({ worker }) => worker);
		};
	}

	/** Everybody gets a message from a separate execution; all executions start at once. */
	async function round(path: string, people: Contact[]) {
		const workersOfRound = await whoTakes();
		const from = performance.now();
		const answers = await Promise.all(
			people.map(async ({ id, name }) => {
				const body = { people: [{ id, name, order: `order ${id}` }] };
				const response = await post(webhookUrl(bench.main.host.url, path), body);
				return ((await response.json()) as Array<Record<string, unknown>>)[0]!;
			}),
		);
		const seconds = (performance.now() - from) / 1000;
		const workers = await workersOfRound();
		const count = (is: (item: Record<string, unknown>) => boolean) => answers.filter(is).length;
		return {
			sent: count(({ success, alreadySent }) => success === true && alreadySent === undefined),
			skipped: count(({ alreadySent }) => alreadySent === true),
			inDoubt: count(({ error }) => String(error).startsWith(IN_DOUBT)),
			byWorker: [0, 1].map((worker) => workers.filter((each) => each === worker).length),
			seconds,
		};
	}

	const inWords = ({ sent, skipped, inDoubt, byWorker, seconds }: Awaited<ReturnType<typeof round>>) =>
		`${sent} sent, ${skipped} skipped, ${inDoubt} in doubt (${byWorker.join(' and ')} by worker) in ${seconds.toFixed(1)} s`;

	const paces: Array<[how: string, requestsPerSecond: number]> = [
		['without a pace', 0],
		['at 20 per second', pace.requestsPerSecond],
	];

	/** A workflow that sends one order, and answers with its outcome. */
	async function newOrders(path: string, requestsPerSecond: number, options: Record<string, unknown>) {
		const { api, main } = bench;
		const credential = await newAccount(api, service, { requestsPerSecond, workers: 2 });
		const node = sendNode(credential, '={{ $json.name }}, ваш заказ собран.');
		node.parameters.options = options;
		const workflow = workflowForPeople(path, path, { ...node, onError: 'continueRegularOutput' });
		// The webhook waits for the end, and returns the output.
		Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode', responseData: 'allEntries' });
		await activate(api, main.host.url, workflow);
	}

	test.each(paces)(
		'two workers that send to different people at the same time reach each once, and the store has each, %s',
		async (how, requestsPerSecond) => {
			const path = `orders-${requestsPerSecond}`;
			await newOrders(path, requestsPerSecond, { sendOncePer: '={{ $json.order }}' });
			const people = newPeople(service, ORDERS);
			const first = await round(path, people);
			const second = await round(path, people);
			print(
				`${ORDERS} executions at once on two workers, ${how}: ${inWords(first)}; ` +
					`all of them again: ${inWords(second)}`,
			);
			expect(Math.min(...first.byWorker)).toBeGreaterThan(0);
			expectEverybodyOnce(service, people);
			expect(second.sent).toBe(0);
			expect(second.inDoubt).toBeLessThanOrEqual(ORDERS / 20);
		},
	);

	test.each(paces)(
		'two concurrent executions with the same people reach each once, and a third one skips all, %s',
		async (how, requestsPerSecond) => {
			const { api, main } = bench;
			const name = `together-${requestsPerSecond}`;
			const options = { name, once: 'together', node: { onError: 'continueRegularOutput' } };
			const both = await bench.newMailing(options, { requestsPerSecond, workers: 2 });
			let workers: number[] = [];
			// Sometimes one worker takes both executions.
			for (let attempt = 0; attempt < 8 && new Set(workers).size < 2; attempt++) {
				const people = newPeople(service, PEOPLE);
				const known = new Set((await api.executions(both.workflow.id)).map(({ id }) => id));
				const workersOfBoth = await whoTakes();
				const from = performance.now();
				const start = async () => await post(webhookUrl(main.host.url, name), { people });
				await Promise.all([start(), start()]);
				const executions = async () =>
					(await api.executions(both.workflow.id)).filter(({ id }) => !known.has(id));
				await until(async () => (await executions()).length === 2);
				const ended = await Promise.all((await executions()).map(async ({ id }) => await bench.ended(id)));
				const seconds = (performance.now() - from) / 1000;
				workers = await workersOfBoth();
				const items = ended.map(itemsEnded);
				const counts = items.map(
					({ sent, skipped, inDoubt }) => `${sent.length}/${skipped.length}/${inDoubt.length}`,
				);
				const { several, missed } = deliveredTo(service, people);
				print(
					`the same ${people.length} people in two executions at once, ${how}, by workers ${workers.join(' and ')}: ` +
						`${several.length} have it twice, ${missed.length} have none; ` +
						`sent/skipped/in doubt ${counts.join(' and ')}; ${seconds.toFixed(1)} s`,
				);
				expect(several).toEqual([]);
				expect(missed).toEqual([]);
				expect(items.flatMap(({ failed }) => failed)).toEqual([]);
				for (const { inDoubt } of items) expect(inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
				// A third execution, which runs alone, knows all of them.
				const alone = itemsEnded(await bench.ended(await both.start(people)));
				expect(alone.sent).toEqual([]);
				expect(alone.inDoubt.length).toBeLessThanOrEqual(MOST_IN_DOUBT);
			}
			expect(new Set(workers).size).toBe(2);
		},
	);

	test('a single message is delayed only by the confirmation of its claim', async () => {
		const people = newPeople(service, 40);
		const median: number[] = [];
		for (const [index, options] of [{}, { sendOncePer: '={{ $json.order }}' }].entries()) {
			const path = `single-${index}`;
			await newOrders(path, 0, options);
			const times: number[] = [];
			for (const person of people.slice(20 * index, 20 * index + 20))
				times.push((await round(path, [person])).seconds);
			median.push(times.sort((a, b) => a - b)[10]! * 1000);
		}
		const [without, withOption] = median as [number, number];
		print(
			`a single message, from webhook to answer: ${without.toFixed(0)} ms, ` +
				`with 'Send Once Per' ${withOption.toFixed(0)} ms`,
		);
		expectEverybodyOnce(service, people);
		expect(withOption - without).toBeLessThan(2500);
	});
});

test('no request in queue mode violated the API', () => {
	service.assertContract();
});
