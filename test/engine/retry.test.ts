import { Workflow, type IExecuteFunctions, type INodeParameters, type INodeType } from 'n8n-workflow';

import { leftUnknown } from '../../nodes/ChatbotService/client/failure';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { startEmulator, type Fault, type Emulator } from '../../sandbox/emulator';
import {
	additionalDataOf,
	loadAsN8n,
	nodeTypesOf,
	start,
	startNode,
	startRetry,
	startRun,
} from '../../sandbox/workflow';
import {
	byTitle,
	isReading,
	operationOf,
	operations,
	parametersOf,
	unknownOf,
	type Field,
	valueAt,
	type Operation,
	type Variant,
} from '../operations';
import { goodsColumns } from '../operations/fields';
import {
	credentialFor,
	nodeTypeOf,
	retryNode,
	runNode,
	useEmulator,
	withEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { countsIn, lettersFor, refusal, send } from './messages';
import { howOften } from './once';

/*
 * The promises of Retry, which n8n offers for a failed execution: answered requests are not repeated, requests with an unknown
 * outcome are not repeated, and everything else is done with the current values.
 */

/** A node and an emulator. */
function sceneOf(service: Emulator) {
	const credential = (changes = {}) => credentialFor(service, changes);

	const run = async (options: Partial<RunOptions>) =>
		await runNode({ parameters: send, credential: credential(), ...options });

	/** Makes a request fail after the others that were sent with it are answered. */
	function refuse(match: Fault['match']) {
		service.faults.add({ kind: 'delay', ms: 150, match });
		service.faults.add({ ...refusal, match });
	}

	/** Runs so that only the last item is refused, after all others are answered. */
	async function allButTheLast(
		items: Array<{ id: number; text: string }>,
		options: Partial<RunOptions> = {},
	) {
		refuse({ recipient: items.at(-1)!.id });
		const failed = await run({ items, ...options });
		expect(failed.error?.message).toContain(`[Item ${items.length - 1}]`);
		expect(howOften(service, items)).toEqual(items.map((_, index) => (index < items.length - 1 ? 1 : 0)));
		service.faults.clear();
		return failed;
	}

	/** A failed execution in which most items were not sent. */
	async function fewOf(items: Array<{ id: number }>, options: Partial<RunOptions> = {}) {
		service.faults.add({ ...refusal, match: { recipient: items[3]!.id } });
		const failed = await run({ items, ...options });
		expect(failed.error?.message).toContain('[Item 3]');
		expect(howOften(service, items).filter((count) => count === 0).length).toBeGreaterThan(5);
		service.faults.clear();
		return failed;
	}

	const letters = (count: number) => lettersFor(service, count);
	const requestsAfter = (count: number) => service.requests.slice(count);
	return { service, credential, run, refuse, allButTheLast, fewOf, letters, requestsAfter };
}

/** The body of a concurrent test, with a scene of its own. */
const withScene = <Row extends unknown[]>(
	body: (scene: ReturnType<typeof sceneOf>, ...row: Row) => Promise<void>,
) => withEmulator<Row>(async (service, ...row) => await body(sceneOf(service), ...row));

const service = useEmulator();
const { credential, run, refuse, allButTheLast, letters } = sceneOf(service);

const contextOf = ({ run: { data } }: RunResult): Record<string, unknown> =>
	data.executionData?.contextData['node:Tested'] ?? {};

const once = (items: unknown[]) => items.map(() => 1);

describe('answered requests', () => {
	const withTimeout = { ...send, requestOptions: { timeout: 60_000 } };

	/** The token is renewed too. */
	test.concurrent.each<[string, Partial<RunOptions>]>([
		['original workflow', {}],
		['currently saved workflow', { parameters: send }],
		['currently saved workflow, Timeout edited', { parameters: withTimeout }],
		['currently saved workflow, On Error edited', { node: { onError: 'continueRegularOutput' } }],
	])(
		'are not repeated by Retry with %s',
		withScene(async ({ service, credential, allButTheLast, letters, requestsAfter }, _name, changes) => {
			const items = letters(8);
			const failed = await allButTheLast(items);
			service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
			const renewed = credential({ token: 'renewed-token', tokenPlacement: 'bearer' });
			const retried = await retryNode(failed, { credential: renewed, ...changes });
			expect(retried.error).toBeUndefined();
			expect(retried.json).toEqual(items.map(() => ({ success: true })));
			expect(retried.outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
				items.map((_, item) => ({ item })),
			);
			expect(howOften(service, items)).toEqual(once(items));
			expect(requestsAfter(8)).toHaveLength(1);
		}),
	);
});

/*
 * n8n offers Retry of an execution until one of its retries succeeds. Each retry starts with a copy of the data of the failed
 * execution, so only n8n's store knows what another retry has done since.
 */
describe('an execution that is retried several times', () => {
	test.concurrent(
		'a Retry does not repeat the requests of another Retry',
		withScene(async ({ service, refuse, fewOf, letters }) => {
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
		}),
	);

	test.concurrent(
		'a Retry of a workflow that was never saved completes the execution',
		withScene(async ({ service, fewOf, letters }) => {
			const items = letters(30);
			const failed = await fewOf(items, { workflowId: null });
			expect((await retryNode(failed)).error).toBeUndefined();
			expect(howOften(service, items)).toEqual(once(items));
		}),
	);
});

test('a Retry does not repeat an item with an unknown outcome, and sends the others', async () => {
	const items = letters(30);
	service.faults.add({ kind: 'delay', ms: 30 });
	service.faults.add({ kind: 'reset', when: 'after', match: { recipient: items[3]!.id } });
	const batching = { batch: { batchSize: 10, batchInterval: 300 } };
	let latest = await run({ items, parameters: { ...send, requestOptions: { batching } } });
	expect(latest.error?.message).toContain('[Item 3]');
	service.faults.clear();
	for (let time = 0; time < 2; time++) {
		latest = await retryNode(latest, time ? { parameters: send } : {});
		const { message, description } = leftUnknown(unknownOf(operationOf('message/send'))!);
		expect(latest.error?.message).toBe(`${message} [Item 3]`);
		expect(latest.error?.description).toContain(description);
		expect(countsIn(latest.error?.description)).toEqual([30, 29, 1, 0]);
		expect(howOften(service, items)).toEqual(once(items));
	}
	// The user can check that item and continue.
	const on = await retryNode(latest, { node: { onError: 'continueErrorOutput' } });
	expect([on.error, on.outputs[0]!.length, on.outputs[1]!.length]).toEqual([undefined, 29, 1]);
	expect(howOften(service, items)).toEqual(once(items));
});

/*
 * A request that must not be repeated is identified by its operation, its item and its target, never by its content: users who
 * correct a text and retry want to send it only to the recipients that are missing.
 */
describe('edited values before a Retry', () => {
	/** The fields that identify the target of a request; a deletion has more of them. */
	const naming = ['contactId', 'messenger', 'externalId', 'phone', 'schemaId'];
	const namingDeleted = ['variableName', 'variableId', 'fieldSlug', 'itemId'];
	const namesTarget = ({ name }: Field, { answer }: Operation) =>
		naming.includes(name) || (answer === 'deleted' && namingDeleted.includes(name));

	/** Another valid value of the field. */
	function edited({ name, value, offers, other }: Field): unknown {
		if (other) return other;
		if (Array.isArray(value)) return value.slice(0, 1);
		if (offers) return offers.find((each) => each !== value);
		if (typeof value === 'boolean') return !value;
		if (/^\+?\d+$/.test(String(value)))
			return name === 'externalId'
				? '+79990000001'
				: String(value).replace(/.$/, (last) => (last === '7' ? '8' : '7'));
		if (name === 'fieldsJson') return '[{"name":"Иное","slug":"other","type":"string"}]';
		if (name === 'columns') return goodsColumns({ title: 'Иное', stock: 1 });
		if (typeof value === 'object') return { field: [{ name: 'Иное', slug: 'other', type: 'string' }] };
		if (name === 'phone') return '+79990000001';
		return `${String(value ?? '')}x`;
	}

	// A retried question is asked again: sendAndWait.test.ts.
	const notIdempotent = operations
		.filter(({ idempotent, asks }) => !idempotent && !asks)
		.flatMap((each) => each.variants);
	/** A failed run in which the second of two items is missing. */
	async function withoutSecond(variant: Variant, first: 'answered' | 'unanswered') {
		// A separate emulator, because the node keeps limits from test to test.
		const own = await startEmulator();
		const parameters = parametersOf(variant);
		if (first === 'answered') own.faults.add({ ...refusal, match: { nth: 2 } });
		else own.faults.add({ kind: 'reset', when: 'after', match: { nth: 1 } });
		const failed = await run({ items: [{}, {}], parameters, credential: credentialFor(own) });
		expect(failed.error?.message).toContain(first === 'answered' ? '[Item 1]' : '[Item 0]');
		own.faults.clear();
		const made = own.requests.length;
		return {
			missing: first === 'answered' ? 1 : 2 - made,
			async retry(changed: INodeParameters) {
				const node = { onError: 'continueRegularOutput' } as const;
				const { json } = await retryNode(failed, { parameters: changed, node });
				await own.stop();
				return { rows: json, asked: own.requests.length - made };
			},
		};
	}

	/* All edits at once, because a test may have to wait for a limit of the service. */
	test.each(byTitle(notIdempotent))('determine which requests are repeated: %s', async (_title, variant) => {
		const fields = variant.fields.filter(
			({ decides, name, other }) => other !== null && (!decides || name === 'content'),
		);
		const isTarget = (field: Field) => namesTarget(field, variant.of);
		const tryOnce = async (changed: Field[], first: 'answered' | 'unanswered') => {
			const context = `${changed.map(({ label }) => label).join()}, ${first}`;
			const values = changed.map((field) => [field.name, edited(field)]);
			const isOther = changed.some(isTarget);
			const { missing, retry } = await withoutSecond(variant, first);
			const { rows, asked } = await retry(parametersOf(variant, Object.fromEntries(values)));
			// A request with another target is sent, whatever the service answers.
			expect([context, asked]).toEqual([context, isOther ? 2 : missing]);
			const isLeft = String(rows[0]!.error).startsWith(leftUnknown('').message);
			expect([context, isLeft]).toEqual([context, !isOther && first === 'unanswered']);
		};
		// One field of the target is enough to make another target; the content is the rest, all of it.
		const edits = [
			fields.filter((field) => !isTarget(field)),
			...fields.filter(isTarget).map((field) => [field]),
		];
		const states = ['answered', 'unanswered'] as const;
		await Promise.all(edits.flatMap((each) => states.map(async (first) => await tryOnce(each, first))));
	});

	test('repeat a request whose target in the incoming data has changed', async () => {
		const [answered, missing, other] = letters(3);
		const failed = await allButTheLast([answered!, missing!]);
		const { error } = await retryNode(failed, { items: [other!, missing!] });
		expect(error).toBeUndefined();
		expect(howOften(service, [answered!, missing!, other!])).toEqual([1, 1, 1]);
	});

	test.each([
		['a list, by JSON instead of by its fields', 'listSchema/create', 1],
		['a variable, by its ID instead of its name', 'contactVariable/delete', 2],
		['a message, to an external ID instead of a contact', 'message/send', 2],
	])('repeat only requests with a new target: %s', async (_name, title, expected) => {
		const [usual, other] = operationOf(title).variants;
		const { retry } = await withoutSecond(usual!, 'answered');
		const { asked } = await retry(parametersOf(other!));
		expect(asked).toBe(expected);
	});
});

describe('every operation', () => {
	/** The sample, and a second item that differs in one value; it is equal if no value can differ. */
	function twoItems({ variants: [usual], secondItem = {} }: Operation) {
		const changing = usual!.fields.filter(({ name }) => name in secondItem);
		const expressions = changing.map(({ name }) => [name, `={{ $json.${name} }}`]);
		const items = [changing.map(({ name, value }) => [name, value]), Object.entries(secondItem)];
		const isSecond = ({ id, input }: { id: number; input: Record<string, unknown> }) =>
			changing.length === 0
				? id > 1
				: changing.every(({ name, wire }) => String(valueAt(input, wire!)) === secondItem[name]);
		return {
			parameters: parametersOf(usual!, Object.fromEntries(expressions) as Record<string, string>),
			items: items.map((values) => Object.fromEntries(values) as Record<string, string>),
			isSecond,
		};
	}

	test.concurrent.each(byTitle(operations.filter((each) => !isReading(each) && !each.asks)))(
		'%s is not repeated by a Retry after success',
		withScene(async ({ service, run, refuse, requestsAfter }, _title, operation) => {
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
			// Besides the values of its own item, each row equals the other.
			expect(Object.keys(json[0]!).sort()).toEqual(Object.keys(json[1]!).sort());
		}),
	);

	test.concurrent.each(byTitle(operations.filter(isReading)))(
		'%s is repeated by a Retry, because it only reads',
		withScene(async ({ service, run, refuse, requestsAfter }, _title, operation) => {
			const { parameters, items, isSecond } = twoItems(operation);
			refuse({ path: operation.endpoint, where: isSecond });
			const failed = await run({ items, parameters });
			expect(failed.error).toBeDefined();
			service.faults.clear();
			const before = service.requests.length;
			expect(contextOf(failed)).toMatchObject({ items: '' });
			expect((await retryNode(failed)).error).toBeUndefined();
			expect(requestsAfter(before)).toHaveLength(2);
		}),
	);
});

describe('data kept for a Retry', () => {
	test('is small and contains neither the token nor values', async () => {
		const items = letters(100).map((item) => ({ ...item, text: `Секрет ${item.text}` }));
		const failed = await allButTheLast(items);
		const context = JSON.stringify(contextOf(failed));
		expect(context.length / items.length).toBeLessThanOrEqual(60);
		for (const secret of [service.token, 'Секрет', 'Письмо', String(items[50]!.id), service.url])
			expect(context).not.toContain(secret);
		expect(JSON.stringify(failed.run)).not.toContain(service.token);
		expect((await retryNode(failed)).error).toBeUndefined();
		expect(service.requests).toHaveLength(101);
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'is deleted after the node has succeeded (On Error: %s)',
		async (onError) => {
			const items = letters(5);
			if (onError !== 'stopWorkflow') service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
			expect(contextOf(await run({ items, node: { onError } }))).toEqual({});
		},
	);
});

describe('in a loop', () => {
	/** Passes on its items in each round, then outputs them. */
	const rounds = (count: number): INodeType =>
		nodeTypeOf({
			description: { outputs: ['main', 'main'] },
			async execute(this: IExecuteFunctions) {
				const context = this.getContext('node') as { items?: object[]; round?: number };
				context.items ??= this.getInputData().map(({ json }) => json);
				context.round = (context.round ?? 0) + 1;
				const items = context.items.map((json) => ({ json: { ...json } }));
				return context.round > count ? [items, []] : [[], items];
			},
		});

	/** Three rounds around the node. */
	function loop() {
		const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
		const credentials = { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } };
		const parameters = { recipient: 'contact', content: ['text'], ...send };
		return new Workflow({
			id: 'workflow',
			active: false,
			settings: { executionOrder: 'v1' },
			nodes: [
				startNode,
				{ ...startNode, id: 'rounds', name: 'Rounds', type: 'rounds' },
				{ ...startNode, id: 'tested', name: 'Tested', type: 'tested', credentials, parameters },
			],
			connections: {
				Start: { main: [to('Rounds')] },
				Rounds: { main: [[], to('Tested')] },
				Tested: { main: [to('Rounds')] },
			},
			nodeTypes: nodeTypesOf({ start, rounds: rounds(3), tested: loadAsN8n(new ChatbotService()) }),
		});
	}
	const n8n = (mode: 'manual' | 'retry') => additionalDataOf(async () => credential(), mode);
	const runLoop = async (items: object[]) =>
		await startRun(loop(), n8n('manual'), 'manual', startNode, items.map((json) => ({ json })) as never);

	test('every round of a loop sends the same items', async () => {
		const items = letters(3);
		const { data } = await runLoop(items);
		expect(data.resultData.error).toBeUndefined();
		expect(data.resultData.runData.Tested).toHaveLength(3);
		expect(howOften(service, items)).toEqual([3, 3, 3]);
	});

	test('a Retry does not repeat answered requests of the failed round, and runs the later rounds', async () => {
		const items = letters(4);
		// In the second round.
		refuse({ recipient: items[3]!.id, nth: 2 });
		const failed = await runLoop(items);
		expect(failed.data.resultData.error).toBeDefined();
		expect(howOften(service, items)).toEqual([2, 2, 2, 1]);
		const { data } = await startRetry(loop(), n8n('retry'), failed);
		expect(data.resultData.error).toBeUndefined();
		expect(howOften(service, items)).toEqual([3, 3, 3, 3]);
	});
});

test('Send Once Per and Retry work together: everybody gets the message once', async () => {
	const items = letters(40);
	service.faults.add({ kind: 'delay', ms: [0, 30] });
	service.faults.add({ ...refusal, match: { recipient: items[15]!.id } });
	const parameters = { ...send, options: { sendOncePer: 'осень' } };
	const failed = await run({ items, parameters });
	expect(failed.error?.message).toContain('[Item 15]');
	service.faults.clear();
	expect((await retryNode(failed)).error).toBeUndefined();
	expect(howOften(service, items)).toEqual(once(items));
	// Both the execution and the store know the answered requests.
	const anew = await run({ items, parameters, deduplication: failed.options.deduplication });
	expect(anew.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
	expect(howOften(service, items)).toEqual(once(items));
});

/* What the tests above rely on: what remains of a failed run is what n8n keeps. */
test('a Retry finds the node context of the failed run, and does not change that run', async () => {
	const noting = nodeTypeOf({
		async execute(this: IExecuteFunctions) {
			const context = this.getContext('node') as { noted?: unknown[] };
			const found = context.noted;
			context.noted = this.getInputData().map(({ json }) => json.word);
			if (!found) throw new Error('The first time fails');
			return [[{ json: { found, mode: this.getMode() } }]];
		},
	});
	const failed = await run({ nodeType: noting, items: [{ word: 'a' }, { word: 'b' }] });
	expect(failed.error?.message).toBe('The first time fails');
	const before = JSON.stringify(failed.run.data);
	for (let time = 0; time < 2; time++) {
		const { error, json } = await retryNode(failed);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ found: ['a', 'b'], mode: 'retry' }]);
	}
	expect(JSON.stringify(failed.run.data)).toBe(before);
});
