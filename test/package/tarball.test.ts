import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { broken } from '../../nodes/ChatbotService/later';
import { packageName, packPackage, projectFolder } from '../../sandbox/host';
import { runNpm } from '../../sandbox/processes/command';

/* What users download, and its cost. */

const folders = ['credentials', 'icons', 'nodes'];
const files = ['gulpfile.js', 'index.js', 'LICENSE', 'package.json', 'README.md', 'tsconfig.json'];
const modules = join(projectFolder, 'node_modules');

/** What the sources are compiled into. */
const compiled = [
	'dist/credentials/ChatbotServiceApi.credentials.js',
	'dist/nodes/ChatbotService/ChatbotService.node.js',
	'dist/nodes/ChatbotService/resources.js',
	'dist/nodes/ChatbotService/runtime.js',
];

/** A copy of the project to build and pack, so that other tests and the user's `dist` do not change. */
let copy: string;
let tarball: string;
/** The installed package, next to n8n's own modules. */
let installed: string;

beforeAll(async () => {
	copy = await mkdtemp(join(tmpdir(), 'chatbot-service-'));
	for (const name of [...folders, ...files])
		await cp(join(projectFolder, name), join(copy, name), { recursive: true });
	await symlink(modules, join(copy, 'node_modules'), 'junction');
	// `npm test` has checked the types.
	({ tarball } = await packPackage(join(copy, 'packed'), { project: copy, script: 'bundle' }));
	installed = join(copy, 'user', 'node_modules', packageName);
	await mkdir(installed, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
	await symlink(join(modules, 'n8n-workflow'), join(installed, '../n8n-workflow'), 'junction');
	// From now on, the copy has another build of the same version.
	await writeFile(join(copy, 'nodes/ChatbotService/shared/counted.ts'), '\n', { flag: 'a' });
	await runNpm(['run', 'bundle'], { cwd: copy });
}, 120_000);

afterAll(async () => await rm(copy, { recursive: true, force: true }));

const filesIn = (folder: string) =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

test('the package contains only what users need', () => {
	const sources = folders.flatMap((folder) =>
		filesIn(join(projectFolder, folder)).map((file) => `${folder}/${file}`),
	);
	const copied = sources.filter((file) => !file.endsWith('.ts')).map((file) => `dist/${file}`);
	const expected = ['LICENSE', 'README.md', 'index.js', 'package.json', ...copied, ...compiled];
	expect(filesIn(installed).sort()).toEqual(expected.sort());
	const known = /(?<!\.test|\.d)\.ts$|\.node\.json$|\/__schema__\/.*\.json$|\.svg$/;
	expect(sources.filter((file) => !known.test(file))).toEqual([]);
	expect(statSync(tarball).size).toBeLessThan(150_000);
});

test('n8n loads what describes the node: under 200 KB', () => {
	const load = [join(__dirname, 'load.js'), installed];
	const { exported, files } = JSON.parse(execFileSync(process.execPath, load, { encoding: 'utf8' })) as {
		exported: string[];
		files: string[];
	};
	expect(exported.sort()).toEqual(['ChatbotService', 'ChatbotServiceApi']);
	const described = compiled.filter((file) => !file.endsWith('/runtime.js'));
	expect(files.sort()).toEqual(described.map((file) => join(realpathSync(installed), file)).sort());
	// n8n waits for every installed package when it starts.
	expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(200_000);
});

test.each(['ChatbotService.node.js', 'resources.js', 'runtime.js'])(
	'with %s of another build, nothing is sent',
	async (file) => {
		const other = join(copy, 'other');
		await cp(installed, other, { recursive: true });
		const folder = 'dist/nodes/ChatbotService';
		await cp(join(copy, folder, file), join(other, folder, file));
		const script = `
			const { ChatbotService } = require('./${folder}/ChatbotService.node.js');
			const n8n = { getNode: () => ({ type: '' }), continueOnFail: () => true, getInputData: () => [{}] };
			new ChatbotService().customOperations.message.send.call(n8n).then((items) => console.log(JSON.stringify(items)));`;
		const said = execFileSync(process.execPath, ['-e', script], { cwd: other, encoding: 'utf8' });
		expect(JSON.parse(said)).toEqual([[{ json: { error: broken }, pairedItem: { item: 0 } }]]);
	},
);
