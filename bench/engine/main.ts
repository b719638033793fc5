/** The process of one contender: runs workflows on the pinned n8n's engine when it is told to. */

import 'reflect-metadata';
import { Expression, type IRun } from 'n8n-workflow';

import type { Job, RunReport, RunRequest } from '../job';
import { itemsOf } from '../messages';
import { contenderFor, type Contender } from './nodes';
import { Probes, profiled } from './probes';
import { prepareRun } from './run';

const probes = new Probes();
let prepared: { job: Job; contender: Contender } | undefined;

const megabytes = (bytes: number) => bytes / 1024 / 1024;

/** As n8n does when it starts, with its default settings. */
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

/** Comes before the runs. */
export async function prepare(job: Job): Promise<void> {
	await startExpressions(job.engine);
	prepared = { job, contender: contenderFor(job) };
}

export async function run({ batch, profileTo }: RunRequest): Promise<RunReport> {
	if (!prepared) throw new Error('a job comes before its runs');
	const { contender, job } = prepared;
	const { execute, storeCalls } = prepareRun(contender, job, itemsOf(batch));
	const memoryBeforeMb = megabytes(process.memoryUsage.rss());
	const cpu = process.cpuUsage();
	probes.start();
	const startedAt = performance.now();
	const result = profileTo ? await profiled(profileTo, execute) : await execute();
	const wallMs = performance.now() - startedAt;
	const seen = probes.stop();
	const { user, system } = process.cpuUsage(cpu);
	const memoryPeakMb = process.resourceUsage().maxRSS / 1024;
	if (job.sendOncePer && !storeCalls()) {
		throw new Error("'Send Once Per' is set, but n8n's deduplication was never asked: nothing is measured");
	}
	return {
		wallMs,
		cpuMs: (user + system) / 1000,
		...seen,
		memoryPeakMb,
		memoryGrowthMb: memoryPeakMb - memoryBeforeMb,
		storeCalls: storeCalls(),
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
// Whoever started this process is gone; n8n-core's own timers would keep it alive.
process.on('disconnect', teardown);
// A request that fails after its run has ended is n8n's to log, not a reason to stop.
process.on('unhandledRejection', () => undefined);
