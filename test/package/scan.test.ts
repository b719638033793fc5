import { spawnSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host';
import { copyProject } from './copy';

/* Each test compiles, packs and lints the package. */
jest.setTimeout(180_000);

let project: Awaited<ReturnType<typeof copyProject>>;

beforeEach(async () => {
	project = await copyProject();
});

afterEach(async () => await project.remove());

/** Runs `npm run scan` on the copy and returns its result for each part. */
function scan() {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		[require.resolve('tsx/cli'), join(projectFolder, 'tools/scan.ts'), project.folder],
		{ encoding: 'utf8' },
	);
	const [sources = '', tarball = ''] = stdout.split(/^Tarball /m);
	return { status, sources, tarball, stderr };
}

test("The package passes n8n's scanner", () => {
	expect(scan()).toEqual({
		status: 0,
		sources: 'Sources: passed\n',
		tarball: expect.stringMatching(/^\S+\.tgz: passed\n/) as string,
		stderr: '',
	});
});

test('The scan finds what the scanner refuses, and no comment in the code disables it', async () => {
	const source = join(project.folder, 'nodes/ChatbotService/ChatbotService.node.ts');
	await appendFile(
		source,
		`/* eslint-disable */
		export const planted = () => setTimeout(() => console.log(process.env.HOME), 1);`,
	);
	const manifestFile = join(project.folder, 'package.json');
	const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as { files: string[] };
	// The project's tools may contain what the node must not, so they must not be published.
	manifest.files.push('gulpfile.js');
	await writeFile(manifestFile, JSON.stringify({ ...manifest, overrides: { qs: '6.14.0' } }));

	const { status, sources, tarball } = scan();
	expect(status).toBe(1);
	expect(sources).toMatch(/^Sources: REFUSED/);
	expect(tarball).toMatch(/\.tgz: REFUSED/);
	for (const part of [sources, tarball]) {
		expect(part).toMatch(/ChatbotService\.node\.(ts|js)$/m);
		expect(part).toMatch(/setTimeout.*no-restricted-globals/);
		expect(part).toMatch(/process.*no-restricted-globals/);
		expect(part).toMatch(/no-console$/m);
		expect(part).toMatch(/no-overrides-field/);
	}
	expect(sources).not.toContain('gulpfile.js');
	expect(tarball).toContain('gulpfile.js');
});
