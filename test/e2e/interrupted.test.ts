import { type Execution, type Host, startHost, until } from '../../sandbox/host';
import type { Contact, Emulator } from '../../sandbox/emulator';
import { openOwnBench } from './support/bench';
import {
	deliveredTo,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
	LEFT_UNKNOWN,
	type Mailing,
	mailing,
	type MailingOptions,
	newPeople,
} from './support/interrupted';
import { duringTests } from '../duringTests';
import { answer, ASK, questionWorkflow, openPage, untilWaiting, type Waiting } from './support/pages';
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

/** Messages per second of each broadcast. */
const PACE = 20;

/** A workflow with its own account. */
const newMailing = async (options: Omit<MailingOptions, 'account'>) =>
	await mailing({ ...bench, url: bench.host.url }, { ...options, account: { requestsPerSecond: PACE } });

const ended = async (id: string): Promise<Execution> => await bench.api.waitForExecution(id);

/** Starts it again, and waits for the end. */
const run = async ({ start }: Mailing, people: Contact[]) => await ended(await start(people));

/** Presses Retry. @returns the ID of the new execution */
const retry = async (id: string) => await bench.api.retryExecution(id);

describe("kill of n8n in broadcasts with 'Send Once Per'", () => {
	const PEOPLE = 120;
	/** The node claims the messages of the next two seconds. Ten requests may be in progress, and others leave while it records. */
	const MOST_IN_DOUBT = 3 * PACE;

	/** A broadcast that n8n is killed in. */
	interface CutOff {
		mailing: Mailing;
		people: Contact[];
		executionId: string;
	}

	/** One that waits for late answers at its beginning, and one in its middle. */
	let few: CutOff;
	let half: CutOff;
	let killedAt: number;
	let question: Waiting;

	const reached = (each: CutOff) => deliveredTo(service, each.people).reached.length;

	beforeAll(async () => {
		question = await ask();
		few = await begin('few');
		half = await begin('half');
		await until(() => reached(few) >= 3 && reached(half) >= 30);
		killedAt = performance.now();
		process.kill(-bench.host.pid, 'SIGKILL');
		await bench.host.ended;
		service.faults.clear();
		const port = Number(new URL(bench.host.url).port);
		restarted = await startHost({ userFolder: bench.userFolder, port });
		// The webhooks become available a little later.
		await until(async () => await isRegistered(webhookUrl(bench.host.url, 'few')));
	});

	async function begin(name: string): Promise<CutOff> {
		const its = await newMailing({ name, once: 'осень', onError: 'continueRegularOutput' });
		const people = newPeople(service, PEOPLE);
		if (name === 'few') {
			const late = new Set(people.slice(3).map(({ id }) => id));
			const where = ({ input }: { input: Record<string, unknown> }) => late.has(Number(input.contact_id));
			service.faults.add({ kind: 'delay', ms: 60_000, when: 'after', match: { where } });
		}
		return { mailing: its, people, executionId: await its.start(people) };
	}

	/** Asks somebody who has not answered when n8n is killed. */
	async function ask(): Promise<Waiting> {
		const [manager] = newPeople(service, 1);
		const workflow = questionWorkflow({ contactId: String(manager!.id) }, bench.credential);
		return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
	}

	test('a kill of n8n interrupts each broadcast, n8n marks it as crashed, and nothing is sent automatically', async () => {
		for (const each of [few, half]) {
			expect((await ended(each.executionId)).status).toBe('crashed');
			expect(reached(each)).toBeLessThan(PEOPLE);
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

	test('Retry and new starts, also when they are stopped, send once to everybody without a message, except recipients in doubt, who are named', async () => {
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
		const retried = async () =>
			expectOnceOrInDoubt(service, half.people, await ended(await retry(half.executionId)));
		await Promise.all([stoppedTwice(), retried()]);
		// A new start of a completed broadcast sends nothing more.
		const before = service.requests.length;
		for (const { mailing: its, people } of [few, half])
			expect(expectOnceOrInDoubt(service, people, await run(its, people))).toBeLessThanOrEqual(MOST_IN_DOUBT);
		expect(service.requests).toHaveLength(before);
		service.assertContract();
	});
});

test("Retry without 'Send Once Per' skips and names recipients who may have the message, and the others get theirs", async () => {
	const people = newPeople(service, 40);
	const its = await newMailing({ name: 'without-the-option' });
	service.faults.clear();
	service.faults.add({ kind: 'reset', when: 'after', match: { recipient: people[10]!.id } });
	const first = await run(its, people);
	expect(first.error?.message).toContain('[Item 10]');
	expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
	service.faults.clear();

	const second = await retry(first.id);
	await ended(second);
	// A third try knows it too; so does a retry of the first execution, whose own copy of the answers is outdated by then.
	for (const id of [second, await retry(second), await retry(first.id)]) {
		const { error } = await ended(id);
		expect(error?.message).toBe(`${LEFT_UNKNOWN} [Item 10]`);
		expectEverybodyOnce(service, people);
	}
	const asked = service.requests.filter(({ input }) => Number(input.contact_id) === people[10]!.id);
	expect(asked).toHaveLength(1);
	service.assertContract();
});
