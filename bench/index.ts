/** Compares the node with what a user would do without it: `npm run bench`. See README.md. */

import execa from 'execa';

import { ensureHostInstalled } from '../sandbox/host';
import { projectFolder } from '../sandbox/host/paths';
import { measureRow } from './measure';
import { tableOfRuns, VARIABLE, write } from './page';
import { buildProgram } from './processes';
import { rows } from './rows';

/** What only a real n8n shows: tests of test/e2e/nightly measure it. */
const suites = ['other-work', 'queue-mode'];

async function measure(name: string) {
	const table = tableOfRuns(await measureRow(rows[name]!));
	console.log(`\n${table}`);
	write(name, table);
}

async function measureOnN8n(name: string) {
	const inProject = { cwd: projectFolder, stdio: 'inherit', env: { [VARIABLE]: 'yes' } } as const;
	await execa('npm', ['run', 'test:e2e', '--', `nightly/${name}.test`], inProject);
}

async function main(args: string[]) {
	const isOnN8n = args[0] === 'n8n';
	const [asked, names] = isOnN8n ? [args.slice(1), suites] : [args, Object.keys(rows)];
	const unknown = asked.find((each) => !names.some((name) => name.startsWith(each)));
	if (unknown) throw new Error(`"${unknown}" is not one of ${names.join(', ')}`);
	await ensureHostInstalled();
	await buildProgram();
	// Those whose names start with one of those asked for; all if none is asked for.
	for (const name of names.filter((each) => !asked.length || asked.some((start) => each.startsWith(start)))) {
		console.log(`\n${name} ...`);
		await (isOnN8n ? measureOnN8n : measure)(name);
	}
}

void main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.stack);
	// Child processes end with this one.
	process.exit(1);
});
