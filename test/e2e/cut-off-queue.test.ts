import { readFile } from 'node:fs/promises';

import { type Execution, type QueueMode, startQueueMode, type StoredCredential } from '../../sandbox/host';
import { type Contact, type Service, startService } from '../../sandbox/service';
import { owner } from '../../sandbox/start/sandbox';
import { userFolderOf } from './support/bench';
import {
	booksOf,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
	IN_DOUBT,
	itemsEnded,
	mailing,
	type Mailing,
	newAccount,
	newPeople,
	SEND,
	stoppedBy,
} from './support/cutOff';
import { packedPackage } from './support/environment';
import { until } from './support/eventually';
import { soonMissed, takenBy } from './support/queueBench';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from './support/webhook';

/*
 * What becomes of broadcasts whose worker, or whose whole machine, disappears: with 'Send Once Per' they are started again, and
 * nobody gets a message twice. Other than in a single process, n8n itself has nothing left of such a run that it could go on
 * with; what is left is in the node's store, in n8n's database.
 */

/** Each broadcast has an account of its own, and so this pace to itself. */
const PER_SECOND = 20;

/** Claimed are the messages of the next two seconds, and answers are noted within the same time. */
const MOST_IN_DOUBT = 4 * PER_SECOND;

const CONCURRENCY = 10;

let service: Service;
let queueMode: QueueMode;

beforeAll(async () => {
	service = await startService({ limits: false });
	queueMode = await startQueueMode({
		folder: userFolderOf('cut-off-queue'),
		packed: packedPackage(),
		owner,
		workers: 2,
		concurrency: CONCURRENCY,
		env: soonMissed,
	});
}, 400_000);

afterAll(async () => {
	await queueMode?.stop();
	await service?.stop();
});

const account = async (perSecond = PER_SECOND, workers = 1): Promise<StoredCredential> =>
	await newAccount(queueMode.api, service, { requestsPerSecond: perSecond, workers });

const newMailing = async (options: Omit<Parameters<typeof mailing>[2], 'credential'>, perSecond?: number) =>
	await mailing(queueMode.api, queueMode.main.host.url, { ...options, credential: await account(perSecond) });

const ended = async (executionId: string): Promise<Execution> =>
	await queueMode.api.waitForExecution(executionId, { timeoutMs: 150_000 });

const reachedOf = (people: Contact[]): number => booksOf(service, people).reached.length;

/** The figures are worth reading, whatever they are compared with. */
const print = (line: string) => process.stdout.write(`${line}\n`);

/*
 * When the main process disappears too, its executions are marked as "crashed" at the next start, and can be run again from
 * their trigger.
 */
describe('all of n8n is killed in the middle of a broadcast', () => {
	let people: Contact[];
	let reachedBefore: number;
	let crashed: Execution;
	let retried: Execution;

	beforeAll(async () => {
		people = newPeople(service, 100);
		const sale = await newMailing({
			name: 'all-killed',
			once: 'sale',
			node: { onError: 'continueRegularOutput' },
		});
		const executionId = await sale.start(people);
		await until(() => reachedOf(people) >= 40);
		const { api, main, workers } = queueMode;
		await Promise.all([main, ...workers].map(async (member) => await member.kill()));
		reachedBefore = reachedOf(people);
		await Promise.all([main, ...workers].map(async (member) => await member.restart()));
		crashed = await ended(executionId);
		retried = await ended(await api.retryExecution(executionId, { loadWorkflow: false }));
	}, 400_000);

	test('n8n marks it as crashed', () => {
		expect(crashed.status).toBe('crashed');
		expect(reachedBefore).toBeLessThan(people.length);
	});

	test('"Retry" sends only what is missing, and nothing twice', () => {
		expect(retried.status).toBe('success');
		const { skipped } = itemsEnded(retried);
		const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(service, people, retried);
		print(
			`all of n8n killed: ${reachedBefore} of ${people.length} had it, Retry skipped ${skipped.length}; ` +
				`${delivered} have it now, ${inDoubt} in doubt, ${deliveredInDoubt} of them delivered`,
		);
		expect(skipped.length).toBeGreaterThan(0);
		expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
	});
});

describe('a worker is killed with five broadcasts on it', () => {
	const PEOPLE = 200;

	interface Broadcast {
		/** What the moment of its death is. */
		moment: string;
		/** Stops at the first failure when there is none. */
		onError?: 'continueRegularOutput' | 'continueErrorOutput';
		people: Contact[];
		mailing: Mailing;
		/** The first run, which is cut off. */
		executionId: string;
		reachedAtDeath: number;
		died: Execution;
		retried: Execution;
		/** The same list, started anew. */
		again: Execution;
	}

	let broadcasts: Broadcast[];
	let reachedBeforeRetries: number;
	let reachedAfterRetries: number;
	let stopped: { broadcast: Broadcast; execution: Execution; reached: number };

	const reachedOfAll = () => reachedOf(broadcasts.flatMap(({ people }) => people));

	beforeAll(async () => {
		const { api, workers } = queueMode;
		const [victim, other] = workers as [QueueMode['workers'][number], QueueMode['workers'][number]];
		const prepare = async (moment: string, onError?: Broadcast['onError']) => {
			const name = moment.replaceAll(' ', '-');
			const node = onError && { onError };
			const prepared = { moment, onError, people: newPeople(service, PEOPLE) };
			return { ...prepared, mailing: await newMailing({ name, once: 'autumn', node }) } as Broadcast;
		};
		const first = await prepare('before the first message');
		const few = await prepare('after a few', 'continueRegularOutput');
		const middle = await prepare('in the middle');
		const later = await prepare('in the middle too', 'continueErrorOutput');
		const last = await prepare('shortly before the end', 'continueRegularOutput');
		broadcasts = [first, few, middle, later, last];

		const begin = async (broadcast: Broadcast) => {
			broadcast.executionId = await broadcast.mailing.start(broadcast.people);
		};
		// Its last answers take their time, so that the others come to their moments before its end.
		const lastOnes = new Set(last.people.slice(-15).map(({ id }) => id));
		service.faults.add({
			kind: 'delay',
			ms: 8000,
			when: 'after',
			match: { where: ({ input }) => lastOnes.has(Number(input.contact_id)) },
		});
		// So that the victim takes them all.
		await other.kill();
		await begin(last);
		await until(() => reachedOf(last.people) >= 50);
		await begin(later);
		await until(() => reachedOf(last.people) >= 100);
		await begin(middle);
		await until(() => reachedOf(last.people) >= 150);
		await begin(few);
		await until(() => reachedOf(last.people) >= 170 && reachedOf(few.people) >= 3);
		await begin(first);
		while (!(await readFile(victim.host.logFile, 'utf8')).includes(started(first.executionId)))
			await pause(10);
		await victim.kill();
		service.faults.clear();
		// What was on its way already may still arrive.
		await pause(1000);
		for (const broadcast of broadcasts) broadcast.reachedAtDeath = reachedOf(broadcast.people);
		await Promise.all([victim.restart(), other.restart()]);

		// The worker that starts again calls them crashed at first; then n8n misses their jobs, and drops their data.
		for (const broadcast of broadcasts) {
			const { executionId } = broadcast;
			const statusOf = async () => (broadcast.died = await ended(executionId)).status;
			await until(async () => (await statusOf()) === 'error', 150_000);
		}
		reachedBeforeRetries = reachedOfAll();
		for (const broadcast of broadcasts) {
			const { executionId } = broadcast;
			broadcast.retried = await ended(await api.retryExecution(executionId, { loadWorkflow: false }));
		}
		reachedAfterRetries = reachedOfAll();

		await Promise.all(
			broadcasts.map(async (broadcast) => {
				const { mailing: it, people } = broadcast;
				let executionId = await it.start(people);
				if (broadcast === later) {
					const half = (reachedOf(people) + PEOPLE) / 2;
					await until(() => reachedOf(people) >= half);
					await api.stopExecution(executionId);
					const execution = await ended(executionId);
					await pause(1000);
					stopped = { broadcast, execution, reached: reachedOf(people) };
					executionId = await it.start(people);
				}
				broadcast.again = await ended(executionId);
			}),
		);
	}, 600_000);

	test('it hits them at five moments', () => {
		const reached = broadcasts.map(({ reachedAtDeath }) => reachedAtDeath);
		expect(reached[0]).toBeLessThan(PEOPLE / 2);
		expect(Math.min(...reached.slice(1))).toBeGreaterThan(0);
		expect(reached.at(-1)).toBeGreaterThanOrEqual(PEOPLE * 0.85);
		for (const { died } of broadcasts) {
			expect(died.status).toBe('error');
			expect(died.error?.message).toContain('failed to be processed too many times');
			expect(died.nodes).toEqual([]);
		}
	});

	test('"Retry" is offered, and sends nothing', () => {
		expect(broadcasts.map(({ retried: { status, nodes } }) => ({ status, nodes }))).toEqual(
			broadcasts.map(() => ({ status: 'error', nodes: [] })),
		);
		expect(reachedAfterRetries).toBe(reachedBeforeRetries);
	});

	test('*Stop* ends one that was started anew, in its middle', () => {
		expect(stopped.execution.status).toBe('canceled');
		expect(stopped.reached).toBeLessThan(PEOPLE);
	});

	test('started anew, each sends what is missing: nobody gets it twice, and whoever does not get it is named', async () => {
		for (const broadcast of broadcasts) {
			const { again, mailing: it, moment, onError, people, reachedAtDeath } = broadcast;
			let complete = again;
			if (!onError) {
				// One that stops names the first in doubt and counts the others; they are all named where it goes on.
				await it.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
				complete = await ended(await it.start(people));
			}
			const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(service, people, complete);
			print(
				`killed ${moment} (${onError ?? 'stops'}): ${reachedAtDeath} of ${PEOPLE} had it, ` +
					`${delivered} have it now, ${inDoubt} in doubt, ${deliveredInDoubt} of them delivered`,
			);
			if (onError || inDoubt === 0) {
				const { status, error } = again;
				expect({ status, error }).toEqual({ status: 'success', error: undefined });
			} else {
				const { inDoubt: items, sent } = itemsEnded(complete);
				const done = PEOPLE - inDoubt;
				const named = { message: IN_DOUBT, item: items[0], done, failed: inDoubt, notSent: 0 };
				expect(stoppedBy(again)).toEqual(named);
				expect(sent).toEqual([]);
			}
			expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
		}
	});
});

describe('"Retry" of an execution without \'Send Once Per\' that has stopped at a failure', () => {
	const PEOPLE = 40;
	let people: Contact[];
	let reached: number[];
	let executions: Execution[];

	beforeAll(async () => {
		const { api } = queueMode;
		people = newPeople(service, PEOPLE);
		const plain = await newMailing({ name: 'without-the-option' });
		for (const place of [10, 25]) {
			const body = { message: 'The given data was invalid.' };
			const match = { recipient: people[place]!.id, times: 1 };
			service.faults.add({ kind: 'answer', status: 422, body, match });
		}
		reached = [];
		executions = [];
		const end = async (executionId: string) => {
			executions.push(await ended(executionId));
			reached.push(reachedOf(people));
		};
		const executionId = await plain.start(people);
		await end(executionId);
		await end(await api.retryExecution(executionId, { loadWorkflow: false }));
		// The first once more: what the retry in between has sent stands in n8n's store only.
		await end(await api.retryExecution(executionId, { loadWorkflow: true }));
		await end(await api.retryExecution(executions[1]!.id, { loadWorkflow: false }));
	}, 300_000);

	test('sends only what is missing, with the original workflow and with the current one', () => {
		expect(executions.map(({ status }) => status)).toEqual(['error', 'error', 'success', 'success']);
		print(`Retry without the option: ${reached.join(', then ')} of ${PEOPLE} have it`);
		expect(reached).toEqual([...reached].sort((a, b) => a - b));
		expect(reached[0]).toBeLessThan(reached[1]!);
		expectEverybodyOnce(service, people);
	});

	test('gives every item, also those that were sent before', () => {
		for (const execution of executions.slice(2)) expect(execution.output(SEND)).toHaveLength(PEOPLE);
	});
});

/*
 * n8n's store has no lock between processes: whoever writes it has read it before, and what another process has written
 * meanwhile is gone.
 */
describe('two workers run the same workflow at the same moment', () => {
	const ORDERS = 60;

	/** Orders whose entries are gone, so that they are sent a second time: in most rounds none. */
	const MOST_LOST = 3;
	/** Orders that were sent, and of which an entry has come back that says they may not have been. */
	const MOST_FOUND_IN_DOUBT = 10;

	/** Which workers took what has been started since. */
	async function whoTakes() {
		const known = new Set((await takenBy(queueMode.workers)).map(({ executionId }) => executionId));
		return async () => {
			const taken = (await takenBy(queueMode.workers)).filter(({ executionId }) => !known.has(executionId));
			return taken.map(({ worker }) => worker);
		};
	}

	/** Everybody gets a message by an execution of its own, all started at once. */
	async function round(path: string, people: Contact[]) {
		const workersOfRound = await whoTakes();
		const answers = await Promise.all(
			people.map(async ({ id, name }) => {
				const body = { people: [{ id, name, order: `order ${id}` }] };
				const response = await post(webhookUrl(queueMode.main.host.url, path), body);
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
		['at the pace of an account', PER_SECOND],
	])(
		'messages to different people, %s: hardly any entry is lost',
		async (pace, perSecond) => {
			const { api, main } = queueMode;
			const path = `orders-${perSecond}`;
			const node = sendNode(await account(perSecond, 2), '={{ $json.name }}, ваш заказ собран.');
			node.parameters.options = { sendOncePer: '={{ $json.order }}' };
			const workflow = workflowForPeople(path, path, { ...node, onError: 'continueRegularOutput' });
			// The webhook waits for the end, and answers with what came out.
			Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'lastNode', responseData: 'allEntries' });
			await activate(api, main.host.url, workflow);
			const people = newPeople(service, ORDERS);
			const first = await round(path, people);
			const second = await round(path, people);
			const { several, missed } = booksOf(service, people);
			print(
				`${ORDERS} executions at once on two workers, ${pace}: ${inWords(first)}; ` +
					`all of them again: ${inWords(second)}`,
			);
			expect(missed).toEqual([]);
			expect(several.length).toBeLessThanOrEqual(MOST_LOST);
			expect(second.inDoubt).toBeLessThanOrEqual(MOST_FOUND_IN_DOUBT);
		},
		180_000,
	);

	test('messages to the same people', async () => {
		const { api, main } = queueMode;
		const options = { name: 'together', once: 'together', node: { onError: 'continueRegularOutput' } };
		const credential = await account(PER_SECOND, 2);
		const both = await mailing(api, main.host.url, { ...options, credential });
		const people = newPeople(service, 100);
		const workersOfBoth = await whoTakes();
		const start = async () => await post(webhookUrl(main.host.url, 'together'), { people });
		await Promise.all([start(), start()]);
		const executions = async () => await api.executions(both.workflow.id);
		await until(async () => (await executions()).length === 2);
		const items = await Promise.all((await executions()).map(async ({ id }) => itemsEnded(await ended(id))));
		const counts = items.map(
			({ sent, skipped, inDoubt }) => `${sent.length}/${skipped.length}/${inDoubt.length}`,
		);
		const { several, missed } = booksOf(service, people);
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
		const alone = itemsEnded(await ended(await both.start(people)));
		expect(alone.sent.length).toBeLessThanOrEqual(MOST_LOST);
	}, 180_000);
});

const started = (executionId: string) => `Worker started execution ${executionId} `;

const pause = async (ms: number) => await new Promise((passed) => setTimeout(passed, ms));

test('no request broke the interface', () => {
	service.assertContract();
});
