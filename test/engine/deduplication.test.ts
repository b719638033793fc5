import {
	type ICheckProcessedOptions,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { usualIds } from '../../sandbox/workflow';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { retryNode, runNode, type RunOptions } from './harness';

/*
 * What stands here for n8n's database: what n8n-core's own helpers remember, and what is left of a failed run when it is
 * retried. The other tests are worth as much as it behaves as n8n's does.
 */

type Work = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

const nodeThat = (execute: Work): INodeType => ({
	description: {
		displayName: 'Tested',
		name: 'tested',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Tested' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Word', name: 'word', type: 'string', default: '' }],
	},
	execute,
});

const entries: ICheckProcessedOptions = { mode: 'entries' };
const wordsOf = (context: IExecuteFunctions) => context.getInputData().map(({ json }) => String(json.word));

/** Puts out the words that it has not seen, and which it has. */
const check = (options: ICheckProcessedOptions = entries) =>
	nodeThat(async function () {
		const result = await this.helpers.checkProcessedAndRecord(wordsOf(this), 'node', options);
		return [[{ json: { ...result } }]];
	});
const remove = nodeThat(async function () {
	await this.helpers.removeProcessed(wordsOf(this), 'node', entries);
	return [[]];
});
const run = async (nodeType: INodeType, words: string[], options: Partial<RunOptions> = {}) =>
	await runNode({
		nodeType,
		parameters: {},
		credential: {},
		items: words.map((word) => ({ word })),
		...options,
	});
/** What a run has found to be new, after it has ended well. */
const news = async (...asked: Parameters<typeof run>) => {
	const { error, json } = await run(...asked);
	if (error) throw error;
	return json[0]!.new;
};

let deduplication: MemoryDeduplicator;
beforeEach(() => {
	deduplication = new MemoryDeduplicator();
});

describe("n8n-core's helpers", () => {
	test('what a run has recorded is found by the next', async () => {
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual(['a', 'b']);
		const { json } = await run(check(), ['b', 'c'], { deduplication });
		expect(json).toEqual([{ new: ['c'], processed: ['b'] }]);
		expect(deduplication.entries(usualIds)).toBe(3);
	});

	test('every run has a memory of its own unless one is handed over', async () => {
		expect(await news(check(), ['a'])).toEqual(['a']);
		expect(await news(check(), ['a'])).toEqual(['a']);
	});

	test('the calls are listed with what was handed over', async () => {
		await run(check({ mode: 'entries', maxEntries: 5 }), ['a', 'b'], { deduplication });
		await run(remove, ['a'], { deduplication });
		const [first, second] = deduplication.calls;
		const scope = 'node';
		const checked = { method: 'checkProcessedAndRecord', scope, values: ['a', 'b'], maxEntries: 5 };
		expect(deduplication.calls).toEqual([
			{ ...checked, startedAt: expect.any(Number), endedAt: expect.any(Number) },
			{
				method: 'removeProcessed',
				scope,
				values: ['a'],
				startedAt: expect.any(Number),
				endedAt: expect.any(Number),
			},
		]);
		expect(second!.startedAt).toBeGreaterThan(first!.endedAt!);
	});

	test('without a deduplicator a call fails as it does in n8n-core', async () => {
		const { error } = await run(check(), ['a'], { deduplication: null });
		expect(error?.message).toBe('Instance needs to initialized before use. Make sure to call init()');
	});

	test('counting and clearing are there', async () => {
		const node = nodeThat(async function () {
			await this.helpers.checkProcessedAndRecord(['a', 'b'], 'node', entries);
			const before = await this.helpers.getProcessedDataCount('node', entries);
			await this.helpers.clearAllProcessedItems('node', entries);
			const after = await this.helpers.getProcessedDataCount('node', entries);
			return [[{ json: { before, after } }]];
		});
		expect((await run(node, [''])).json).toEqual([{ before: 2, after: 0 }]);
	});
});

describe('as n8n remembers', () => {
	test('the oldest entries are dropped', async () => {
		const three = check({ mode: 'entries', maxEntries: 3 });
		await run(three, ['a', 'b'], { deduplication });
		await run(three, ['c', 'd'], { deduplication });
		expect(deduplication.entries(usualIds)).toBe(3);
		const before = deduplication.snapshot();
		const known = async (word: string) => {
			const { json } = await run(check(), [word], {
				deduplication: new MemoryDeduplicator({ stored: before }),
			});
			return json[0]!.processed;
		};
		expect(await known('a')).toEqual([]);
		expect(await known('b')).toEqual(['b']);
		expect(await known('d')).toEqual(['d']);
	});

	test('the very first call drops the oldest too', async () => {
		expect(await news(check({ mode: 'entries', maxEntries: 2 }), ['a', 'b', 'c'], { deduplication })).toEqual(
			['a', 'b', 'c'],
		);
		expect(await news(check(), ['a', 'b', 'c'], { deduplication })).toEqual(['a']);
	});

	test('what comes twice in one call is new twice', async () => {
		await run(check(), ['a'], { deduplication });
		expect(await news(check(), ['b', 'b'], { deduplication })).toEqual(['b', 'b']);
		expect(deduplication.entries(usualIds)).toBe(3);
	});

	test('what is removed is new again, once for each time it was there', async () => {
		await run(check(), ['a', 'a', 'b'], { deduplication });
		await run(remove, ['a', 'never there'], { deduplication });
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual([]);
		await run(remove, ['a'], { deduplication });
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual(['a']);
	});

	/** Checks each word in a call of its own, all at the same time. */
	const checkAtOnce = nodeThat(async function () {
		const check = async (word: string) => await this.helpers.checkProcessedAndRecord([word], 'node', entries);
		const results = await Promise.all(wordsOf(this).map(check));
		return [results.map((result) => ({ json: { ...result } }))];
	});

	test('of calls at the same time one writes over the other', async () => {
		await run(check(), ['before'], { deduplication });
		const { json } = await run(checkAtOnce, ['a', 'b'], { deduplication });
		expect(json.map((result) => result.new)).toEqual([['a'], ['b']]);
		expect(deduplication.entries(usualIds)).toBe(2);
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual(['a']);
	});

	test('of first calls at the same time one fails', async () => {
		const { error } = await run(checkAtOnce, ['a', 'b'], { deduplication });
		expect(error?.message).toContain('UNIQUE constraint failed');
		expect(deduplication.entries(usualIds)).toBe(1);
	});

	test('runs at the same time get into each other too', async () => {
		await run(check(), ['before'], { deduplication });
		const slow = new MemoryDeduplicator({ stored: deduplication.snapshot(), delayMs: 300 });
		await Promise.all(['a', 'b'].map(async (word) => await run(check(), [word], { deduplication: slow })));
		expect(slow.entries(usualIds)).toBe(2);
	});

	test('nodes and workflows are kept apart', async () => {
		await run(check(), ['a'], { deduplication });
		expect(await news(check(), ['a'], { deduplication, node: { id: 'other' } })).toEqual(['a']);
		expect(await news(check(), ['a'], { deduplication, workflowId: 'other' })).toEqual(['a']);
		expect(await news(check(), ['a'], { deduplication })).toEqual([]);
	});

	test.each([null, ''])('a workflow with the ID %j cannot remember', async (workflowId) => {
		const { error } = await run(check(), ['a'], { deduplication, workflowId });
		expect(error).toHaveProperty('code', 'ERR_ASSERTION');
		expect(deduplication.snapshot().size).toBe(0);
	});

	test('a workflow that is not stored cannot remember, and has nothing to remove', async () => {
		deduplication = new MemoryDeduplicator({ workflows: ['another'] });
		const { error } = await run(check(), ['a'], { deduplication });
		expect(error?.message).toContain('FOREIGN KEY constraint failed');
		expect((await run(remove, ['a'], { deduplication })).error).toBeUndefined();
		expect(deduplication.snapshot().size).toBe(0);
	});

	test('entries that are put there beforehand are older than all others', async () => {
		await run(check(), ['a'], { deduplication });
		deduplication.prefill(usualIds, 50_000);
		expect(deduplication.entries(usualIds)).toBe(50_001);
		expect(await news(check({ mode: 'entries', maxEntries: 2 }), ['b'], { deduplication })).toEqual(['b']);
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual([]);
	});
});

describe('when it goes wrong', () => {
	test.each([
		['before', ['b']],
		['after', []],
	] as const)('a call fails %s it has written', async (when, leftNew) => {
		deduplication.failAt({ call: 2, when });
		await run(check(), ['a'], { deduplication });
		const { error } = await run(check(), ['b'], { deduplication });
		expect(error?.message).toContain('database is locked');
		expect(deduplication.calls[1]!.error).toBeDefined();
		expect(await news(check(), ['a', 'b'], { deduplication })).toEqual(leftNew);
	});

	test('calls of one method are counted apart', async () => {
		deduplication.failAt({ call: 1, method: 'removeProcessed', when: 'before' }, new Error('Not now'));
		await run(check(), ['a'], { deduplication });
		expect((await run(remove, ['a'], { deduplication })).error?.message).toBe('Not now');
		expect((await run(remove, ['a'], { deduplication })).error).toBeUndefined();
	});

	test.each([
		['before', ['a']],
		['after', []],
	] as const)('a process that dies %s it has written leaves what is stored', async (when, leftNew) => {
		deduplication.dieAt({ call: 1, when });
		let isOver = false;
		void run(check(), ['a'], { deduplication }).then(() => (isOver = true));
		await deduplication.died;
		const restarted = new MemoryDeduplicator({ stored: deduplication.snapshot() });
		expect(await news(check(), ['a'], { deduplication: restarted })).toEqual(leftNew);
		expect(isOver).toBe(false);
		expect(deduplication.calls).toEqual([expect.not.objectContaining({ endedAt: expect.anything() })]);
	});

	test('calls of a dead process can fail as well, those under way included', async () => {
		deduplication = new MemoryDeduplicator({ delayMs: 20 });
		const underWay = run(check(), ['a'], { deduplication });
		deduplication.die('throw');
		for (const each of [underWay, run(check(), ['b'], { deduplication })]) {
			expect((await each).error?.message).toBe('The process is dead');
		}
		expect(deduplication.snapshot().size).toBe(0);
	});
});

describe('a retry', () => {
	/** Notes what came in, and throws unless something is noted already or the word is the magic one. */
	const noting = nodeThat(async function () {
		const context = this.getContext('node');
		const word = this.getNodeParameter('word', 0) as string;
		const found = (context.noted as { words: string[] } | undefined)?.words;
		context.noted = { words: [...(found ?? []), ...wordsOf(this)] };
		if (!found && word !== 'magic') throw new Error('The first time fails');
		return [[{ json: { found: found ?? null, word, mode: this.getMode() } }]];
	});
	const parameters = { word: 'old' };

	test('finds what the failed run has left in the context of the node', async () => {
		const failed = await run(noting, ['a', 'b'], { parameters });
		expect(failed.error?.message).toBe('The first time fails');
		const retried = await retryNode(failed);
		expect(retried.error).toBeUndefined();
		expect(retried.json).toEqual([{ found: ['a', 'b'], word: 'old', mode: 'retry' }]);
		expect(retried.run.data.resultData.runData.Tested).toHaveLength(1);
	});

	test('leaves the failed run as it was', async () => {
		const failed = await run(noting, ['a'], { parameters });
		const before = JSON.stringify(failed.run.data);
		await retryNode(failed);
		expect(JSON.stringify(failed.run.data)).toBe(before);
	});

	test('takes the parameters of the workflow as it is saved now, and other items', async () => {
		const failed = await run(noting, ['a'], { parameters });
		const retried = await retryNode(failed, {
			parameters: { word: '={{ $json.word }}' },
			items: [{ word: 'b' }],
		});
		expect(retried.json).toEqual([{ found: ['a'], word: 'b', mode: 'retry' }]);
	});

	test('remembers what the failed run has remembered', async () => {
		const failing = nodeThat(async function () {
			const found = await this.helpers.checkProcessedAndRecord(['a'], 'node', entries);
			if (found.new.length) throw new Error('The first time fails');
			return [[{ json: { ...found } }]];
		});
		const retried = await retryNode(await run(failing, ['']));
		expect(retried.json).toEqual([{ new: [], processed: ['a'] }]);
	});

	test('can fail, and be retried again', async () => {
		const counting = nodeThat(async function () {
			const context = this.getContext('node');
			context.times = ((context.times as number | undefined) ?? 0) + 1;
			if (Number(context.times) < 3) throw new Error(`Time ${String(context.times)}`);
			return [[{ json: { times: context.times as number } }]];
		});
		const second = await retryNode(await run(counting, ['']));
		expect(second.error?.message).toBe('Time 2');
		expect((await retryNode(second)).json).toEqual([{ times: 3 }]);
	});

	test('is not for a run that has succeeded', async () => {
		const done = await run(noting, ['a'], { parameters: { word: 'magic' } });
		await expect(retryNode(done)).rejects.toThrow('The execution succeeded');
	});
});
