import { Workflow, type IExecuteFunctions, type INodeType } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import type { Emulator, Fault } from '../../sandbox/emulator';
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
	valueAt,
	type Operation,
} from '../operations';
import {
	credentialFor,
	nodeTypeOf,
	retryNode,
	runNode,
	useEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { lettersFor, refusal, send } from './messages';
import { howOften } from './once';
import { sideBySide } from './sideBySide';

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
	async function allButTheLast(items: Array<{ id: number }>) {
		refuse({ recipient: items.at(-1)!.id });
		const failed = await run({ items });
		expect(failed.error?.message).toContain(`[Item ${items.length - 1}]`);
		expect(howOften(service, items)).toEqual(items.map((_, index) => (index < items.length - 1 ? 1 : 0)));
		service.faults.clear();
		return failed;
	}

	const letters = (count: number) => lettersFor(service, count);
	const requestsAfter = (count: number) => service.requests.slice(count);
	return { service, credential, run, refuse, allButTheLast, letters, requestsAfter };
}

const service = useEmulator();
const { credential, run, refuse, letters } = sceneOf(service);

const contextOf = ({ run: { data } }: RunResult): Record<string, unknown> =>
	data.executionData?.contextData['node:Tested'] ?? {};

const once = (items: unknown[]) => items.map(() => 1);

describe('answered requests', () => {
	const test = sideBySide(sceneOf);

	const withTimeout = { ...send, requestOptions: { timeout: 60_000 } };

	/** The token is renewed too. */
	test.each<[string, Partial<RunOptions>]>([
		['original workflow', {}],
		['currently saved workflow', { parameters: send }],
		['currently saved workflow, Timeout edited', { parameters: withTimeout }],
		['currently saved workflow, On Error edited', { node: { onError: 'continueRegularOutput' } }],
	])(
		'are not repeated by Retry with %s',
		async ({ service, credential, allButTheLast, letters, requestsAfter }, _name, changes) => {
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
		},
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
		expect(latest.error?.message).toBe(
			'The service may have done this already, so it was not asked again [Item 3]',
		);
		expect(latest.error?.description).toBe(
			`${unknownOf(operationOf('message/send'))} The service did not answer when this execution ran before. ` +
				'If the service did not do it, run the workflow again for this item alone. ' +
				'Of 30 items, 29 were done, 1 failed and 0 were not sent.',
		);
		expect(howOften(service, items)).toEqual(once(items));
	}
	// The user can check that item and continue.
	const on = await retryNode(latest, { node: { onError: 'continueErrorOutput' } });
	expect([on.error, on.outputs[0]!.length, on.outputs[1]!.length]).toEqual([undefined, 29, 1]);
	expect(howOften(service, items)).toEqual(once(items));
});

describe('every operation', () => {
	const test = sideBySide(sceneOf);

	/** The sample, and a second item that differs in one value; it is equal if no value can differ. */
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

	test.each(byTitle(operations))(
		'%s is repeated by a Retry only if it reads or was not done',
		async ({ service, run, refuse, requestsAfter }, _title, operation) => {
			const { parameters, items, isSecond } = twoItems(operation);
			refuse({ path: operation.endpoint, where: isSecond });
			const failed = await run({ items, parameters });
			const made = service.requests.length;
			service.faults.clear();
			expect(failed.error).toBeDefined();
			const { error, json } = await retryNode(failed);
			expect(error).toBeUndefined();
			if (isReading(operation)) {
				expect(contextOf(failed)).toMatchObject({ items: '' });
				expect(requestsAfter(made)).toHaveLength(2);
				return;
			}
			expect(failed.error!.message).toContain('[Item 1]');
			expect(made).toBe(2);
			expect(requestsAfter(made).map(isSecond)).toEqual([true]);
			expect(service.requests.filter(({ accepted }) => accepted)).toHaveLength(2);
			// Besides the values of its own item, each row equals the other.
			expect(json).toHaveLength(2);
			expect(Object.keys(json[0]!).sort()).toEqual(Object.keys(json[1]!).sort());
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
