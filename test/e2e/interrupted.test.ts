import {
	chained,
	type Execution,
	type Host,
	manualTrigger,
	startHost,
	type StoredCredential,
	until,
	workflowOver,
} from '../../sandbox/host';
import { type Contact, type Fault, type Emulator } from '../../sandbox/emulator';
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
	SEND,
	stoppedBy,
} from './support/interrupted';
import { duringTests } from './support/duringTests';
import { isRegistered, sendNode, webhookUrl } from './support/webhook';

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
const retry = async (id: string, loadWorkflow = false) =>
	await ended(await bench.api.retryExecution(id, { loadWorkflow }));

const untilReached = async (people: Contact[], count: number) =>
	await until(() => deliveredTo(service, people).reached.length >= count);

/** The service refuses the messages to a contact. */
const refusalOf = ({ id }: Pick<Contact, 'id'>, times?: number): Fault => ({
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.' },
	match: { recipient: id, times },
});

/** The service delivers the message to a contact, and the connection breaks before the answer. */
const silenceOn = ({ id }: Pick<Contact, 'id'>): Fault => ({
	kind: 'reset',
	when: 'after',
	match: { recipient: id },
});

const requestsTo = ({ id }: Pick<Contact, 'id'>) =>
	service.requests.filter(({ input }) => Number(input.contact_id) === id);

describe("kill of n8n in five broadcasts with 'Send Once Per'", () => {
	const PEOPLE = 200;

	interface CutOff {
		title: string;
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
		{ title: 'before the first message', from: 0, to: 0 },
		{ title: 'after a few', ...goingOn, slow: { after: 3, when: 'after', ms: 60_000 }, from: 3, to: 50 },
		{ title: 'in the middle', from: 50, to: 199 },
		{
			title: 'in the middle, with an error output',
			onError: 'continueErrorOutput',
			slow: { after: 100, when: 'before', ms: 5000 },
			from: 90,
			to: 180,
		},
		{
			title: 'shortly before the end',
			...goingOn,
			slow: { after: 180, when: 'after', ms: 60_000 },
			from: 180,
			to: 199,
		},
	] as CutOff[];
	const [unsent, few, running, middle, late] = broadcasts as [CutOff, CutOff, CutOff, CutOff, CutOff];
	const goesOn = ({ onError }: CutOff) => onError !== undefined;
	let killedAt: number;

	beforeAll(async () => {
		for (const each of broadcasts) {
			const node = each.onError ? { onError: each.onError } : {};
			each.mailing = await newMailing({ once: 'осенняя распродажа', node });
			each.people = newPeople(service, PEOPLE);
			if (each.slow) slowDown(each.people, each.slow);
		}
		for (const each of [late, middle, few]) await begin(each);
		await beginBehindPause(unsent);
		await untilReached(late.people, 140);
		await begin(running);
		for (const each of [middle, late, running]) await untilReached(each.people, each.from);
		killedAt = performance.now();
		await kill();
		for (const each of broadcasts) each.reachedAtKill = deliveredTo(service, each.people).reached.length;
		await restart();
		service.faults.clear();
	});

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

	/** The service makes its account wait, so that people are claimed and nothing is sent. */
	async function beginBehindPause(each: CutOff) {
		const [node] = each.mailing.workflow.nodes.slice(-1);
		const { id, name } = node!.credentials!.chatbotServiceApi!;
		const credential: StoredCredential = { id: id!, name, type: 'chatbotServiceApi' };
		const [somebody] = newPeople(service, 1);
		service.faults.add({ kind: 'too many', retryAfter: 60, match: { recipient: somebody!.id } });
		await (await newMailing({ credential })).start([somebody]);
		await until(() => requestsTo(somebody!).length > 0);
		each.executionId = await each.mailing.start(each.people);
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
		for (const each of broadcasts) {
			const { title, mailing: its, people, reachedAtKill } = each;
			// A run that stops at failures names only the first recipient in doubt; a run that continues names all.
			if (!goesOn(each)) await its.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
			const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(
				service,
				people,
				await run(its, people),
			);
			process.stdout.write(
				`Interrupted ${title} (${reachedAtKill} of ${PEOPLE} sent): ${delivered} delivered, ` +
					`${inDoubt} in doubt, of which ${deliveredInDoubt} delivered\n`,
			);
			expect(inDoubt).toBeLessThanOrEqual(60);
		}
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

// n8n stores the entries of a node under its ID: nodes without an ID would share their entries.
test("'Send Once Per' needs nodes with IDs in a workflow given as JSON", async () => {
	const [person] = newPeople(service, 1);
	const called = {
		name: 'Called',
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	};
	const send = sendNode(bench.credential, 'Добрый день');
	Object.assign(send.parameters, { contactId: String(person!.id), options: { sendOncePer: 'осень' } });
	const inline = chained('Inline', [called, send]);
	const withoutIds = { ...inline, nodes: inline.nodes.map(({ id: _, ...node }) => node) };
	const runInline = async (workflow: object): Promise<Execution> => {
		const call = {
			name: 'Inline',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: { source: 'parameter', workflowJson: JSON.stringify(workflow), options: {} },
		};
		const { id } = await bench.api.createWorkflow(chained('Calls inline', [manualTrigger, call]));
		return await bench.api.runWorkflow(id);
	};

	const refused = await runInline(withoutIds);
	expect(refused.status).toBe('error');
	expect(refused.error?.message).toContain("'Send Once Per'");
	expect(requestsTo(person!)).toEqual([]);

	const sent = await runInline(inline);
	expectSuccess(sent);
	expect(sent.output('Inline').map(({ json }) => json)).toEqual([{ success: true }]);
});

describe('Retry without the option', () => {
	const PEOPLE = 40;
	let people: Contact[];
	let its: Mailing;

	beforeEach(async () => {
		service.faults.clear();
		people = newPeople(service, PEOPLE);
		its = await newMailing();
	});

	afterEach(() => service.faults.clear());

	test('Retry fails again while the service refuses a contact, and succeeds with a corrected workflow', async () => {
		service.faults.add(refusalOf(people[20]!));
		const first = await run(its, people);
		expect(stoppedBy(first)).toMatchObject({ item: 20 });
		expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);

		const again = await retry(first.id);
		expect(stoppedBy(again)).toMatchObject({ item: 20, message: stoppedBy(first).message });
		expect(deliveredTo(service, people).several).toEqual([]);

		service.faults.clear();
		await its.edit(({ parameters, ...node }) => ({
			...node,
			parameters: { ...parameters, contactId: '={{ $json.id + 0 }}' },
		}));
		const last = await retry(again.id, true);
		expectSuccess(last);
		expect(last.output(SEND)).toHaveLength(PEOPLE);
		expectEverybodyOnce(service, people);
	});

	test('Retry skips and names recipients who may have the message, and the others get theirs', async () => {
		service.faults.add(silenceOn(people[10]!));
		const first = await run(its, people);
		expect(stoppedBy(first)).toMatchObject({ item: 10 });
		expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
		service.faults.clear();

		let { id } = first;
		for (let times = 0; times < 2; times++) {
			const again = await retry(id);
			expect(stoppedBy(again)).toEqual({
				message: LEFT_UNKNOWN,
				item: 10,
				done: PEOPLE - 1,
				failed: 1,
				notSent: 0,
			});
			expectEverybodyOnce(service, people);
			({ id } = again);
		}
		// So does a retry of the first execution. Its own copy of the answers is outdated by then.
		expect(stoppedBy(await retry(first.id))).toMatchObject({ message: LEFT_UNKNOWN, item: 10, notSent: 0 });
		expectEverybodyOnce(service, people);
		expect(requestsTo(people[10]!)).toHaveLength(1);
	});

	test('Retry continues an execution that was started in the editor, too', async () => {
		const credential = await newAccount(bench.api, service, { requestsPerSecond: perSecond });
		const items = people.map(({ id, name }) => ({ id, name }));
		const send = sendNode(credential, '={{ $json.name }}, добрый день!');
		const byHand = workflowOver('mailing by hand', items, send);
		const { id: workflowId } = await bench.api.createWorkflow(byHand);
		service.faults.add(refusalOf(people[20]!));
		const first = await bench.api.runWorkflow(workflowId);
		expect(stoppedBy(first)).toMatchObject({ item: 20 });
		expect(deliveredTo(service, people).missed.length).toBeGreaterThan(0);
		service.faults.clear();
		expectSuccess(await retry(first.id));
		expectEverybodyOnce(service, people);
	});
});

test('no request of interrupted broadcasts violated the API', () => {
	service.assertContract();
});
