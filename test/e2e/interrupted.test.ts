import { type Host, startHost, until } from '../../sandbox/host';
import type { Contact, Emulator } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { openOwnBench } from './support/bench';
import { deliveredTo, expectOnceOrInDoubt, type Mailing, mailing, newPeople } from './support/interrupted';
import { answer, ASK, questionWorkflow, untilWaiting, type Waiting } from './support/pages';
import { isRegistered, webhookUrl } from './support/webhook';

/*
 * Broadcasts with 'Send Once Per' in an n8n that is killed, and how they continue: by Retry, by a new start, and by one that is stopped.
 * Retry without the option: engine/retry.test.ts.
 */

const PEOPLE = 120;
/** Messages per second of each broadcast. */
const PACE = 20;
/** The node claims the messages of the next two seconds. Ten requests may be in progress, and others leave while it records. */
const MOST_IN_DOUBT = 3 * PACE;

/** A broadcast that n8n is killed in. */
interface CutOff {
	mailing: Mailing;
	people: Contact[];
	executionId: string;
}

const bench = duringTests(async () => await openOwnBench('interrupted'));
let service: Emulator;
/** The n8n that was started after the kill. */
let restarted: Host | undefined;
/** One that waits for late answers at its beginning, and one in its middle. */
let few: CutOff;
let half: CutOff;
let killedAt: number;
/** To somebody who has not answered when n8n is killed. */
let question: Waiting;

const reached = (each: CutOff) => deliveredTo(service, each.people).reached.length;
const ended = async (id: string) => await bench.api.waitForExecution(id);

async function begin(name: string): Promise<CutOff> {
	const options = { name, once: 'осень', onError: 'continueRegularOutput' };
	const account = { requestsPerSecond: PACE };
	const its = await mailing({ ...bench, url: bench.host.url }, { ...options, account });
	const people = newPeople(service, PEOPLE);
	if (name === 'few') {
		const late = new Set(people.slice(3).map(({ id }) => id));
		const where = ({ input }: { input: Record<string, unknown> }) => late.has(Number(input.contact_id));
		service.faults.add({ kind: 'delay', ms: 60_000, when: 'after', match: { where } });
	}
	return { mailing: its, people, executionId: await its.start(people) };
}

beforeAll(async () => {
	({ service } = bench);
	const [manager] = newPeople(service, 1);
	const workflow = questionWorkflow({ contactId: String(manager!.id) }, bench.credential);
	question = await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
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
afterAll(async () => await restarted?.stop());

test('a killed broadcast is marked, and sends nothing by itself', async () => {
	for (const each of [few, half]) {
		expect((await ended(each.executionId)).status).toBe('crashed');
		expect(reached(each)).toBeLessThan(PEOPLE);
	}
	expect(service.requests.filter(({ arrivedAt }) => arrivedAt > killedAt + 1000)).toEqual([]);
});

test('a question that was open is answered afterwards', async () => {
	expect((await answer(question.link, { answer: 'approve' })).status).toBe(200);
	const execution = await ended(question.executionId);
	expect(execution.output(ASK)[0]!.json).toMatchObject({ data: { approved: true } });
});

test('Retry and new starts reach once all but those in doubt', async () => {
	const { api } = bench;
	const stopAfter = async (executionId: string) => {
		const before = reached(few);
		await until(() => reached(few) >= before + 20);
		await api.stopExecution(executionId);
		expect((await ended(executionId)).status).toBe('canceled');
		expect(reached(few)).toBeLessThan(PEOPLE);
	};
	const again = async ({ mailing: { start }, people }: CutOff) =>
		expectOnceOrInDoubt(service, people, await ended(await start(people)));
	const stoppedTwice = async () => {
		await stopAfter(await api.retryExecution(few.executionId));
		await stopAfter(await few.mailing.start(few.people));
		await again(few);
	};
	const retried = async () =>
		expectOnceOrInDoubt(service, half.people, await ended(await api.retryExecution(half.executionId)));
	await Promise.all([stoppedTwice(), retried()]);
	// A new start of a completed broadcast sends nothing more.
	const before = service.requests.length;
	for (const each of [few, half]) expect(await again(each)).toBeLessThanOrEqual(MOST_IN_DOUBT);
	expect(service.requests).toHaveLength(before);
	service.assertContract();
});
