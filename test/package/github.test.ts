import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { scripts } from '../../package.json';
import { projectFolder } from '../../sandbox/host';

/* What GitHub is told to do: nothing here can be run without it, so at least what can be read is held to. */

const folder = join(projectFolder, '.github');
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const namesIn = (path: string) => readdirSync(join(folder, path)).sort();

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	permissions?: Record<string, string>;
	'timeout-minutes'?: number;
	strategy?: { matrix: { node: number[] } };
	steps: Step[];
}

interface Workflow {
	on: { push: { branches?: string[]; tags?: string[] } };
	permissions: Record<string, string>;
	concurrency: { group: string };
	jobs: Record<string, Job>;
}

const names = ['ci.yml', 'nightly.yml', 'publish.yml'] as const;
const workflows = new Map(names.map((name) => [name, parse(read(`workflows/${name}`)) as Workflow]));
const [ci, nightly, publish] = names.map((name) => workflows.get(name)!) as [Workflow, Workflow, Workflow];
const stepsOf = (workflow: Workflow) => Object.values(workflow.jobs).flatMap(({ steps }) => steps);
const runsOf = (steps: Step[]) => steps.flatMap(({ run }) => run ?? []);

test('these are all the workflows', () => {
	expect(namesIn('workflows')).toEqual([...names]);
});

test('every action is pinned to a commit, with its version beside it, the same everywhere', () => {
	const pins = new Map<string, Set<string>>();
	for (const name of names) {
		for (const [line, action] of read(`workflows/${name}`).matchAll(/^.*uses:\s*([^@\s]+).*$/gm)) {
			expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
			pins.set(action!, (pins.get(action!) ?? new Set()).add(line.split('@')[1]!));
		}
	}
	expect([...pins.keys()].sort()).toEqual([
		'actions/checkout',
		'actions/download-artifact',
		'actions/setup-node',
		'actions/upload-artifact',
	]);
	for (const versions of pins.values()) expect(versions.size).toBe(1);
});

describe.each([...workflows])('%s', (name, workflow) => {
	test('may read the sources and no more, but for the job that publishes', () => {
		const granted = [
			workflow.permissions,
			...Object.values(workflow.jobs).map(({ permissions }) => permissions ?? {}),
		].flatMap((permissions) => Object.entries(permissions));
		const more = granted.filter(([scope, access]) => !(scope === 'contents' && access === 'read'));
		expect(more).toEqual(name === 'publish.yml' ? [['id-token', 'write']] : []);
	});

	test('keeps no secrets, and puts nothing from outside into a shell', () => {
		expect(read(`workflows/${name}`)).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/);
		expect(runsOf(stepsOf(workflow)).filter((run) => run.includes('${{'))).toEqual([]);
		const checkouts = stepsOf(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts) expect(checkout.with).toEqual({ 'persist-credentials': false });
	});

	test('runs once at a time, and ends', () => {
		expect(workflow.concurrency.group).toBeTruthy();
		for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
	});

	test('calls what there is', () => {
		const runs = runsOf(stepsOf(workflow));
		const called = runs.flatMap((run) => [...run.matchAll(/\bnpm (?:run ([\w:-]+)|(test)\b)/g)]);
		expect(called.length).toBeGreaterThan(0);
		for (const [, script, test] of called) expect(Object.keys(scripts)).toContain(script ?? test);
		for (const run of runs.filter((each) => each.startsWith('.')))
			accessSync(join(projectFolder, run), constants.X_OK);
	});
});

test('every change is checked on all the Node.js versions that the package is for', () => {
	const { checks, 'real-n8n': realN8n } = ci.jobs;
	expect(ci.on).toEqual({ push: { branches: ['main'] }, pull_request: null });
	expect(checks!.strategy!.matrix.node).toEqual([20, 22, 24]);
	expect(runsOf(checks!.steps)).toEqual(['npm ci', 'npm test', 'npm run scan']);
	expect(runsOf(realN8n!.steps)).toEqual(['.ci/run']);
});

test('the tests themselves are tested every night', () => {
	expect(nightly.on).toEqual({ schedule: [{ cron: expect.any(String) as string }], workflow_dispatch: null });
	expect(runsOf(stepsOf(nightly))).toEqual(['npm ci', 'npm run test:mutation']);
});

// They take hours, and are for those who look after the tests.
test('no change has to pass the tests of the tests', () => {
	const passed = [...runsOf(stepsOf(ci)), scripts.test, readFileSync(join(projectFolder, '.ci/run'), 'utf8')];
	expect(passed.filter((run) => run.includes('mutation'))).toEqual([]);
});

describe('publishing', () => {
	const { pack, publish: publishing } = publish.jobs as { pack: Job; publish: Job };

	test('is begun by the tag of a version', () => {
		expect(publish.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
	});

	test('packs what has passed, under a tag that fits', () => {
		expect(runsOf(pack.steps)).toEqual([
			'npm ci',
			'npm run check:release -- "$GITHUB_REF_NAME"',
			'npm test',
			'npm run scan',
			'npm pack',
		]);
	});

	test('runs no code but that of npm where it may speak to npm', () => {
		expect(publishing.needs).toBe('pack');
		expect(publishing.permissions).toEqual({ 'id-token': 'write' });
		expect(publishing.steps.map(({ uses }) => uses?.split('@')[0] ?? 'run')).toEqual([
			'actions/setup-node',
			'run',
			'actions/download-artifact',
			'run',
		]);
		expect(runsOf(publishing.steps).at(-1)).toBe('npm publish ./*.tgz --provenance --access public');
	});

	// Trusted publishing came with npm 11.5.1, which Node.js 24 has brought along since it was new.
	test('uses an npm that knows trusted publishing, and no cache that others can write to', () => {
		for (const { steps } of [pack, publishing]) {
			const setup = steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'));
			expect(setup!.with).toEqual({ 'node-version': 24, 'package-manager-cache': false });
		}
		expect(runsOf(publishing.steps)[0]).toContain('\'11.5.1\\n%s\\n\' "$(npm --version)"');
	});
});

describe('the forms of issues', () => {
	interface Form {
		name: string;
		description: string;
		body: Array<{
			type: string;
			id?: string;
			attributes: { label?: string; value?: string; options?: unknown[] };
		}>;
	}

	const forms = namesIn('ISSUE_TEMPLATE').filter((name) => name !== 'config.yml');

	test('are these', () => {
		expect(forms).toEqual(['bug.yml', 'feature.yml', 'question.yml']);
		expect(parse(read('ISSUE_TEMPLATE/config.yml'))).toMatchObject({ blank_issues_enabled: false });
	});

	test.each(forms)('%s has what GitHub wants of a form', (name) => {
		const form = parse(read(`ISSUE_TEMPLATE/${name}`)) as Form;
		expect(form).toMatchObject({
			name: expect.any(String) as string,
			description: expect.any(String) as string,
		});
		const fields = form.body.filter(({ type }) => type !== 'markdown');
		expect(fields.length).toBeGreaterThan(1);
		for (const { type, id, attributes } of fields) {
			expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
			expect(id).toMatch(/^[a-z0-9-]+$/);
			expect(attributes.label).toBeTruthy();
			expect(attributes.options === undefined).toBe(!['dropdown', 'checkboxes'].includes(type));
		}
		expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
	});

	test.each(forms)('%s says that Russian is welcome', (name) => {
		const { body } = parse(read(`ISSUE_TEMPLATE/${name}`)) as Form;
		expect(body[0]).toMatchObject({
			type: 'markdown',
			attributes: { value: expect.stringContaining('Можно по-русски') as string },
		});
	});

	test('asks for what a bug is understood by', () => {
		const { body } = parse(read('ISSUE_TEMPLATE/bug.yml')) as Form;
		expect(body.map(({ id }) => id)).toEqual(
			expect.arrayContaining(['n8n', 'package', 'mode', 'operation', 'log', 'masked']),
		);
	});
});
