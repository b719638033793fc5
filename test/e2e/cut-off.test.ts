import { type Execution, packageName, startHost, type StoredCredential } from '../../sandbox/host';
import { type Contact, type Fault, type Service } from '../../sandbox/service';
import { type Bench, openBench, userFolderOf } from './support/bench';
import {
	booksOf,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
	IN_DOUBT,
	itemsEnded,
	LEFT_UNKNOWN,
	type Mailing,
	mailing,
	type MailingOptions,
	newAccount,
	newPeople,
	SEND,
	stoppedBy,
} from './support/cutOff';
import { until } from './support/eventually';

/*
 * Broadcasts that are cut off, and what continues them: a new start with 'Send Once Per', whatever cut them off; and Retry of an
 * execution that has failed, with the option or without. All in one n8n with its own database, which is killed once.
 */

let bench: Bench;
let service: Service;
/** What has to be stopped in the end: n8n is another process after it was killed. */
let stopHost: () => Promise<void>;

beforeAll(async () => {
	bench = await openBench('cut-off');
	({ service } = bench);
	stopHost = bench.host.stop;
}, 400_000);

afterAll(async () => {
	await stopHost?.();
	await bench?.stop();
});

const perSecond = 20;

let mailings = 0;

/** A workflow of its own, by default with an account of its own too. */
async function newMailing(options: Partial<MailingOptions> = {}): Promise<Mailing> {
	const credential =
		options.credential ?? (await newAccount(bench.api, service, { requestsPerSecond: perSecond }));
	return await mailing(bench.api, bench.host.url, { name: `mailing-${++mailings}`, ...options, credential });
}

const ended = async (id: string): Promise<Execution> => await bench.api.waitForExecution(id);

/** Starts it anew, with its end. */
const run = async ({ start }: Mailing, people: unknown[]) => await ended(await start(people));

/** Presses Retry, and waits for the end. */
const retry = async (id: string, loadWorkflow = false) =>
	await ended(await bench.api.retryExecution(id, { loadWorkflow }));

const untilReached = async (people: Contact[], count: number) =>
	await until(() => booksOf(service, people).reached.length >= count);

/** The service refuses the messages to somebody. */
const refusalOf = ({ id }: Pick<Contact, 'id'>, times?: number): Fault => ({
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.' },
	match: { recipient: id, times },
});

/** It delivers the message to somebody, and the connection breaks off before it says so. */
const silenceOn = ({ id }: Pick<Contact, 'id'>): Fault => ({
	kind: 'reset',
	when: 'after',
	match: { recipient: id },
});

const requestsTo = ({ id }: Pick<Contact, 'id'>) =>
	service.requests.filter(({ input }) => Number(input.contact_id) === id);

const succeeded = ({ status, error }: Execution) =>
	expect({ status, error }).toEqual({ status: 'success', error: undefined });

describe('five broadcasts that one kill of n8n cuts off, each with Send Once Per', () => {
	const PEOPLE = 200;

	interface CutOff {
		title: string;
		/** What the node does at a failure; it stops without this. */
		onError?: string;
		/** From how many messages on the service takes its time, before it delivers or before it says so. */
		slow?: { after: number; when: 'before' | 'after'; ms: number };
		/** How far it is when n8n is killed. */
		from: number;
		to: number;
		mailing: Mailing;
		people: Contact[];
		executionId: string;
		/** People who had their message when n8n was killed. */
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
		for (const each of broadcasts) each.reachedAtKill = booksOf(service, each.people).reached.length;
		await restart();
		service.faults.clear();
	}, 300_000);

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

	/** The service lets its account wait, so that its people are claimed and nothing leaves. */
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
		const host = await startHost({ userFolder: userFolderOf('cut-off'), port });
		stopHost = host.stop;
		// The webhooks are there a little later.
		await until(async () => {
			const address = `${host.url}/webhook/${few.mailing.workflow.name}`;
			const response = await fetch(address, { method: 'OPTIONS', headers: { origin: 'http://localhost' } });
			return response.headers.get('access-control-allow-methods')?.includes('POST') ?? false;
		});
	}

	test('each is cut off where it was to be, and n8n calls it crashed', async () => {
		for (const { executionId, reachedAtKill, from, to } of broadcasts) {
			expect(reachedAtKill).toBeGreaterThanOrEqual(from);
			expect(reachedAtKill).toBeLessThanOrEqual(to);
			expect((await ended(executionId)).status).toBe('crashed');
		}
		// Nothing is sent by itself.
		const arrivals = service.requests.map(({ arrivedAt }) => arrivedAt);
		expect(arrivals.filter((arrivedAt) => arrivedAt > killedAt + 1000)).toEqual([]);
	});

	test('Retry sends what is missing to all but those in doubt, however the node takes failures', async () => {
		const retried = broadcasts.filter((each) => each !== few);
		const executions = await Promise.all(retried.map(async ({ executionId }) => await retry(executionId)));
		for (const [index, each] of retried.entries()) expectContinued(each, executions[index]!);
	});

	test('a retry that is stopped, and a new start that is stopped, are continued by another start', async () => {
		const { mailing: its, people, executionId } = few;
		const stopAfter = async (id: string, more: number) => {
			await untilReached(people, booksOf(service, people).reached.length + more);
			await bench.api.stopExecution(id);
			expect((await ended(id)).status).toBe('canceled');
			expect(booksOf(service, people).missed.length).toBeGreaterThan(0);
		};
		await stopAfter(await bench.api.retryExecution(executionId, { loadWorkflow: false }), 40);
		await stopAfter(await its.start(people), 40);
		expectContinued(few, await run(its, people));
	});

	test('a new start sends nothing more, and says the same', async () => {
		const before = service.requests.length;
		const executions = await Promise.all(
			broadcasts.map(async (each) => await run(each.mailing, each.people)),
		);
		for (const [index, each] of broadcasts.entries()) expectContinued(each, executions[index]!);
		expect(service.requests).toHaveLength(before);
	});

	test('nobody has got two messages, and all who have none are named', async () => {
		for (const each of broadcasts) {
			const { title, mailing: its, people, reachedAtKill } = each;
			// One that stops at failures names the first in doubt; all are named when it goes on.
			if (!goesOn(each)) await its.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
			const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(
				service,
				people,
				await run(its, people),
			);
			process.stdout.write(
				`Cut off ${title} (${reachedAtKill} of ${PEOPLE} sent): ${delivered} delivered, ` +
					`${inDoubt} in doubt, of which ${deliveredInDoubt} delivered\n`,
			);
			expect(inDoubt).toBeLessThanOrEqual(60);
		}
		service.assertContract();
	}, 120_000);

	/** By the books and by what the node put out: a run that nothing has cut off. */
	function expectContinued(each: CutOff, execution: Execution) {
		const { people } = each;
		const { several, missed } = booksOf(service, people);
		expect(several).toEqual([]);
		if (goesOn(each)) {
			succeeded(execution);
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
		// The first in doubt is named: nobody before is without a message.
		expect(people.slice(0, item).filter(({ id }) => missed.includes(id))).toEqual([]);
		expect(missed.length).toBeLessThanOrEqual(failed);
	}
});

describe('Send Once Per', () => {
	test('two executions with the same list at once share it, and both succeed', async () => {
		const people = newPeople(service, 60);
		const its = await newMailing({ once: 'осень' });
		const ids = [await its.start(people), await its.start(people)];
		const executions = await Promise.all(ids.map(ended));
		executions.forEach(succeeded);
		expectEverybodyOnce(service, people);
		const items = executions.map((execution) => itemsEnded(execution));
		for (const { sent, skipped } of items) expect(sent.length + skipped.length).toBe(people.length);
		expect(items.flatMap(({ sent }) => sent).sort((a, b) => a - b)).toEqual(people.map((_, index) => index));
	});

	test('with Retry On Fail, what the service has refused is sent again, and nothing else', async () => {
		const people = newPeople(service, 40);
		const [refused] = people.slice(15);
		service.faults.add(refusalOf(refused!, 1));
		const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const execution = await run(await newMailing({ once: 'осень', node: retrying }), people);
		succeeded(execution);
		expect(execution.output(SEND)).toHaveLength(people.length);
		expectEverybodyOnce(service, people);
		expect(requestsTo(refused!)).toHaveLength(2);
	});

	test('by the number of the order, a person gets one message for each order', async () => {
		const [anna, boris] = newPeople(service, 2);
		const orders = [
			{ ...anna, order: 'А-1' },
			{ ...anna, order: 'А-2' },
			{ ...boris, order: 'Б-1' },
			{ ...boris, order: 'Б-1' },
		];
		const its = await newMailing({ once: '={{ $json.order }}' });
		for (const expected of [
			{ sent: [0, 1, 2], skipped: [3] },
			{ sent: [], skipped: [0, 1, 2, 3] },
		]) {
			const execution = await run(its, orders);
			succeeded(execution);
			expect(itemsEnded(execution)).toMatchObject(expected);
		}
		expect(requestsTo(anna!)).toHaveLength(2);
		expect(requestsTo(boris!)).toHaveLength(1);
	});

	// n8n keeps the entries of a node under its ID: nodes without one would share theirs.
	test('in a workflow given as JSON it needs nodes with IDs', async () => {
		const [person] = newPeople(service, 1);
		const without = await runInline(person!, false);
		expect(without.status).toBe('error');
		expect(without.error?.message).toContain("'Send Once Per'");
		expect(requestsTo(person!)).toEqual([]);

		const sent = await runInline(person!, true);
		succeeded(sent);
		expect(sent.output('Inline').map(({ json }) => json)).toEqual([{ success: true }]);
	});

	async function runInline({ id }: Contact, withIds: boolean): Promise<Execution> {
		const [credential] = await bench.api.credentials();
		const inline = [
			{
				name: 'Called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			},
			{
				name: SEND,
				type: `${packageName}.chatbotService`,
				typeVersion: 1,
				parameters: {
					resource: 'message',
					operation: 'send',
					contactId: String(id),
					contactMessenger: 'vk',
					text: 'Добрый день',
					options: { sendOncePer: 'осень' },
				},
				credentials: { chatbotServiceApi: { id: credential!.id, name: credential!.name } },
			},
		].map((node) => ({ ...node, ...(withIds && { id: node.name }), position: [0, 0] }));
		const json = { nodes: inline, connections: linked(['Called', SEND]) };
		const nodes = [
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
			{
				name: 'Inline',
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: {
					source: 'parameter',
					workflowJson: JSON.stringify(json),
					options: {},
				},
			},
		].map((node) => ({ ...node, id: node.name, position: [0, 0] }));
		const { id: workflowId } = await bench.api.createWorkflow({
			name: `inline ${withIds ? 'with' : 'without'} IDs`,
			nodes,
			connections: linked(['Start', 'Inline']),
			settings: { executionOrder: 'v1' },
		});
		return await bench.api.runWorkflow(workflowId);
	}
});

describe('Retry of a broadcast that has failed, without any option', () => {
	const PEOPLE = 40;
	let people: Contact[];
	let its: Mailing;

	beforeEach(async () => {
		service.faults.clear();
		people = newPeople(service, PEOPLE);
		its = await newMailing();
	});

	afterEach(() => service.faults.clear());

	test('it fails again while the service refuses somebody, and succeeds with a workflow that is put right', async () => {
		service.faults.add(refusalOf(people[20]!));
		const first = await run(its, people);
		expect(stoppedBy(first)).toMatchObject({ item: 20 });
		expect(booksOf(service, people).missed.length).toBeGreaterThan(0);

		const again = await retry(first.id);
		expect(stoppedBy(again)).toMatchObject({ item: 20, message: stoppedBy(first).message });
		expect(booksOf(service, people).several).toEqual([]);

		service.faults.clear();
		await its.edit(({ parameters, ...node }) => ({
			...node,
			parameters: { ...parameters, contactId: '={{ $json.id + 0 }}' },
		}));
		const last = await retry(again.id, true);
		succeeded(last);
		expect(last.output(SEND)).toHaveLength(PEOPLE);
		expectEverybodyOnce(service, people);
	});

	// Every execution has a copy of its own of what was answered, and the first one's is old by then.
	test('the first execution can be retried again after a retry has sent some more and failed', async () => {
		service.faults.add(refusalOf(people[8]!));
		const first = await run(its, people);
		expect(stoppedBy(first)).toMatchObject({ item: 8 });
		const sentFirst = booksOf(service, people).reached.length;

		service.faults.clear();
		service.faults.add(refusalOf(people[32]!));
		expect(stoppedBy(await retry(first.id))).toMatchObject({ item: 32 });
		expect(booksOf(service, people).several).toEqual([]);
		expect(booksOf(service, people).reached.length).toBeGreaterThan(sentFirst);

		service.faults.clear();
		for (let times = 0; times < 2; times++) {
			const last = await retry(first.id);
			succeeded(last);
			expect(last.output(SEND)).toHaveLength(PEOPLE);
			expectEverybodyOnce(service, people);
		}
	});

	test('who has perhaps got the message gets it no second time, and is named; the others get theirs', async () => {
		service.faults.add(silenceOn(people[10]!));
		const first = await run(its, people);
		expect(stoppedBy(first)).toMatchObject({ item: 10 });
		expect(booksOf(service, people).missed.length).toBeGreaterThan(0);
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
		// So does the first one again, whose copy is old.
		expect(stoppedBy(await retry(first.id))).toMatchObject({ message: LEFT_UNKNOWN, item: 10, notSent: 0 });
		expectEverybodyOnce(service, people);
		expect(requestsTo(people[10]!)).toHaveLength(1);
	});

	test('an execution started in the editor is continued too', async () => {
		const credential = await newAccount(bench.api, service, { requestsPerSecond: perSecond });
		const [send] = its.workflow.nodes.slice(-1);
		const list = JSON.stringify({ people: people.map(({ id, name }) => ({ id, name })) });
		const nodes = [
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
			{
				name: 'List',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: list, options: {} },
			},
			{
				name: 'People',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				parameters: { fieldToSplitOut: 'people', options: {} },
			},
			{ ...send!, credentials: { chatbotServiceApi: { id: credential.id, name: credential.name } } },
		].map((node) => ({ ...node, id: node.name, position: [0, 0] }));
		const { id: workflowId } = await bench.api.createWorkflow({
			name: 'mailing by hand',
			nodes,
			connections: linked(['Start', 'List', 'People', SEND]),
			settings: { executionOrder: 'v1' },
		});
		service.faults.add(refusalOf(people[20]!));
		const first = await bench.api.runWorkflow(workflowId);
		expect(stoppedBy(first)).toMatchObject({ item: 20 });
		expect(booksOf(service, people).missed.length).toBeGreaterThan(0);
		service.faults.clear();
		succeeded(await retry(first.id));
		expectEverybodyOnce(service, people);
	});

	test('there is no Retry where n8n is told not to save failed executions', async () => {
		const unsaved = await newMailing({ settings: { saveDataErrorExecution: 'none' } });
		service.faults.add(refusalOf(people[5]!));
		const id = await unsaved.start(people);
		await until(async () => (await bench.api.executions(unsaved.workflow.id)).length === 0);
		const requests = service.requests.length;
		await expect(bench.api.retryExecution(id, { loadWorkflow: false })).rejects.toThrow(
			/not kept|404|could not be found/,
		);
		expect(service.requests).toHaveLength(requests);
	});

	test('of lists that are created, only the missing one is made, and the IDs of all are handed out', async () => {
		const names = ['Заявки', 'Отзывы', 'Заказы', 'Вопросы', 'Звонки'].map((name) => `${name} ${mailings}`);
		const creating = await newMailing({
			parameters: { resource: 'listSchema', operation: 'create', listName: '={{ $json.name }}' },
		});
		service.faults.add({
			kind: 'answer',
			status: 422,
			body: { message: 'The given data was invalid.' },
			match: { path: 'createListSchema', where: ({ input }) => input.name === names[2] },
		});
		const first = await run(
			creating,
			names.map((name) => ({ name })),
		);
		expect(stoppedBy(first)).toMatchObject({ item: 2 });
		service.faults.clear();
		const last = await retry(first.id);
		succeeded(last);
		const made = names.map((name) =>
			[...service.data.listSchemas.values()].filter((list) => list.name === name).map(({ id }) => id),
		);
		expect(made.map((ids) => ids.length)).toEqual(names.map(() => 1));
		expect(last.output(SEND).map(({ json }) => json.id)).toEqual(made.flat());
	});
});

test('no request broke the interface', () => {
	service.assertContract();
});

const linked = (names: string[]) =>
	Object.fromEntries(
		names.slice(1).map((to, index) => [names[index], { main: [[{ node: to, type: 'main', index: 0 }]] }]),
	);
