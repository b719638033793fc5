import {
	Expression,
	type ICheckProcessedOptions,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import lines from '../../sandbox/engines/lines.json';
import { usualIds } from '../../sandbox/workflow';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { nodeTypeOf, retryNode, runNode, type RunOptions } from './harness';

/*
 * What the other tests rely on: that they run on the n8n release line that they are said to run on, and that the test double for
 * n8n's database behaves like it: the entries that n8n-core's own helpers store, and what remains of a failed run for a Retry.
 */

const line = (process.env.ENGINE ?? '2.8') as keyof typeof lines;
const folder = resolve(__dirname, '../..', lines[line].folder);
const modules = realpathSync(join(folder, 'node_modules'));
const { packages: locked } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
	packages: Record<string, { version: string }>;
};

/** The folder of every n8n package that is loaded so far. */
const loaded = () => {
	const ofPackage = /^.*\/node_modules\/(?:n8n-core|n8n-workflow|@n8n\/[^/]+)(?=\/)/;
	const folders = Object.keys(require.cache).map((file) => ofPackage.exec(file.replaceAll('\\', '/'))?.[0]);
	return [...new Set(folders.filter((each) => each !== undefined))].map((each) => realpathSync(each));
};

test('every n8n package belongs to the release line under test', () => {
	const found = Object.fromEntries(
		loaded().map((each) => {
			const { version } = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as { version: string };
			return [relative(modules, each), version];
		}),
	);
	const wanted = Object.keys(found).map((name) => [name, locked[`node_modules/${name}`]?.version]);
	expect(found).toEqual(Object.fromEntries(wanted));
	expect(Object.keys(found)).toEqual(expect.arrayContaining(['n8n-core', 'n8n-workflow', '@n8n/di']));
	expect(found['n8n-core']).toMatch(line.endsWith('.x') ? /^1\./ : `${line}.`);
});

test('the selected engine evaluates expressions', () => {
	const { getActiveImplementation } = Expression as unknown as { getActiveImplementation?(): string };
	expect(getActiveImplementation?.call(Expression) ?? 'legacy').toBe(
		process.env.EXPRESSION_ENGINE ?? 'legacy',
	);
});

let rows: Map<string, string>;
let deduplication: MemoryDeduplicator;
beforeEach(() => {
	rows = new Map();
	deduplication = new MemoryDeduplicator({ rows });
});

type Work = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
const nodeThat = (execute: Work) => nodeTypeOf({ execute });

const entries: ICheckProcessedOptions = { mode: 'entries' };
const wordsOf = (context: IExecuteFunctions) => context.getInputData().map(({ json }) => String(json.word));

/** Outputs the words that are new, and lists those that are not. */
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
		deduplication,
		...options,
	});
/** The words that a successful run found to be new. */
const news = async (...asked: Parameters<typeof run>) => {
	const { error, json } = await run(...asked);
	if (error) throw error;
	return json[0]!.new;
};

describe("n8n-core's helpers", () => {
	test('the next run finds the entries that a run has recorded', async () => {
		expect(await news(check(), ['a', 'b'])).toEqual(['a', 'b']);
		const { json } = await run(check(), ['b', 'c']);
		expect(json).toEqual([{ new: ['c'], processed: ['b'] }]);
		expect(deduplication.entries(usualIds)).toHaveLength(3);
	});

	test('a deduplicator lists its calls with their arguments', async () => {
		await run(check({ mode: 'entries', maxEntries: 5 }), ['a', 'b']);
		await run(remove, ['a']);
		expect(deduplication.calls).toEqual([
			{ method: 'checkProcessedAndRecord', values: ['a', 'b'], maxEntries: 5 },
			{ method: 'removeProcessed', values: ['a'], maxEntries: undefined },
		]);
	});
});

describe("like n8n's store", () => {
	test('drops the oldest entries when there are too many', async () => {
		const three = check({ mode: 'entries', maxEntries: 3 });
		await run(three, ['a', 'b']);
		await run(three, ['c', 'd']);
		expect(deduplication.entries(usualIds)).toHaveLength(3);
		const before = [...rows];
		const known = async (word: string) => {
			const { json } = await run(check(), [word], {
				deduplication: new MemoryDeduplicator({ rows: new Map(before) }),
			});
			return json[0]!.processed;
		};
		expect(await known('a')).toEqual([]);
		expect(await known('b')).toEqual(['b']);
		expect(await known('d')).toEqual(['d']);
	});

	test('drops the oldest entries in the first call too', async () => {
		expect(await news(check({ mode: 'entries', maxEntries: 2 }), ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
		expect(await news(check(), ['a', 'b', 'c'])).toEqual(['a']);
	});

	test('reports an entry that occurs twice in one call as new twice', async () => {
		await run(check(), ['a']);
		expect(await news(check(), ['b', 'b'])).toEqual(['b', 'b']);
		expect(deduplication.entries(usualIds)).toHaveLength(3);
	});

	test('needs as many removals of an entry as it has copies', async () => {
		await run(check(), ['a', 'a', 'b']);
		await run(remove, ['a', 'never there']);
		expect(await news(check(), ['a', 'b'])).toEqual([]);
		await run(remove, ['a']);
		expect(await news(check(), ['a', 'b'])).toEqual(['a']);
	});

	/** Checks each word in its own call, all at the same time. */
	const checkAtOnce = nodeThat(async function () {
		const check = async (word: string) => await this.helpers.checkProcessedAndRecord([word], 'node', entries);
		const results = await Promise.all(wordsOf(this).map(check));
		return [results.map((result) => ({ json: { ...result } }))];
	});

	test('of two concurrent calls to the store, one overwrites the other', async () => {
		await run(check(), ['before']);
		const { json } = await run(checkAtOnce, ['a', 'b']);
		expect(json.map((result) => result.new)).toEqual([['a'], ['b']]);
		expect(deduplication.entries(usualIds)).toHaveLength(2);
		expect(await news(check(), ['a', 'b'])).toEqual(['a']);
	});

	test('of two concurrent first calls to the store, one fails', async () => {
		const { error } = await run(checkAtOnce, ['a', 'b']);
		expect(error?.message).toContain('UNIQUE constraint failed');
		expect(deduplication.entries(usualIds)).toHaveLength(1);
	});

	test('of concurrent calls of two runs to the store, one overwrites the other too', async () => {
		await run(check(), ['before']);
		// On a busy machine, one run can begin a second after the other.
		const slow = new MemoryDeduplicator({ rows, delayMs: 3000 });
		await Promise.all(['a', 'b'].map(async (word) => await run(check(), [word], { deduplication: slow })));
		expect(slow.entries(usualIds)).toHaveLength(2);
	});

	test.each([null, ''])('the store keeps nothing for a workflow with the ID %j', async (workflowId) => {
		const { error } = await run(check(), ['a'], { workflowId });
		expect(error).toHaveProperty('code', 'ERR_ASSERTION');
		expect(rows.size).toBe(0);
	});
});

test('a retry finds the node context of the failed run, and does not change that run', async () => {
	const noting = nodeThat(async function () {
		const context = this.getContext('node') as { noted?: string[] };
		const found = context.noted;
		context.noted = [...(found ?? []), ...wordsOf(this)];
		if (!found) throw new Error('The first time fails');
		return [[{ json: { found, mode: this.getMode() } }]];
	});
	const failed = await run(noting, ['a', 'b']);
	expect(failed.error?.message).toBe('The first time fails');
	const before = JSON.stringify(failed.run.data);
	for (let time = 0; time < 2; time++) {
		const { error, json } = await retryNode(failed);
		expect(error).toBeUndefined();
		expect(json).toEqual([{ found: ['a', 'b'], mode: 'retry' }]);
	}
	expect(JSON.stringify(failed.run.data)).toBe(before);
});
