import type { INodeParameters } from 'n8n-workflow';

import type { Fault, Emulator } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { credentialFor, retryNode, runNode, withEmulator, type RunOptions, type RunResult } from './harness';
import { lettersFor, refusal, send } from './messages';
import { howOften } from './once';

/*
 * The promises of Retry, which n8n offers for a failed execution: answered requests are not repeated, requests with an unknown
 * outcome are not repeated, and everything else is done with the current values. What a ledger knows about an item:
 * unit/execution.test.ts.
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
	async function allButTheLast(items: Array<{ id: number; text: string }>) {
		refuse({ recipient: items.at(-1)!.id });
		const failed = await run({ items });
		expect(failed.error?.message).toContain(`[Item ${items.length - 1}]`);
		expect(service.requests).toHaveLength(items.length);
		service.faults.clear();
		return failed;
	}

	/** A failed execution in which most items were not sent. */
	async function fewOf(items: Array<{ id: number }>, options: Partial<RunOptions> = {}) {
		service.faults.add({ ...refusal, match: { recipient: items[3]!.id } });
		const failed = await run({ items, ...options });
		expect(failed.error?.message).toContain('[Item 3]');
		expect(service.deliveries().length).toBeLessThan(items.length - 5);
		service.faults.clear();
		return failed;
	}

	const expectEachOnce = (items: Array<{ id: number }>) =>
		expect(howOften(service, items)).toEqual(items.map(() => 1));

	const letters = (count: number) => lettersFor(service, count);
	return { service, credential, run, refuse, allButTheLast, fewOf, expectEachOnce, letters };
}

/** The body of a concurrent test, with a scene of its own. */
const withScene = <Row extends unknown[]>(
	body: (scene: ReturnType<typeof sceneOf>, ...row: Row) => Promise<void>,
) => withEmulator<Row>(async (service, ...row) => await body(sceneOf(service), ...row));

const contextOf = ({ run: { data } }: RunResult): Record<string, unknown> =>
	data.executionData?.contextData['node:Tested'] ?? {};

test.concurrent.each<[string, Partial<RunOptions>]>([
	['original workflow', {}],
	[
		'currently saved workflow, Timeout edited',
		{ parameters: { ...send, requestOptions: { timeout: 9000 } } },
	],
	['currently saved workflow, On Error edited', { node: { onError: 'continueRegularOutput' } }],
])(
	'answered requests are not repeated by Retry with %s',
	withScene(async ({ service, credential, ...scene }, _name, changes) => {
		const items = scene.letters(8);
		const failed = await scene.allButTheLast(items);
		expect(failed.error?.description).toMatch(/^7 sent, 1 failed\. .* choose 'Retry' for this execution/);
		service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
		const renewed = credential({ token: 'renewed-token', tokenPlacement: 'bearer' });
		const { error, outputs } = await retryNode(failed, { credential: renewed, ...changes });
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual(items.map((_, item) => ({ json: { success: true }, pairedItem: { item } })));
		scene.expectEachOnce(items);
		expect(service.requests).toHaveLength(8 + 1);
	}),
);

/*
 * n8n offers Retry of an execution until one of its retries succeeds. Each retry starts with a copy of the data of the failed
 * execution, so only n8n's store knows what another retry has done since.
 */
test.concurrent(
	'a Retry does not repeat the requests of another Retry',
	withScene(async ({ service, refuse, fewOf, expectEachOnce, letters }) => {
		const items = letters(30);
		const failed = await fewOf(items);
		refuse({ recipient: items[25]!.id });
		const latest = await retryNode(failed);
		expect(latest.error?.message).toContain('[Item 25]');
		service.faults.clear();
		// A retry of a retry belongs to the same execution.
		for (const each of [failed, latest]) {
			expect((await retryNode(each)).json).toEqual(items.map(() => ({ success: true })));
			expectEachOnce(items);
		}
	}),
);

test.concurrent(
	'a Retry of a workflow that was never saved completes the execution',
	withScene(async ({ fewOf, expectEachOnce, letters }) => {
		const items = letters(30);
		const failed = await fewOf(items, { workflowId: null });
		expect((await retryNode(failed)).error).toBeUndefined();
		expectEachOnce(items);
	}),
);

/*
 * A request that must not be repeated is identified by its operation, its item and its target, never by its content: users who
 * correct a text and retry want to send it only to the recipients that are missing.
 */
const toNumber = '+79990000001';
test.concurrent.each<[title: string, INodeParameters, isRepeated: boolean]>([
	['message/send', { text: 'Другой текст' }, false],
	['message/send', { contactId: '5' }, true],
	['message/sendToWhatsApp', { phone: toNumber }, true],
	['contactVariable/delete', { variableName: 'Уровень' }, true],
	['listItem/create', { columns: goodsColumns({ title: 'Иное', stock: 1 }) as never }, false],
])(
	'after a correction before a Retry, %s with %j repeats the request: %s',
	withScene(async ({ service, run, refuse }, title, changes, isRepeated) => {
		const [usual] = operationOf(title).variants;
		refuse({ nth: 2 });
		const failed = await run({ items: [{}, {}], parameters: parametersOf(usual!) });
		expect(failed.error?.message).toContain('[Item 1]');
		const asked = service.requests.length;
		const node = { onError: 'continueRegularOutput' } as const;
		await retryNode(failed, { parameters: parametersOf(usual!, changes), node });
		// A request with another target is sent, whatever the service answers.
		expect(service.requests.length - asked).toBe(isRepeated ? 2 : 1);
	}),
);

test.concurrent.each([
	['tag/attach', 1],
	['tag/getManyByBot', 2],
])(
	'after success of the first of two items, a Retry of %s makes %i requests: only reading is repeated',
	withScene(async ({ service, run, refuse }, title, requests) => {
		refuse({ nth: 2 });
		const failed = await run({ items: [{}, {}], parameters: parametersOf(operationOf(title).variants[0]!) });
		expect(failed.error?.message).toContain('[Item 1]');
		service.faults.clear();
		const { error, json } = await retryNode(failed);
		expect([error, service.requests.length - 2]).toEqual([undefined, requests]);
		expect(json.length).toBeGreaterThan(1);
	}),
);

test.concurrent(
	'the data kept for a Retry is small, contains neither the token nor values, and is gone after success',
	withScene(async ({ service, run, letters }) => {
		const done = await run({ items: letters(5), node: { onError: 'continueErrorOutput' } });
		expect(contextOf(done)).toEqual({});
		const items = letters(100);
		service.faults.add({ ...refusal, match: { recipient: items[99]!.id } });
		const failed = await run({ items });
		const context = JSON.stringify(contextOf(failed));
		expect(context.length / items.length).toBeLessThanOrEqual(60);
		for (const secret of [service.token, 'Письмо', String(items[50]!.id), service.url])
			expect(context).not.toContain(secret);
		expect(JSON.stringify(failed.run)).not.toContain(service.token);
		service.faults.clear();
		expect(contextOf(await retryNode(failed))).toEqual({});
	}),
);

test.concurrent(
	'Send Once Per and Retry work together: everybody gets the message once',
	withScene(async ({ fewOf, run, expectEachOnce, letters }) => {
		const items = letters(40);
		const parameters = { ...send, options: { sendOncePer: 'осень' } };
		const failed = await fewOf(items, { parameters });
		expect((await retryNode(failed)).error).toBeUndefined();
		expectEachOnce(items);
		// Both the execution and the store know the answered requests.
		const anew = await run({ items, parameters, deduplication: failed.options.deduplication });
		expect(anew.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
		expectEachOnce(items);
	}),
);
