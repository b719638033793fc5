/** The process of one contender: runs workflows on the engine of the pinned n8n on request. */

import 'reflect-metadata';
import { Expression, type IRun } from 'n8n-workflow';

import type { Job, RunReport } from '../job';
import { itemsOf, type Batch } from '../messages';
import { contenderFor, type Contender } from './nodes';
import { Probes } from './probes';
import { prepareRun } from './run';

const probes = new Probes();
let prepared: { job: Job; contender: Contender } | undefined;

/** As in n8n at startup, with its default settings. */
async function startExpressions(engine: Job['engine']) {
	const engines = Expression as unknown as { initExpressionEngine(options: object): Promise<void> };
	await engines.initExpressionEngine({
		engine,
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		lazyAcquire: false,
		compileCache: false,
	});
}

export async function prepare(job: Job): Promise<void> {
	await startExpressions(job.engine);
	prepared = { job, contender: contenderFor(job) };
}

export async function run(batch: Batch): Promise<RunReport> {
	if (!prepared) throw new Error('a job comes before its runs');
	const { contender, job } = prepared;
	const { execute, storeCalls } = prepareRun(contender, job, itemsOf(batch));
	const memoryBeforeMb = process.memoryUsage.rss() / 1024 ** 2;
	probes.start();
	const startedAt = performance.now();
	const result = await execute();
	const wallMs = performance.now() - startedAt;
	const seen = probes.stop();
	const memoryGrowthMb = process.resourceUsage().maxRSS / 1024 - memoryBeforeMb;
	if (job.sendOncePer && !storeCalls()) {
		throw new Error("'Send Once Per' is set, but n8n's deduplication was never called: nothing is measured");
	}
	return {
		wallMs,
		...seen,
		memoryGrowthMb,
		...(job.sendOncePer && { storeCalls: storeCalls() }),
		...outcome(result),
	};
}

function outcome({ status, data }: IRun): Pick<RunReport, 'items' | 'status' | 'error'> {
	return {
		status,
		items: data.resultData.runData.Tested?.at(-1)?.data?.main?.[0]?.length ?? 0,
		error: data.resultData.error?.message,
	};
}

export function teardown(): void {
	process.exit();
}
// The process that started this one has ended; n8n-core's timers would keep this one alive.
process.on('disconnect', teardown);
// n8n logs a request that fails after the end of its run; the process must not stop.
process.on('unhandledRejection', () => undefined);
