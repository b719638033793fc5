import { setTimeout } from 'node:timers/promises';

import type { Report } from './engine';
import { addContacts, startEmulator } from '../sandbox/emulator';
import { reachedBy, shareOfLimit, type Reached } from './messages';
import { startEngine } from './processes';
import { labelOf, type Contender, type Row } from './rows';

/* One row: every contender, in a process of its own for each run, because a process returns no memory and may remember the service. */

const repetitions = 3;

type Measured = Partial<Report & Reached> & Pick<Report, 'wallMs' | 'status'> & { share?: number };

/** What matters; at the pace of a limit, or without one, some figures are missing, and with them their columns. */
const columns: Array<[title: string, figure: keyof Measured]> = [
	['share of the limit', 'share'],
	['rejected (429)', 'refused'],
	['delivered once', 'once'],
	['not delivered', 'lost'],
	['doubled', 'doubled'],
	['listed as failed', 'failed'],
	['wall ms', 'wallMs'],
	['longest block ms', 'blockedMs'],
	['first request ms', 'firstSendMs'],
	['memory +MB', 'memoryGrowthMb'],
];

/** @returns the table of a row, with the figures of each contender: a line for each, the values of all runs in each cell */
export async function measureRow(row: Row): Promise<Array<Record<string, unknown[]>>> {
	const measured = row.contenders.map((contender) => ({ contender, runs: [] as Measured[] }));
	for (let repetition = 1; repetition <= repetitions; repetition++) {
		const run = async ({ contender, runs }: (typeof measured)[number]) => {
			// It sends everything up to three times: once is enough.
			if (repetition > 1 && contender.retry) return;
			runs.push(await measureRun(row, contender, repetition));
			console.log(`  ${labelOf(contender)}: ${Math.round(runs.at(-1)!.wallMs)} ms, ${runs.at(-1)!.status}`);
		};
		// At the pace of a limit all run at the same time, so that the load of the machine is the same for all.
		if (row.limit) await Promise.all(measured.map(run));
		else for (const each of measured) await run(each);
	}
	return measured.map(({ contender, runs }) => {
		const cells = columns.map(([title, figure]) => [title, runs.flatMap((run) => run[figure] ?? [])]);
		return { contender: [labelOf(contender)], ...Object.fromEntries(cells) } as Record<string, unknown[]>;
	});
}

async function measureRun(row: Row, contender: Contender, repetition: number): Promise<Measured> {
	const { messages, limit } = row;
	const service = await startEmulator();
	const { url, token } = service;
	const engine = await startEngine({ ...row, ...contender, url, token });
	// VK has no limit of its own, so only the limit of the account applies.
	const newContacts = (count: number) =>
		addContacts(service.data, count, { messenger: 'vk' }).map(({ id }) => id);
	// One-time work is not measured.
	await engine.run({ contactIds: newContacts(limit ? 4 : 50), label: 'warm-up' });
	if (limit) service.setLimits({ account: limit });
	for (const fault of row.faults?.(repetition) ?? []) service.faults.add(fault);
	// Earlier requests must not count towards any limit.
	await setTimeout(2500);
	const batch = { contactIds: newContacts(messages), label: `run ${repetition}` };
	const report = await engine.run(batch);
	await setTimeout(500);
	const reached = reachedBy(service.requests, batch, row.expressions);
	await Promise.all([engine.end(), service.stop()]);
	if (!limit) return { ...report, ...reached, refused: undefined };
	const { wallMs, failed, status } = report;
	return { wallMs, failed, status, ...reached, share: shareOfLimit(reached.moments, limit) };
}
