import { type Execution, until } from '../../../sandbox/host';
import type { Contact, Service } from '../../../sandbox/service';
import {
	deliveredTo,
	expectEverybodyOnce,
	IN_DOUBT,
	itemsEnded,
	newAccount,
	newPeople,
	SEND,
} from '../support/cutOff';
import { duringTests } from '../support/duringTests';
import { openQueueBench, takenBy } from '../support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from '../support/webhook';

/* Two workers of n8n's queue mode have what they must not do again in one store, in n8n's database. */

/** Each workflow has an account of its own, and so this pace to itself. */
const pace = { requestsPerSecond: 20 };

const bench = duringTests(
	async () => await openQueueBench('queue-mode', { limits: false, workers: 2, concurrency: 10 }),
);
let service: Service;

beforeAll(() => void ({ service } = bench));

const reachedOf = (people: Contact[]): number => deliveredTo(service, people).reached.length;

/** The figures are worth reading, whatever they are compared with. */
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
		// The first once more: what the retry in between has sent stands in n8n's store only.
		await end(await api.retryExecution(executionId, { loadWorkflow: true }));
		await end(await api.retryExecution(executions[1]!.id, { loadWorkflow: false }));
	});

	test('"Retry" on a worker sends only what is missing, with the original workflow and with the current one', () => {
		expect(executions.map(({ status }) => status)).toEqual(['error', 'error', 'success', 'success']);
		print(`Retry without the option: ${reached.join(', then ')} of ${PEOPLE} have it`);
		expect(reached).toEqual([...reached].sort((a, b) => a - b));
		expect(reached[0]).toBeLessThan(reached[1]!);
		expectEverybodyOnce(service, people);
	});

	test('"Retry" on a worker puts out every item, also those that were sent before', () => {
		for (const execution of executions.slice(2)) expect(execution.output(SEND)).toHaveLength(PEOPLE);
	});
});

/*
 * n8n's store has no lock between processes: whoever writes it has read it before, and what another process has written
 * meanwhile is gone.
 */
describe('two workers with the same workflow', () => {
	const ORDERS = 60;

	/** Orders whose entries are gone, so that they are sent a second time: in most rounds none. */
	const MOST_LOST = 3;
	/** Orders that were sent, and of which an entry has come back that says they may not have been. */
	const MOST_FOUND_IN_DOUBT = 10;

	/** Which workers took what has been started since. */
	async function whoTakes() {
		const known = new Set((await takenBy(bench.workers)).map(({ executionId }) => executionId));
		return async () => {
			const taken = (await takenBy(bench.workers)).filter(({ executionId }) => !known.has(executionId));
			return taken.map(({ worker }) => worker);
		};
	}

	/** Everybody gets a message by an execution of its own, all started at once. */
	async function round(path: string, people: Contact[]) {
		const workersOfRound = await whoTakes();
		const answers = await Promise.all(
			people.map(async ({ id, name }) => {
				const body = { people: [{ id, name, order: `order ${id}` }] };
				const response = await post(webhookUrl(bench.main.host.url, path), body);
				return ((await response.json()) as Array<Record<string, unknown>>)[0]!;
			}),
		);
		const workers = await workersOfRound();
		const count = (is: (item: Record<string, unknown>) => boolean) => answers.filter(is).length;
		return {
			sent: count(({ success, alreadySent }) => success === true && alreadySent === undefined),
			skipped: count(({ alreadySent }) => alreadySent === true),
			inDoubt: count(({ error }) => String(error).startsWith(IN_DOUBT)),
			byWorker: [0, 1].map((worker) => workers.filter((each) => each === worker).length),
		};
	}

	const inWords = ({ sent, skipped, inDoubt, byWorker }: Awaited<ReturnType<typeof round>>) =>
		`${sent} sent, ${skipped} skipped, ${inDoubt} in doubt (${byWorker.join(' and ')} by worker)`;

	test.each([
		['as fast as they can', 0],
		['at the pace of an account', pace.requestsPerSecond],
	])(
		'two workers that write to different people at once lose hardly any entry of the store, %s',
		async (how, requestsPerSecond) => {
			const { api, main } = bench;
			const path = `orders-${requestsPerSecond}`;
			const credential = await newAccount(api, service, { requestsPerSecond, workers: 2 });
			const node = sendNode(credential, '={{ $json.name }}, ваш заказ собран.');
			node.parameters.options = { sendOncePer: '={{ $json.order }}' };
			const workflow = workflowForPeople(path, path, { ...node, onError: 'continueRegularOutput' });
			// The webhook waits for the end, and answers with what came out.
			Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode', responseData: 'allEntries' });
			await activate(api, main.host.url, workflow);
			const people = newPeople(service, ORDERS);
			const first = await round(path, people);
			const second = await round(path, people);
			const { several, missed } = deliveredTo(service, people);
			print(
				`${ORDERS} executions at once on two workers, ${how}: ${inWords(first)}; ` +
					`all of them again: ${inWords(second)}`,
			);
			expect(Math.min(...first.byWorker)).toBeGreaterThan(0);
			expect(missed).toEqual([]);
			expect(several.length).toBeLessThanOrEqual(MOST_LOST);
			expect(second.inDoubt).toBeLessThanOrEqual(MOST_FOUND_IN_DOUBT);
		},
	);

	test('two executions at once with the same people reach each of them once or twice, and a third one knows all', async () => {
		const { api, main } = bench;
		const options = { name: 'together', once: 'together', node: { onError: 'continueRegularOutput' } };
		const both = await bench.newMailing(options, { ...pace, workers: 2 });
		const people = newPeople(service, 100);
		const workersOfBoth = await whoTakes();
		const start = async () => await post(webhookUrl(main.host.url, 'together'), { people });
		await Promise.all([start(), start()]);
		const executions = async () => await api.executions(both.workflow.id);
		await until(async () => (await executions()).length === 2);
		const items = await Promise.all(
			(await executions()).map(async ({ id }) => itemsEnded(await bench.ended(id))),
		);
		const counts = items.map(
			({ sent, skipped, inDoubt }) => `${sent.length}/${skipped.length}/${inDoubt.length}`,
		);
		const { several, missed } = deliveredTo(service, people);
		const deliveries = service.deliveries().map(({ contactId }) => contactId);
		const timesOf = ({ id }: Contact) => deliveries.filter((contactId) => contactId === id).length;
		print(
			`the same ${people.length} people in two executions at once, by workers ${(await workersOfBoth()).join(' and ')}: ` +
				`${several.length} have it twice; sent/skipped/in doubt ${counts.join(' and ')}`,
		);
		expect(missed).toEqual([]);
		expect(Math.max(...people.map(timesOf))).toBeLessThanOrEqual(2);
		expect(several.length).toBeLessThan(people.length);
		// A third one, which is alone, knows them all.
		const alone = itemsEnded(await bench.ended(await both.start(people)));
		expect(alone.sent.length).toBeLessThanOrEqual(MOST_LOST);
	});
});

test('no request in queue mode broke the interface', () => {
	service.assertContract();
});
