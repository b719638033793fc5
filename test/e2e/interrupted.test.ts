import { type Execution, type Host, startHost, until } from '../../sandbox/host';
import type { Contact, Emulator } from '../../sandbox/emulator';
import { openOwnBench } from './support/bench';
import {
	deliveredTo,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
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
import { answer, ASK, askingWorkflow, openPage, untilWaiting, type Waiting } from './support/pages';
import { isRegistered, webhookUrl } from './support/webhook';

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

/** A workflow with its own account, which sends 20 messages per second. */
async function newMailing(options: Omit<MailingOptions, 'credential'>): Promise<Mailing> {
	const credential = await newAccount(bench.api, service, { requestsPerSecond: 20 });
	return await mailing(bench.api, bench.host.url, { ...options, credential });
}

const ended = async (id: string): Promise<Execution> => await bench.api.waitForExecution(id);

/** Starts it again, and waits for the end. */
const run = async ({ start }: Mailing, people: Contact[]) => await ended(await start(people));

/** Presses Retry. @returns the ID of the new execution */
const retry = async (id: string) => await bench.api.retryExecution(id, { loadWorkflow: false });

describe("kill of n8n in broadcasts with 'Send Once Per'", () => {
	const PEOPLE = 120;

	/** A broadcast that n8n is killed in. */
	interface CutOff {
		onError?: string;
		mailing: Mailing;
		people: Contact[];
		executionId: string;
	}

	/** One that waits for late answers at its beginning, and one that stops at the first failure, in its middle. */
	let few: CutOff;
	let half: CutOff;
	let reachedAtKill: number[];
	let killedAt: number;
	let question: Waiting;

	const reached = (each: CutOff) => deliveredTo(service, each.people).reached.length;

	beforeAll(async () => {
		question = await ask();
		few = await begin('few', 'continueRegularOutput');
		half = await begin('half');
		await until(() => reached(few) >= 3 && reached(half) >= 30);
		killedAt = performance.now();
		process.kill(-bench.host.pid, 'SIGKILL');
		await bench.host.ended;
		reachedAtKill = [few, half].map(reached);
		service.faults.clear();
		const port = Number(new URL(bench.host.url).port);
		restarted = await startHost({ userFolder: bench.userFolder, port });
		// The webhooks become available a little later.
		await until(async () => await isRegistered(webhookUrl(bench.host.url, 'few')));
	});

	async function begin(name: string, onError?: string): Promise<CutOff> {
		const its = await newMailing({ name, once: 'осень', onError });
		const people = newPeople(service, PEOPLE);
		if (onError) {
			const late = new Set(people.slice(3).map(({ id }) => id));
			const where = ({ input }: { input: Record<string, unknown> }) => late.has(Number(input.contact_id));
			service.faults.add({ kind: 'delay', ms: 60_000, when: 'after', match: { where } });
		}
		return { onError, mailing: its, people, executionId: await its.start(people) };
	}

	/** Asks somebody who has not answered when n8n is killed. */
	async function ask(): Promise<Waiting> {
		const [manager] = newPeople(service, 1);
		const workflow = askingWorkflow({ contactId: String(manager!.id) }, bench.credential);
		return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
	}

	test('a kill of n8n interrupts each broadcast, n8n marks it as crashed, and nothing is sent automatically', async () => {
		for (const [index, { executionId }] of [few, half].entries()) {
			expect(reachedAtKill[index]).toBeLessThan(PEOPLE);
			expect((await ended(executionId)).status).toBe('crashed');
		}
		const late = service.requests.filter(({ arrivedAt }) => arrivedAt > killedAt + 1000);
		expect(late).toEqual([]);
	});

	test('a question that was open when n8n was killed is answered afterwards', async () => {
		expect((await openPage(question.link)).status).toBe(200);
		expect((await answer(question.link, { answer: 'approve' })).status).toBe(200);
		const execution = await ended(question.executionId);
		expect(execution.output(ASK)[0]!.json).toMatchObject({ data: { approved: true } });
	});

	test('Retry and new starts send to everybody without a message, except recipients in doubt, also when they are stopped', async () => {
		const stopAfter = async (executionId: string) => {
			const before = reached(few);
			await until(() => reached(few) >= before + 20);
			await bench.api.stopExecution(executionId);
			expect((await ended(executionId)).status).toBe('canceled');
			expect(reached(few)).toBeLessThan(PEOPLE);
		};
		const stoppedTwice = async () => {
			await stopAfter(await retry(few.executionId));
			await stopAfter(await few.mailing.start(few.people));
			expectOnceOrInDoubt(service, few.people, await run(few.mailing, few.people));
		};
		const stopping = async () => expectStopped(half, await ended(await retry(half.executionId)));
		await Promise.all([stoppedTwice(), stopping()]);
	});

	test('a new start of a completed broadcast sends nothing more; nobody has two messages, and everybody without a message is named', async () => {
		const before = service.requests.length;
		const started = [few, half].map(async ({ mailing: its, onError, people }) => {
			// A run that stops at failures names only the first recipient in doubt; a run that continues names all.
			if (!onError) await its.continueOnErrors();
			return expectOnceOrInDoubt(service, people, await run(its, people));
		});
		for (const inDoubt of await Promise.all(started)) expect(inDoubt).toBeLessThanOrEqual(60);
		expect(service.requests).toHaveLength(before);
		service.assertContract();
	});

	/** By the records of the service, for a run that stops at the first recipient in doubt. */
	function expectStopped({ people }: CutOff, execution: Execution) {
		const { several, missed } = deliveredTo(service, people);
		expect(several).toEqual([]);
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
	const its = await newMailing({ name: 'without-the-option' });
	service.faults.clear();
	service.faults.add({ kind: 'reset', when: 'after', match: { recipient: people[10]!.id } });
	const first = await run(its, people);
	expect(stoppedBy(first)).toMatchObject({ item: 10 });
	expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
	service.faults.clear();

	const named = { message: LEFT_UNKNOWN, item: 10, done: people.length - 1, failed: 1, notSent: 0 };
	const second = await ended(await retry(first.id));
	expect(stoppedBy(second)).toEqual(named);
	expectEverybodyOnce(service, people);
	expect(stoppedBy(await ended(await retry(second.id)))).toEqual(named);
	// So does a retry of the first execution. Its own copy of the answers is outdated by then.
	expect(stoppedBy(await ended(await retry(first.id)))).toMatchObject({ message: LEFT_UNKNOWN, item: 10 });
	expectEverybodyOnce(service, people);
	const asked = service.requests.filter(({ input }) => Number(input.contact_id) === people[10]!.id);
	expect(asked).toHaveLength(1);
	service.assertContract();
});
