/** Compares the node with what a user would do without it: `npm run bench`. See README.md. */

import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { ensureHostInstalled } from '../sandbox/host';
import { benchFolder, buildEngine, type Built } from './build';
import { measureOnN8n, suites, timeTests } from './n8n';
import { pacedRows, runPaced } from './paced';
import { render, tableOf } from './page';
import { save } from './results';
import { runUnpaced, unpacedRows } from './unpaced';

const log = (text: string) => console.log(text);

const rowNames = [...Object.keys(pacedRows), ...Object.keys(unpacedRows)];

/** Those of the known names that are asked for by name or by first word; all if none is asked for. */
function known<T extends string>(asked: string[], there: readonly T[]): T[] {
	if (asked.length === 0) return [...there];
	return asked.flatMap((one) => {
		if (there.includes(one as T)) return one as T;
		const found = there.filter((each) => each.startsWith(`${one}-`));
		if (found.length === 0) throw new Error(`"${one}" is not one of ${there.join(', ')}`);
		return found;
	});
}

async function prepare(): Promise<Built> {
	await ensureHostInstalled(log);
	await mkdir(benchFolder, { recursive: true });
	return await buildEngine();
}

async function measure(names: string[], quick: boolean) {
	const bench = { quick, log, ...(await prepare()) };
	for (const name of names) {
		log(`\n${name} ...`);
		const row =
			name in pacedRows
				? await runPaced(pacedRows[name as keyof typeof pacedRows], bench)
				: await runUnpaced(unpacedRows[name]!, bench);
		log(`\n${tableOf({ [name]: row })}`);
		if (quick) continue;
		save({ rows: { [name]: row } });
		render();
	}
}

async function main() {
	const options = { quick: { type: 'boolean', default: false } } as const;
	const { values, positionals } = parseArgs({ allowPositionals: true, options });
	const [command, ...asked] = positionals;
	if (command !== 'n8n' && command !== 'tests' && command !== 'render')
		return await measure(known(positionals, rowNames), values.quick);
	if (values.quick) throw new Error(`"${command}" has no short version`);
	if (command === 'n8n') return await measureOnN8n(known(asked, suites), await prepare(), log);
	if (asked.length) throw new Error(`"${command}" is about everything: leave out ${asked.join(' ')}`);
	if (command === 'tests') await timeTests();
	else render();
}

void main().catch((error: Error) => {
	console.error(error.stack);
	// Child processes end with this one.
	process.exit(1);
});
