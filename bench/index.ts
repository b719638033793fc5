/** Compares the node with what a user would do without it: `npm run bench`. See README.md. */

import execa from 'execa';

import { ensureHostInstalled } from '../sandbox/host';
import { projectFolder } from '../sandbox/host/paths';
import { measureRow } from './measure';
import { keep, tableOfRuns, VARIABLE, write } from './page';
import { buildPrograms, timesOfStore } from './processes';
import { rows } from './rows';

/** What only a real n8n shows: tests of test/e2e/nightly measure it, and its store. */
const suites = ['everybody-else', 'queue-mode', 'queue-mode-killed', 'store'];

const inProject = { cwd: projectFolder, stdio: 'inherit' } as const;

/** The known names that start with one of those asked for; all if none is asked for. */
function known(asked: string[], names: string[]): string[] {
	const unknown = asked.find((each) => !names.some((name) => name.startsWith(each)));
	if (unknown) throw new Error(`"${unknown}" is not one of ${names.join(', ')}`);
	return asked.length ? names.filter((name) => asked.some((each) => name.startsWith(each))) : names;
}

async function measureOnN8n(names: string[]) {
	process.env[VARIABLE] = 'yes';
	for (const name of names) {
		console.log(`\n${name} ...`);
		if (name === 'store')
			for (const [database, times] of Object.entries(await timesOfStore())) keep(database, times);
		else await execa('npm', ['run', 'test:e2e', '--', `nightly/${name}.test`], inProject);
	}
}

async function main(args: string[]) {
	const isOnN8n = args[0] === 'n8n';
	const names = isOnN8n ? known(args.slice(1), suites) : known(args, Object.keys(rows));
	await ensureHostInstalled();
	await buildPrograms();
	if (isOnN8n) return await measureOnN8n(names);
	for (const name of names) {
		console.log(`\n${name} ...`);
		const table = tableOfRuns(await measureRow(rows[name]!));
		console.log(`\n${table}`);
		write(name, table);
	}
}

void main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.stack);
	// Child processes end with this one.
	process.exit(1);
});
