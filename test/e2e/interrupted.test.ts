import { type Execution, type Host, startHost, until } from '../../sandbox/host';
import type { Contact, Emulator } from '../../sandbox/emulator';
import { openOwnBench } from './support/bench';
import {
	deliveredTo,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
	expectSuccess,
	IN_DOUBT,
	LEFT_UNKNOWN,
	type Mailing,
	mailing,
	type MailingOptions,
	newAccount,
	newPeople,
	stoppedBy,
} from './support/interrupted';
import { duringTests } from './support/duringTests';
import {
	answer,
	ASK,
	asking,
	askingWorkflow,
	openPage,
	untilWaiting,
	type Waiting,
} from './support/question';
import { workflowWithoutDuplicates } from './support/removeDuplicates';
import { activate, isRegistered, post, webhookUrl } from './support/webhook';

/*
 * Broadcasts that are interrupted, and how they continue: a new start with 'Send Once Per' after any interruption; and Retry of a
 * failed execution, with or without that option. All in one n8n with its own database, which is killed once.
 */

const bench = duringTests(async () => await openOwnBench('interrupted'));
let service: Emulator;
/** The n8n that was started after the kill. */
let restarted: Host | undefined;

beforeAll(() => void ({ service } = bench));
afterAll(async () => await restarted?.stop());

const perSecond = 20;

let mailings = 0;

/** A separate workflow, by default with its own account too. */
async function newMailing(options: Partial<MailingOptions> = {}): Promise<Mailing> {
	const credential =
		options.credential ?? (await newAccount(bench.api, service, { requestsPerSecond: perSecond }));
	return await mailing(bench.api, bench.host.url, { name: `mailing-${++mailings}`, ...options, credential });
}

const ended = async (id: string): Promise<Execution> => await bench.api.waitForExecution(id);

/** Starts it again, and waits for the end. */
const run = async ({ start }: Mailing, people: unknown[]) => await ended(await start(people));

/** Presses Retry, and waits for the end. */
const retry = async (id: string) => await ended(await bench.api.retryExecution(id, { loadWorkflow: false }));

const untilReached = async (people: Contact[], count: number) =>
	await until(() => deliveredTo(service, people).reached.length >= count);

describe("kill of n8n in three broadcasts with 'Send Once Per'", () => {
	const PEOPLE = 200;

	interface CutOff {
		/** The node's On Error setting; by default the node stops. */
		onError?: string;
		/** The number of messages from which on the service is slow, before or after it delivers them. */
		slow?: { after: number; when: 'before' | 'after'; ms: number };
		/** The progress at which n8n is killed. */
		from: number;
		to: number;
		mailing: Mailing;
		people: Contact[];
		executionId: string;
		/** People who had received their message when n8n was killed. */
		reachedAtKill: number;
	}

	const goingOn = { onError: 'continueRegularOutput' };
	const broadcasts = [
		{ ...goingOn, slow: { after: 3, when: 'after', ms: 60_000 }, from: 3, to: 50 },
		{ from: 50, to: 199 },
		{
			onError: 'continueErrorOutput',
			slow: { after: 100, when: 'before', ms: 5000 },
			from: 90,
			to: 180,
		},
	] as CutOff[];
	const [few] = broadcasts as [CutOff];
	const goesOn = ({ onError }: CutOff) => onError !== undefined;
	let killedAt: number;
	let question: Waiting;

	beforeAll(async () => {
		question = await ask();
		for (const each of broadcasts) {
			const node = each.onError ? { onError: each.onError } : {};
			each.mailing = await newMailing({ once: 'осенняя распродажа', node });
			each.people = newPeople(service, PEOPLE);
			if (each.slow) slowDown(each.people, each.slow);
		}
		for (const each of broadcasts) await begin(each);
		for (const each of broadcasts) await untilReached(each.people, each.from);
		killedAt = performance.now();
		await kill();
		for (const each of broadcasts) each.reachedAtKill = deliveredTo(service, each.people).reached.length;
		await restart();
		service.faults.clear();
	});

	/** Asks somebody who has not answered when n8n is killed. */
	async function ask(): Promise<Waiting> {
		const [manager] = newPeople(service, 1);
		const node = asking({ contactId: String(manager!.id) });
		const { id } = await bench.api.createWorkflow(askingWorkflow(node, bench.credential));
		return await untilWaiting(bench, id);
	}

	const begin = async (each: CutOff) => (each.executionId = await each.mailing.start(each.people));

	function slowDown(people: Contact[], { after, when, ms }: NonNullable<CutOff['slow']>) {
		const ids = new Set(people.slice(after).map(({ id }) => id));
		service.faults.add({
			kind: 'delay',
			ms,
			when,
			match: { where: ({ input }) => ids.has(Number(input.contact_id)) },
		});
	}

	async function kill() {
		process.kill(-bench.host.pid, 'SIGKILL');
		await bench.host.ended;
	}

	async function restart() {
		const port = Number(new URL(bench.host.url).port);
		restarted = await startHost({ userFolder: bench.userFolder, port });
		// The webhooks become available a little later.
		await until(async () => await isRegistered(webhookUrl(bench.host.url, few.mailing.workflow.name)));
	}

	test('a kill of n8n interrupts each broadcast at the planned progress, and n8n marks it as crashed', async () => {
		for (const { executionId, reachedAtKill, from, to } of broadcasts) {
			expect(reachedAtKill).toBeGreaterThanOrEqual(from);
			expect(reachedAtKill).toBeLessThanOrEqual(to);
			expect((await ended(executionId)).status).toBe('crashed');
		}
		// Nothing is sent automatically.
		const arrivals = service.requests.map(({ arrivedAt }) => arrivedAt);
		expect(arrivals.filter((arrivedAt) => arrivedAt > killedAt + 1000)).toEqual([]);
	});

	test('a question that was open when n8n was killed is answered afterwards', async () => {
		expect((await openPage(question.link)).status).toBe(200);
		expect((await answer(question.link, { answer: 'approve' })).status).toBe(200);
		const execution = await ended(question.executionId);
		expectSuccess(execution);
		expect(execution.output(ASK)[0]!.json).toMatchObject({ data: { approved: true } });
	});

	test('Retry after a kill sends to everybody without a message, except recipients in doubt, with any On Error', async () => {
		const retried = broadcasts.filter((each) => each !== few);
		const executions = await Promise.all(retried.map(async ({ executionId }) => await retry(executionId)));
		for (const [index, each] of retried.entries()) expectContinued(each, executions[index]!);
	});

	test('another start continues a stopped Retry and a stopped new start', async () => {
		const { mailing: its, people, executionId } = few;
		const stopAfter = async (id: string, more: number) => {
			await untilReached(people, deliveredTo(service, people).reached.length + more);
			await bench.api.stopExecution(id);
			expect((await ended(id)).status).toBe('canceled');
			expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
		};
		await stopAfter(await bench.api.retryExecution(executionId, { loadWorkflow: false }), 40);
		await stopAfter(await its.start(people), 40);
		expectContinued(few, await run(its, people));
	});

	test('a new start of a completed broadcast sends nothing more, and reports the same', async () => {
		const before = service.requests.length;
		const executions = await Promise.all(
			broadcasts.map(async (each) => await run(each.mailing, each.people)),
		);
		for (const [index, each] of broadcasts.entries()) expectContinued(each, executions[index]!);
		expect(service.requests).toHaveLength(before);
	});

	test('after a kill and all later runs nobody has two messages, and everybody without a message is named', async () => {
		// Each run looks for its recipients in doubt several times before it names them.
		const numbersInDoubt = broadcasts.map(async (each) => {
			const { mailing: its, people } = each;
			// A run that stops at failures names only the first recipient in doubt; a run that continues names all.
			if (!goesOn(each)) await its.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
			return expectOnceOrInDoubt(service, people, await run(its, people)).inDoubt;
		});
		for (const inDoubt of await Promise.all(numbersInDoubt)) expect(inDoubt).toBeLessThanOrEqual(60);
		service.assertContract();
	});

	/** By the records of the service and the output of the node, for a run that was not interrupted. */
	function expectContinued(each: CutOff, execution: Execution) {
		const { people } = each;
		const { several, missed } = deliveredTo(service, people);
		expect(several).toEqual([]);
		if (goesOn(each)) {
			expectSuccess(execution);
			expectOnceOrInDoubt(service, people, execution);
			return;
		}
		if (execution.status === 'success') {
			expect(missed).toEqual([]);
			return;
		}
		const { message, item, done, failed, notSent } = stoppedBy(execution);
		expect({ message, notSent }).toEqual({ message: IN_DOUBT, notSent: 0 });
		expect(done + failed).toBe(PEOPLE);
		// The error names the first recipient in doubt: everybody before has a message.
		expect(people.slice(0, item).filter(({ id }) => missed.includes(id))).toEqual([]);
		expect(missed.length).toBeLessThanOrEqual(failed);
	}
});

test("Retry without 'Send Once Per' skips and names recipients who may have the message, and the others get theirs", async () => {
	const people = newPeople(service, 40);
	const its = await newMailing();
	service.faults.clear();
	service.faults.add({ kind: 'reset', when: 'after', match: { recipient: people[10]!.id } });
	const first = await run(its, people);
	expect(stoppedBy(first)).toMatchObject({ item: 10 });
	expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
	service.faults.clear();

	let { id } = first;
	for (let times = 0; times < 2; times++) {
		const again = await retry(id);
		const named = { message: LEFT_UNKNOWN, item: 10, done: people.length - 1, failed: 1, notSent: 0 };
		expect(stoppedBy(again)).toEqual(named);
		expectEverybodyOnce(service, people);
		({ id } = again);
	}
	// So does a retry of the first execution. Its own copy of the answers is outdated by then.
	expect(stoppedBy(await retry(first.id))).toMatchObject({ message: LEFT_UNKNOWN, item: 10, notSent: 0 });
	expectEverybodyOnce(service, people);
	const asked = service.requests.filter(({ input }) => Number(input.contact_id) === people[10]!.id);
	expect(asked).toHaveLength(1);
});

test("in one process, Remove Duplicates with the scope 'Workflow' forgets nothing beside broadcasts with 'Send Once Per'", async () => {
	const name = 'with-duplicates-removed';
	const credential = await newAccount(bench.api, service, { requestsPerSecond: 0 });
	const { url } = restarted ?? bench.host;
	const workflow = workflowWithoutDuplicates(name, 'workflow', credential);
	const { id } = await activate(bench.api, url, workflow);
	const parts = Array.from({ length: 10 }, () => newPeople(service, 10));
	let executions: Awaited<ReturnType<typeof bench.api.executions>> = [];
	const runAll = async () => {
		const before = executions.length;
		for (const people of parts) await post(webhookUrl(url, name), { people });
		await until(async () => {
			executions = await bench.api.executions(id);
			const areAll = executions.length === before + parts.length;
			return areAll && executions.every(({ status }) => status === 'success');
		});
	};
	await runAll();
	expectEverybodyOnce(service, parts.flat());
	await runAll();
	const [again] = executions;
	expect((await ended(again!.id)).output('Remove Duplicates')).toEqual([]);
	expectEverybodyOnce(service, parts.flat());
});

test('no request of interrupted broadcasts violated the API', () => {
	service.assertContract();
});
