/** The process of one contender: runs a workflow on the engine of the pinned n8n, as the editor's "Execute workflow" does. */

import 'reflect-metadata';

import { Expression, type IRun } from 'n8n-workflow';
import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';

import { additionalDataOf, startRun, usualIds, workflowOf } from '../test/engine/n8n';
import { MemoryDeduplicator, useDeduplication } from '../test/engine/n8n/deduplication';
import { itemsOf, type Batch } from './messages';
import { credentialsOf, failedItems, tested, withWayBack, type Job } from './nodes';

export interface Report {
	wallMs: number;
	/** From the start of the run to the start of its first request. */
	firstSendMs: number;
	/** The longest time that the event loop was blocked. */
	blockedMs: number;
	/** The increase of the peak of resident memory over the time before the run. */
	memoryGrowthMb: number;
	/** The items that come out as failed, if the contender lists them. */
	failed?: number;
	/** The status that n8n shows for the run. */
	status: string;
}

let job: Job;

export async function prepare(given: Job): Promise<void> {
	job = given;
	// As in n8n at startup, with its default settings.
	const engines = Expression as unknown as { initExpressionEngine(options: object): Promise<void> };
	await engines.initExpressionEngine({
		engine: 'vm',
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		lazyAcquire: false,
		compileCache: false,
	});
}

export async function run(batch: Batch): Promise<Report> {
	const { execute, failed, storeCalls } = workflowFor(itemsOf(batch));
	const memoryBeforeMb = process.memoryUsage.rss() / 1024 ** 2;
	const seen = await watch();
	const startedAt = performance.now();
	const ended = await execute();
	const wallMs = performance.now() - startedAt;
	// Until the end of a block is noticed.
	await setTimeout(2 * tickMs);
	const memoryGrowthMb = process.resourceUsage().maxRSS / 1024 - memoryBeforeMb;
	if (job.sendOncePer && !storeCalls())
		throw new Error("'Send Once Per' is set, but n8n's deduplication was never called: nothing is measured");
	return { wallMs, ...seen(), memoryGrowthMb, failed: failed(ended), status: ended.status };
}

/** A workflow of a start node, which passes on the items, and the contender. */
function workflowFor(items: Array<Record<string, unknown>>) {
	const { nodeType, ...filled } = tested(job);
	const { workflow: itself, tested: node } = workflowOf(nodeType, {
		...filled,
		...(job.retry && { retryOnFail: true, maxTries: job.retry.tries, waitBetweenTries: job.retry.waitMs }),
		...(job.continues && { onError: 'continueRegularOutput' }),
	});
	const workflow = job.pictured ? withWayBack(itself, nodeType) : itself;
	const deduplication = new MemoryDeduplicator();
	if (job.remembered) deduplication.prefill(usualIds, job.remembered);
	useDeduplication(workflow, deduplication);
	const credentials = credentialsOf(job);
	const decrypt = async (type: string) => {
		// n8n queries its database here, so the event loop runs before the answer is available.
		await setImmediate();
		return { ...credentials[type] };
	};
	const additionalData = additionalDataOf(decrypt, 'trigger');
	const execute = async (): Promise<IRun> =>
		await startRun(workflow, additionalData, 'trigger', items.map((json) => ({ json })) as never);
	const failed = (run: IRun) => failedItems(job, node, run);
	return { execute, failed, storeCalls: () => deduplication.calls.length };
}

const tickMs = 5;
let firstRequestAt = 0;
subscribe('http.client.request.start', () => (firstRequestAt ||= performance.now()));

/** Measures this process from outside the engine, in the same way for every contender, until the returned function is called. */
async function watch() {
	const ticks = monitorEventLoopDelay({ resolution: tickMs });
	ticks.enable();
	// The first tick measures nothing: delays are counted from it on.
	await setTimeout(2 * tickMs);
	firstRequestAt = 0;
	const startedAt = performance.now();
	return () => {
		ticks.disable();
		const blockedMs = ticks.max / 1e6 - tickMs;
		return { firstSendMs: firstRequestAt - startedAt, blockedMs };
	};
}

// The process that started this one has ended; n8n-core's timers would keep this one alive.
process.on('disconnect', () => process.exit());
// n8n logs a request that fails after the end of its run; the process must not stop.
process.on('unhandledRejection', () => undefined);
