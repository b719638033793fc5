import { Workflow, type IExecuteFunctions, type INodeParameters, type INodeType } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { addContacts, SEEDED, startService, type Fault } from '../../sandbox/service';
import {
	additionalDataOf,
	loadAsN8n,
	nodeTypesOf,
	start,
	startNode,
	startRetry,
	startRun,
} from '../../sandbox/workflow';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import {
	byTitle,
	isReading,
	operationOf,
	operations,
	parametersOf,
	unknownOf,
	valueAt,
	type Operation,
} from '../operations';
import {
	credentialFor,
	retryNode,
	runNode,
	until,
	useService,
	type RunOptions,
	type RunResult,
} from './harness';
import { howOften, nodeOfNewProcess } from './once';

/*
 * The promises of Retry, n8n's own for an execution that has failed: what was answered is not asked for again, what may have
 * been done is not repeated, and everything else is done with the values as they are now.
 */

const service = useService();

const { contacts } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);

const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	contactMessenger: 'vk',
	text: '={{ $json.text }}',
};

/** Messages to as many different people. */
const letters = (count: number) =>
	addContacts(service.data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }));

const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), ...options });

const contextOf = ({ run: { data } }: RunResult): Record<string, unknown> =>
	data.executionData?.contextData['node:Tested'] ?? {};

/** Where the others have had their answers by then. */
const later: Fault = { kind: 'delay', ms: 150 };
const refusal: Fault = { kind: 'answer', status: 422, body: { message: 'The given data was invalid.' } };

/** Lets a request be refused once the others that left with it are answered. */
function refuse(match: Fault['match']) {
	service.faults.add({ ...later, match });
	service.faults.add({ ...refusal, match });
}

/** Runs so that the last item is refused after all others have been answered. */
async function allButTheLast(items: Array<{ id: number; text: string }>, options: Partial<RunOptions> = {}) {
	refuse({ recipient: items.at(-1)!.id });
	const failed = await run({ items, ...options });
	expect(failed.error?.message).toContain(`[Item ${items.length - 1}]`);
	expect(howOften(service, items)).toEqual(items.map((_, index) => (index < items.length - 1 ? 1 : 0)));
	service.faults.clear();
	return failed;
}

const requestsAfter = (count: number) => service.requests.slice(count);
const once = (items: unknown[]) => items.map(() => 1);

describe('what was answered is not asked for again', () => {
	const workflows: Array<[string, (options: RunOptions) => Partial<RunOptions>]> = [
		['original workflow', () => ({})],
		['currently saved workflow', ({ parameters }) => ({ parameters })],
		[
			'currently saved workflow, Timeout edited',
			({ parameters }) => ({
				parameters: { ...parameters, requestOptions: { timeout: 60_000 } },
			}),
		],
		['currently saved workflow, On Error edited', () => ({ node: { onError: 'continueRegularOutput' } })],
	];

	test.each(workflows)(
		'what was answered is not asked for again by Retry with %s',
		async (_name, changes) => {
			const items = letters(8);
			const failed = await allButTheLast(items);
			const retried = await retryNode(failed, changes(failed.options));
			expect(retried.error).toBeUndefined();
			expect(retried.json).toEqual(items.map(() => ({ success: true })));
			expect(retried.outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
				items.map((_, item) => ({ item })),
			);
			expect(howOften(service, items)).toEqual(once(items));
			expect(requestsAfter(8)).toHaveLength(1);
		},
	);

	test('what was answered is not asked for again by the Retry of a Retry, and of that one', async () => {
		const items = letters(9);
		refuse({ recipient: items[8]!.id });
		service.faults.add({ kind: 'delay', ms: 50, match: { recipient: items[4]!.id } });
		service.faults.add({ ...refusal, match: { recipient: items[4]!.id, times: 1 } });
		let latest = await run({ items });
		for (let time = 0; time < 3; time++) {
			latest = await retryNode(latest, time === 1 ? { parameters: send } : {});
			expect(latest.error?.message).toContain('[Item 8]');
		}
		service.faults.clear();
		expect((await retryNode(latest)).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
		expect(service.requests.filter(({ input }) => Number(input.contact_id) === items[8]!.id)).toHaveLength(5);
	});

	test('what was answered is not asked for again though an expression tells the time', async () => {
		const items = letters(5);
		const parameters = { ...send, text: '={{ $json.text }}, {{ $now.toMillis() }}, {{ Math.random() }}' };
		const failed = await allButTheLast(items, { parameters });
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('what was answered is not asked for again though an expression was corrected that yields the same', async () => {
		const items = [...addContacts(service.data, 4).map(({ id }) => String(id)), 'нет такого'].map((id) => ({
			id,
			text: 'Добрый день',
		}));
		const parameters = { ...send, contactId: '={{ $json.id }}', text: '={{ $json.text }}' };
		refuse({ recipient: Number(items[3]!.id) });
		const failed = await run({ items: items.slice(0, 4), parameters });
		service.faults.clear();
		const corrected = { ...parameters, contactId: '={{ $json.id.trim() }}', text: '={{ $json.text + "" }}' };
		expect((await retryNode(failed, { parameters: corrected })).error).toBeUndefined();
		expect(
			howOften(
				service,
				items.slice(0, 4).map(({ id }) => ({ id: Number(id) })),
			),
		).toEqual([1, 1, 1, 1]);
	});

	test('what was answered is not asked for again though the token was renewed', async () => {
		const items = letters(5);
		const failed = await allButTheLast(items);
		service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
		const renewed = credential({ token: 'renewed-token', tokenPlacement: 'bearer' });
		expect((await retryNode(failed, { credential: renewed })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('what was answered is not asked for again with Retry On Fail in both executions', async () => {
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
		const items = letters(6);
		refuse({ recipient: items[5]!.id });
		service.faults.add({ ...refusal, match: { recipient: items[2]!.id, times: 1 } });
		const failed = await run({ items, node });
		expect(failed.error).toBeDefined();
		const again = await retryNode(failed);
		expect(again.error?.message).toContain('[Item 5]');
		service.faults.clear();
		expect((await retryNode(again)).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});
});

/*
 * n8n offers Retry of an execution as long as none of its retries has succeeded, and each starts with a copy of what it has
 * left: of what another retry has done meanwhile, only n8n's store knows.
 */
describe('an execution that is retried several times', () => {
	/** An execution of which most items have not left. */
	async function fewOf(items: Array<{ id: number }>, options: Partial<RunOptions> = {}) {
		service.faults.add({ ...refusal, match: { recipient: items[3]!.id } });
		const failed = await run({ items, deduplication: new MemoryDeduplicator(), ...options });
		expect(failed.error?.message).toContain('[Item 3]');
		expect(howOften(service, items).filter((count) => count === 0).length).toBeGreaterThan(5);
		service.faults.clear();
		return failed;
	}

	test('does not ask for what another Retry has done', async () => {
		const items = letters(30);
		const failed = await fewOf(items);
		refuse({ recipient: items[25]!.id });
		for (let time = 0; time < 2; time++) {
			const { error } = await retryNode(failed, time ? { parameters: send } : {});
			expect(error?.message).toContain('[Item 25]');
			expect(howOften(service, items)).toEqual(items.map((_, index) => (index === 25 ? 0 : 1)));
		}
		service.faults.clear();
		const { error, json } = await retryNode(failed);
		expect(error).toBeUndefined();
		expect(json).toEqual(items.map(() => ({ success: true })));
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('does not repeat what another Retry has left in doubt', async () => {
		const items = letters(30);
		const failed = await fewOf(items);
		service.faults.add({ kind: 'reset', when: 'after', match: { recipient: items[25]!.id } });
		expect((await retryNode(failed)).error?.message).toContain('[Item 25]');
		service.faults.clear();
		const { error } = await retryNode(failed);
		expect(error?.message).toBe(
			'The service may have done this already, so it was not asked again [Item 25]',
		);
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('completes a Retry that the user has stopped', async () => {
		const items = letters(60);
		const failed = await fewOf(items);
		service.faults.add({ kind: 'delay', ms: [5, 40] });
		const before = service.deliveries().length;
		let cancel = () => {};
		const stopping = retryNode(failed, { onStart: (stop) => (cancel = stop) });
		await until(() => service.deliveries().length >= before + 15);
		cancel();
		expect((await stopping).run.status).toBe('canceled');
		service.faults.clear();
		const { error } = await retryNode(failed);
		const counts = howOften(service, items);
		expect(Math.max(...counts)).toBe(1);
		// Those that were on their way are not repeated.
		expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(10);
		if (error) expect(error.message).toContain('The service may have done this already');
		else expect(counts).toEqual(once(items));
	});

	test.each([2, 3, 4])('completes a Retry whose process died at call %d to the store', async (call) => {
		const items = letters(90);
		const failed = await fewOf(items);
		service.faults.add({ kind: 'delay', ms: [0, 20] });
		const stored = (failed.options.deduplication as MemoryDeduplicator).snapshot();
		const dying = new MemoryDeduplicator({ stored });
		dying.dieAt({ call, when: 'after' });
		let cancel = () => {};
		const retrying = retryNode(failed, {
			deduplication: dying,
			nodeType: nodeOfNewProcess(),
			onStart: (stop) => (cancel = stop),
		});
		expect(await Promise.race([dying.died.then(() => 'died'), retrying.then(() => 'ended')])).toBe('died');
		cancel();
		const { error, outputs } = await retryNode(failed, {
			deduplication: new MemoryDeduplicator({ stored: dying.snapshot() }),
			nodeType: nodeOfNewProcess(),
			node: { onError: 'continueErrorOutput' },
		});
		expect(error).toBeUndefined();
		const doubted = outputs[1]!.map(({ json, pairedItem }) => {
			expect(json.error).toContain('The service may have done this already');
			return (pairedItem as { item: number }).item;
		});
		expect(doubted.length).toBeLessThanOrEqual(60);
		const counts = howOften(service, items);
		expect(Math.max(...counts)).toBe(1);
		expect(
			items.flatMap((_, index) => (counts[index] === 0 && !doubted.includes(index) ? [index] : [])),
		).toEqual([]);
	});

	test('of a workflow that was never saved cannot know, and does what is left of the execution itself', async () => {
		const items = letters(30);
		const failed = await fewOf(items, { workflowId: null });
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('asks the store for nothing where everything is harmless to repeat', async () => {
		const items = letters(3);
		const deduplication = new MemoryDeduplicator();
		const parameters = {
			resource: 'tag',
			operation: 'attach',
			contactId: '={{ $json.id }}',
			tagName: { __rl: true, mode: 'name', value: 'VIP' } as never,
		};
		refuse({ recipient: items[2]!.id });
		const failed = await run({ items, parameters, deduplication });
		service.faults.clear();
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(deduplication.calls).toEqual([]);
	});

	test('asks the store for nothing the first time', async () => {
		const deduplication = new MemoryDeduplicator();
		await allButTheLast(letters(3), { deduplication });
		expect(deduplication.calls).toEqual([]);
	});

	test('is apart from another execution', async () => {
		const items = letters(30);
		const deduplication = new MemoryDeduplicator();
		const first = await fewOf(items, { deduplication });
		await retryNode(first);
		expect(howOften(service, items)).toEqual(once(items));
		const anew = await run({ items, deduplication });
		expect(anew.error).toBeUndefined();
		expect(howOften(service, items)).toEqual(items.map(() => 2));
	});

	test('does not ask for what another Retry has done in its second try', async () => {
		const items = letters(8);
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
		refuse({ recipient: items[5]!.id });
		service.faults.add({ ...refusal, match: { recipient: items[3]!.id, times: 3 } });
		// Both of its tries are refused, and the first of its Retry.
		const failed = await run({ items, node, deduplication: new MemoryDeduplicator() });
		for (let time = 0; time < 2; time++) {
			const { error } = await retryNode(failed);
			expect(error?.message).toContain('[Item 5]');
			expect(howOften(service, items)).toEqual(items.map((_, index) => (index === 5 ? 0 : 1)));
		}
	});

	test('sends what was edited, to those whom another Retry has sent to as well', async () => {
		const items = letters(20);
		const failed = await fewOf(items);
		refuse({ recipient: items[19]!.id });
		const again = await retryNode(failed);
		expect(again.error?.message).toContain('[Item 19]');
		service.faults.clear();
		const parameters = { ...send, text: '={{ $json.text }}, исправлено' };
		expect((await retryNode(again, { parameters })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(items.map((_, index) => (index === 19 ? 1 : 2)));
	});
});

describe('what has changed is asked for', () => {
	test('an item whose values were edited is sent, and the others are not', async () => {
		const items = letters(5);
		const failed = await allButTheLast(items);
		const edited = items.map((item, index) => (index === 1 ? { ...item, text: 'Исправлено' } : item));
		expect((await retryNode(failed, { items: edited })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual([1, 2, 1, 1, 1]);
		expect(service.deliveries().map(({ text }) => text)).toContain('Исправлено');
	});

	test('what is edited in an item and does not travel sends nobody anything', async () => {
		const items = letters(5);
		const failed = await allButTheLast(items);
		const edited = items.map((item) => ({ ...item, note: 'Позвонить' }));
		expect((await retryNode(failed, { items: edited })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('a text that was edited is sent to all', async () => {
		const items = letters(5);
		const failed = await allButTheLast(items);
		const parameters = { ...send, text: '={{ $json.text }}!' };
		expect((await retryNode(failed, { parameters })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual([2, 2, 2, 2, 1]);
	});

	test('another address of the service is another service', async () => {
		const other = await startService();
		try {
			const items = Array.from({ length: 3 }, (_, index) => ({
				id: contacts.vk + index,
				text: `Часть ${index}`,
			}));
			refuse({ recipient: items[2]!.id });
			const failed = await run({ items });
			expect(service.deliveries()).toHaveLength(2);
			const { error } = await retryNode(failed, { credential: credential({ baseUrl: other.url }) });
			expect(error).toBeUndefined();
			expect(other.deliveries()).toHaveLength(3);
		} finally {
			await other.stop();
		}
	});

	test('another operation is asked for with the same items', async () => {
		const items = letters(3);
		const failed = await allButTheLast(items);
		const attach = {
			resource: 'tag',
			operation: 'attach',
			contactId: '={{ $json.id }}',
			tagName: { __rl: true, mode: 'name', value: 'VIP' } as never,
		};
		expect((await retryNode(failed, { parameters: attach })).error).toBeUndefined();
		expect(items.map(({ id }) => service.data.contacts.get(id)!.tags)).toEqual(items.map(() => ['VIP']));
	});

	test('an item that came where another one was is sent', async () => {
		const items = letters(4);
		const failed = await allButTheLast(items);
		const others = letters(4);
		expect((await retryNode(failed, { items: others })).error).toBeUndefined();
		expect(howOften(service, others)).toEqual(once(others));
	});
});

describe('what may have been done is not repeated', () => {
	const unknown: Array<[string, Fault]> = [
		['a 500', { kind: 'server error', when: 'after' }],
		['a reset', { kind: 'reset', when: 'after' }],
		['cut-off JSON', { kind: 'malformed' }],
		['a time-out', { kind: 'timeout' }],
	];

	test.each(unknown)(
		'an item is not repeated after %s, and the others are sent all the same',
		async (_name, fault) => {
			const items = letters(30);
			const { id } = items[3]!;
			service.faults.add({ kind: 'delay', ms: 30 });
			service.faults.add({ ...fault, match: { recipient: id } });
			const parameters = { ...send, requestOptions: fault.kind === 'timeout' ? { timeout: 1500 } : {} };
			const pages = { batching: { batch: { batchSize: 10, batchInterval: 300 } } };
			const failed = await run({
				items,
				parameters: { ...parameters, requestOptions: { ...(parameters.requestOptions as object), ...pages } },
			});
			expect(failed.error?.message).toContain('[Item 3]');
			service.faults.clear();
			let latest = failed;
			for (let time = 0; time < 2; time++) {
				latest = await retryNode(latest, time ? { parameters } : {});
				expect(latest.error?.message).toBe(
					'The service may have done this already, so it was not asked again [Item 3]',
				);
				expect(latest.error?.description).toBe(
					`${unknownOf(operationOf('message/send'))} The service gave no answer when this execution was run before. ` +
						'If it was not done, run the workflow anew for this item alone. ' +
						'Of 30 items, 29 were done, 1 failed and 0 were not sent.',
				);
				expect(howOften(service, items)).toEqual(once(items));
			}
			// Which the user can look at and go on.
			const on = await retryNode(latest, { node: { onError: 'continueErrorOutput' } });
			expect([on.error, on.outputs[0]!.length, on.outputs[1]!.length]).toEqual([undefined, 29, 1]);
			expect(howOften(service, items)).toEqual(once(items));
		},
	);

	test('what may have been done is asked for where its values were edited', async () => {
		const items = letters(3);
		service.faults.add({ kind: 'reset', match: { recipient: items[1]!.id, times: 1 } });
		const failed = await run({ items });
		const edited = items.map((item, index) => (index === 1 ? { ...item, text: 'Ещё раз' } : item));
		expect((await retryNode(failed, { items: edited })).error).toBeUndefined();
		expect(howOften(service, items)).toEqual(once(items));
	});

	test('what may have been done is repeated where that does no harm', async () => {
		const parameters = {
			resource: 'tag',
			operation: 'attach',
			contactId: '={{ $json.id }}',
			tagName: { __rl: true, mode: 'name', value: 'VIP' } as never,
		};
		const items = letters(2);
		service.faults.add({ kind: 'html', match: { recipient: items[1]!.id } });
		const failed = await run({ items, parameters });
		expect(failed.error?.message).toContain('[Item 1]');
		service.faults.clear();
		const before = service.requests.length;
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(requestsAfter(before)).toHaveLength(1);
	});
});

describe('every operation', () => {
	/** The sample, and a second item that differs in one value; where there is none, it is the same. */
	function twoItems({ variants: [usual], secondItem = {} }: Operation) {
		const changing = usual!.fields.filter(({ name }) => name in secondItem);
		const expressions = changing.map(({ name }) => [name, `={{ $json.${name} }}`]);
		const items = [changing.map(({ name, value }) => [name, value]), Object.entries(secondItem)];
		const isSecond = ({ id, input }: { id: number; input: Record<string, unknown> }) =>
			changing.length === 0
				? id === 2
				: changing.every(({ name, wire }) => String(valueAt(input, wire!)) === secondItem[name]);
		return {
			parameters: parametersOf(usual!, Object.fromEntries(expressions) as Record<string, string>),
			items: items.map((values) => Object.fromEntries(values) as Record<string, string>),
			isSecond,
		};
	}

	test.each(byTitle(operations.filter((each) => !isReading(each))))(
		'%s is not asked for again where it was done',
		async (_title, operation) => {
			const { parameters, items, isSecond } = twoItems(operation);
			refuse({ path: operation.endpoint, where: isSecond });
			const failed = await run({ items, parameters });
			expect(failed.error?.message).toContain('[Item 1]');
			expect(service.requests).toHaveLength(2);
			service.faults.clear();
			const { error, json } = await retryNode(failed);
			expect(error).toBeUndefined();
			expect(requestsAfter(2).map(isSecond)).toEqual([true]);
			expect(json).toHaveLength(2);
			expect(service.requests.filter(({ accepted }) => accepted)).toHaveLength(2);
			// Beside what is each one's own, the row of the first is like that of the second.
			expect(Object.keys(json[0]!).sort()).toEqual(Object.keys(json[1]!).sort());
		},
	);

	test.each(byTitle(operations.filter(isReading)))(
		'%s is asked for again, for it only reads',
		async (_title, operation) => {
			const { parameters, items, isSecond } = twoItems(operation);
			refuse({ path: operation.endpoint, where: isSecond });
			const failed = await run({ items, parameters });
			expect(failed.error).toBeDefined();
			service.faults.clear();
			const before = service.requests.length;
			expect(contextOf(failed)).toMatchObject({ items: '' });
			expect((await retryNode(failed)).error).toBeUndefined();
			expect(requestsAfter(before)).toHaveLength(2);
		},
	);

	test('a list that was created comes out again with its ID and its fields, and is there once', async () => {
		const items = ['Первый', 'Второй', 'Третий'].map((name) => ({ name }));
		const parameters: INodeParameters = {
			resource: 'listSchema',
			operation: 'create',
			listName: '={{ $json.name }}',
			fields: { field: [{ name: 'Имя', slug: 'name', type: 'string' }] },
		};
		refuse({ where: ({ input }) => input.name === 'Третий' });
		const failed = await run({ items, parameters });
		expect(failed.error?.message).toContain('[Item 2]');
		service.faults.clear();
		const { json } = await retryNode(failed);
		const there = [...service.data.listSchemas.values()].filter(({ name }) =>
			items.some((item) => item.name === name),
		);
		expect(there).toHaveLength(3);
		expect(json.map(({ id, name, fields }) => ({ id, name, fields }))).toEqual(
			items.map(({ name }) => {
				const { id, fields } = there.find((each) => each.name === name)!;
				return { id, name, fields };
			}),
		);
	});

	test('the rows that are kept are not changed by a Retry that fails again', async () => {
		const items = ['Первый', 'Второй'].map((name) => ({ name }));
		const parameters = { resource: 'listSchema', operation: 'create', listName: '={{ $json.name }}' };
		refuse({ where: ({ input }) => input.name === 'Второй' });
		let latest = await run({ items, parameters });
		const [kept] = Object.values(contextOf(latest).rows as object) as unknown[][];
		latest = await retryNode(await retryNode(latest));
		service.faults.clear();
		const { json } = await retryNode(latest);
		expect(json[0]).toEqual(kept![0]);
	});
});

describe('what is remembered', () => {
	test('what is remembered is small, and neither the token nor a value is in it', async () => {
		const items = letters(1000).map((item) => ({ ...item, text: `Секрет ${item.text}` }));
		const failed = await allButTheLast(items);
		const context = JSON.stringify(contextOf(failed));
		expect(context.length / items.length).toBeLessThanOrEqual(60);
		for (const secret of [service.token, 'Секрет', 'Письмо', String(items[500]!.id), service.url])
			expect(context).not.toContain(secret);
		expect(JSON.stringify(failed.run)).not.toContain(service.token);
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(service.requests).toHaveLength(1001);
	}, 120_000);

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'what is remembered is gone when the node has succeeded (On Error: %s)',
		async (onError) => {
			const items = letters(5);
			if (onError !== 'stopWorkflow') service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
			expect(contextOf(await run({ items, node: { onError } }))).toEqual({});
		},
	);

	test('what is remembered is gone when a Retry has succeeded', async () => {
		const failed = await allButTheLast(letters(5));
		expect(contextOf(failed)).not.toEqual({});
		expect(contextOf(await retryNode(failed))).toEqual({});
	});
});

describe('in a loop', () => {
	/** Hands on its items so often as there are rounds, then puts them out. */
	const rounds = (count: number): INodeType => ({
		description: {
			displayName: 'Rounds',
			name: 'rounds',
			group: [],
			version: 1,
			description: '',
			defaults: { name: 'Rounds' },
			inputs: ['main'],
			outputs: ['main', 'main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			const context = this.getContext('node') as { items?: object[]; round?: number };
			context.items ??= this.getInputData().map(({ json }) => json);
			context.round = (context.round ?? 0) + 1;
			const items = context.items.map((json) => ({ json: { ...json } }));
			return context.round > count ? [items, []] : [[], items];
		},
	});

	/** A loop around the node. */
	function loop(count: number) {
		const tested = loadAsN8n(new ChatbotService());
		const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
		const workflow = new Workflow({
			id: 'workflow',
			active: false,
			settings: { executionOrder: 'v1' },
			nodes: [
				startNode,
				{ ...startNode, id: 'rounds', name: 'Rounds', type: 'rounds' },
				{
					...startNode,
					id: 'tested',
					name: 'Tested',
					type: 'tested',
					credentials: { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } },
					parameters: { recipient: 'contact', content: ['text'], ...send },
				},
			],
			connections: {
				Start: { main: [to('Rounds')] },
				Rounds: { main: [[], to('Tested')] },
				Tested: { main: [to('Rounds')] },
			},
			nodeTypes: nodeTypesOf({ start, rounds: rounds(count), tested }),
		});
		return {
			workflow,
			additionalData: (mode: 'manual' | 'retry') => additionalDataOf(async () => credential(), mode),
		};
	}

	test('the same items are sent in every round', async () => {
		const items = letters(3);
		const { workflow, additionalData } = loop(3);
		const { data } = await startRun(
			workflow,
			additionalData('manual'),
			'manual',
			startNode,
			items.map((json) => ({ json })),
		);
		expect(data.resultData.error).toBeUndefined();
		expect(data.resultData.runData.Tested).toHaveLength(3);
		expect(howOften(service, items)).toEqual([3, 3, 3]);
	});

	test('what was answered in the round that failed is not asked for again, and the rounds after it are', async () => {
		const items = letters(4);
		const { workflow, additionalData } = loop(3);
		// In the second round.
		const isLast = { recipient: items[3]!.id, nth: 2 };
		service.faults.add({ ...later, match: isLast });
		service.faults.add({ ...refusal, match: isLast });
		const failed = await startRun(
			workflow,
			additionalData('manual'),
			'manual',
			startNode,
			items.map((json) => ({ json })),
		);
		expect(failed.data.resultData.error).toBeDefined();
		expect(howOften(service, items)).toEqual([2, 2, 2, 1]);
		const { data } = await startRetry(workflow, additionalData('retry'), failed);
		expect(data.resultData.error).toBeUndefined();
		expect(howOften(service, items)).toEqual([3, 3, 3, 3]);
	});
});

test('Send Once Per and Retry go together: nobody gets it twice, and nobody is left out', async () => {
	const items = letters(40);
	service.faults.add({ kind: 'delay', ms: [0, 30] });
	service.faults.add({ ...refusal, match: { recipient: items[15]!.id } });
	const parameters = { ...send, options: { sendOncePer: 'осень' } };
	const failed = await run({ items, parameters });
	expect(failed.error?.message).toContain('[Item 15]');
	service.faults.clear();
	expect((await retryNode(failed)).error).toBeUndefined();
	expect(howOften(service, items)).toEqual(once(items));
	// The answered ones are known twice over: by the execution and by the store.
	const anew = await run({ items, parameters, deduplication: failed.options.deduplication });
	expect(anew.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
	expect(howOften(service, items)).toEqual(once(items));
});
