import type { INodeExecutionData } from 'n8n-workflow';
import { setTimeout as pause } from 'node:timers/promises';

import { callBySecondEngine, runInLoop } from '../calls';
import { runNode, type RunOptions, type RunResult } from '../harness';
import type { MemoryDeduplicator } from '../n8n/deduplication';
import { nodeOfOneProcess } from '../setUp';
import type { History } from './history';

/* The ways in which n8n runs the node in a history: at once, in a loop, by its engine 2.0, and in a process that dies. */

/** The node of another process. */
export const elsewhere = nodeOfOneProcess();

/** Of a run: when the user stops it, and its process. */
export type Changed = Pick<RunOptions, 'nodeType' | 'deduplication'> & { stopAfterMs?: number | null };

/** Runs a test in a process that dies: nothing that it does later reaches n8n's store, and nobody learns how it ends. */
export async function dying(
	afterMs: number,
	store: MemoryDeduplicator,
	run: (changes: Changed) => Promise<unknown>,
) {
	let isDead = false;
	const deduplication = new Proxy(store, {
		get(target, name) {
			const found: unknown = Reflect.get(target, name);
			if (typeof found !== 'function') return found;
			return async (...given: unknown[]) => {
				const result: unknown = isDead ? undefined : await Reflect.apply(found, target, given);
				return isDead ? await new Promise(() => {}) : result;
			};
		},
	});
	void run({ nodeType: elsewhere, deduplication, stopAfterMs: afterMs + 1000 }).catch(() => {});
	await pause(afterMs);
	isDead = true;
}

/** n8n passes the items to the node, in the way of the history. */
export async function passedTo(given: RunOptions, { passed, batch }: History) {
	if (passed === 'at once') return { result: await runNode(given), batches: [0] };
	if (passed !== 'in batches') return { result: await byHook(given), batches: [0] };
	const results = await runInLoop(given, batch);
	const batches = results.map((_, index) => index * batch);
	const last = results.at(-1)!;
	const ofAll = results.map(({ run }) => run.data.resultData.runData.Tested?.at(-1));
	const shiftedBy = (from: number) => (item: INodeExecutionData) => {
		const { item: place } = item.pairedItem as { item: number };
		return { ...item, pairedItem: { item: place + from } };
	};
	const outputs = [0, 1].map((output) =>
		results.flatMap((each, index) => (each.outputs[output] ?? []).map(shiftedBy(batches[index]!))),
	);
	const hints = ofAll.flatMap((each) => each?.hints ?? []);
	const runData = { Tested: [...ofAll, { ...ofAll.at(-1), hints }] };
	const resultData = { ...last.run.data.resultData, runData };
	const run = { ...last.run, data: { ...last.run.data, resultData } } as unknown as RunResult['run'];
	return { result: { ...last, run, outputs, json: outputs[0]!.map(({ json }) => json) }, batches };
}

async function byHook(options: RunOptions): Promise<RunResult> {
	const run = { data: { resultData: { runData: {} } } } as RunResult['run'];
	try {
		const items = await callBySecondEngine(options);
		return { run, options, outputs: [items], json: items.map(({ json }) => json), error: undefined };
	} catch (error) {
		return { run, options, outputs: [], json: [], error: error as Error };
	}
}
