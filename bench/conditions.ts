import execa from 'execa';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { hostFolder } from '../sandbox/host';
import { hostNode } from '../sandbox/host/paths';
import { stateNow, type State } from './commit';

/** The conditions of a measurement. */
export interface Conditions extends State {
	date: string;
	machine: string;
	/** The share of all cores that other programs used before. */
	busy: number;
}

export const conditionsNow = async (): Promise<Conditions> => ({
	date: new Date().toISOString().slice(0, 10),
	...stateNow(),
	machine: machine(),
	busy: await measureBusy(),
});

function machine(): string {
	const manifest = readFileSync(join(hostFolder, 'node_modules', 'n8n', 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const { stdout: node } = execa.sync(hostNode, ['--version']);
	const processor = cpus()[0]?.model.trim() ?? 'unknown';
	const memoryGb = Math.round(totalmem() / 1024 ** 3);
	const system = `${process.platform} ${process.arch}`;
	return `n8n ${version} on Node.js ${node}, ${system}, ${cpus().length} cores (${processor}), ${memoryGb} GB`;
}

/** Call it while the bench itself is idle. */
async function measureBusy(): Promise<number> {
	const before = coreTimes();
	await setTimeout(2000);
	const after = coreTimes();
	const total = after.total - before.total;
	return total > 0 ? Number((1 - (after.idle - before.idle) / total).toFixed(3)) : 0;
}

function coreTimes() {
	const sum = { idle: 0, total: 0 };
	for (const { times } of cpus()) {
		sum.idle += times.idle;
		sum.total += Object.values(times).reduce((total, time) => total + time, 0);
	}
	return sum;
}
