import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { hostFolder } from '../sandbox/host';
import { hostNode } from '../sandbox/host/paths';

export interface Machine {
	cores: number;
	processor: string;
	memoryGb: number;
	system: string;
	node: string;
	n8n: string;
	n8nCore: string;
}

export function describeMachine(): Machine {
	const versionIn = (...path: string[]) =>
		(JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8')) as { version: string }).version;
	const modules = join(hostFolder, 'node_modules');
	return {
		cores: cpus().length,
		processor: cpus()[0]?.model.trim() ?? 'unknown',
		memoryGb: Math.round(totalmem() / 1024 ** 3),
		system: `${process.platform} ${process.arch}`,
		node: execFileSync(hostNode, ['--version'], { encoding: 'utf8' }).trim(),
		n8n: versionIn(modules, 'n8n'),
		n8nCore: versionIn(modules, 'n8n-core'),
	};
}

/** The processor load by other programs while the bench itself was idle. */
export interface Busy {
	/** As a share of all cores. */
	share: number;
	load: number;
}

export async function measureBusy(): Promise<Busy> {
	const before = coreTimes();
	await setTimeout(2000);
	const after = coreTimes();
	const total = after.total - before.total;
	return { share: total > 0 ? 1 - (after.idle - before.idle) / total : 0, load: loadavg()[0]! };
}

function coreTimes() {
	const sum = { idle: 0, total: 0 };
	for (const { times } of cpus()) {
		sum.idle += times.idle;
		sum.total += Object.values(times).reduce((total, time) => total + time, 0);
	}
	return sum;
}
