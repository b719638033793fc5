/** Measures the node beside what a user would do without it: `npm run bench`. See README.md. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { ensureHostInstalled } from '../sandbox/host';
import { benchFolder, buildEngine } from './build';
import { describeMachine, type Machine } from './machine';
import { summarize } from './profile';
import { pacedRows, runCost, runCrowd, runPaced, type Row, type Scale } from './rows';
import { asMarkdown, asText } from './tables';

const log = (text: string) => console.log(text);

async function main() {
	const { values } = parseArgs({
		options: {
			quick: { type: 'boolean', default: false },
			rows: { type: 'string', default: '1,2,3,4,5,6,7' },
			profile: { type: 'boolean', default: false },
		},
	});
	const { quick, profile } = values;
	const wanted = new Set(values.rows.split(',').map(Number));
	await ensureHostInstalled(log);
	const scale: Scale = { quick, ...(await buildEngine()), log };
	await mkdir(benchFolder, { recursive: true });

	const rows: Row[] = [];
	const measure = async (title: string, row: () => Promise<Row>) => {
		log(`${title} ...`);
		const measured = await row();
		rows.push(measured);
		log(asText(measured));
		await save(rows, quick);
	};

	for (const row of pacedRows) {
		if (wanted.has(row.number)) await measure(row.title, async () => await runPaced(row, scale));
	}
	const engines = quick ? (['vm'] as const) : (['vm', 'legacy'] as const);
	for (const engine of engines) {
		if (!wanted.has(5)) continue;
		const profileOf = (name: string) => join(benchFolder, `${name}.cpuprofile`);
		await measure(
			`Cost of the pipeline, ${engine}`,
			async () => await runCost(engine, scale, profile ? profileOf : undefined),
		);
		if (!profile) continue;
		for (const node of ['bare', 'ours']) log(await summarize(node, profileOf(`${node}-${engine}`)));
	}
	for (const engine of engines) {
		if (!wanted.has(6) && !wanted.has(7)) continue;
		for (const [items, repetitions] of quick
			? [[500, 1]]
			: [
					[1_000, 3],
					[10_000, 1],
				]) {
			const crowd = async () => await runCrowd(engine, items!, repetitions!, scale);
			await measure(`${items} items at once, ${engine}`, crowd);
		}
	}
}

/** The results that are kept: rows that were measured now take the place of what was there. A quick run leaves them alone. */
async function save(measured: Row[], quick: boolean) {
	const folder = quick ? benchFolder : __dirname;
	const machine = describeMachine();
	const file = join(folder, 'results.json');
	const before = await readFile(file, 'utf8').then(
		(text) => JSON.parse(text) as { machine: Machine; rows: Row[] },
		() => undefined,
	);
	const kept = before && isDeepStrictEqual(before.machine, machine) ? before.rows : [];
	const rows = [
		...kept.filter(({ title }) => !measured.some((row) => row.title === title)),
		...measured,
	].sort((a, b) => a.number.localeCompare(b.number));
	await writeFile(file, `${JSON.stringify({ machine, rows }, null, '\t')}\n`);
	await writeFile(join(folder, 'results.md'), asMarkdown(rows, machine));
}

void main().catch((error: Error) => {
	console.error(error.stack);
	// Processes that were started end with this one.
	process.exit(1);
});
