import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createSourceFile, forEachChild, ScriptTarget, type Block, type Node } from 'typescript';

import { packageName, packPackage, projectFolder } from '../../sandbox/host';

/* What users download, and its cost. */

const folders = ['credentials', 'icons', 'nodes'];
const files = ['gulpfile.js', 'index.js', 'LICENSE', 'package.json', 'README.md', 'tsconfig.json'];
const modules = join(projectFolder, 'node_modules');

/** What the sources are compiled into. */
const compiled = [
	'dist/credentials/ChatbotServiceApi.credentials.js',
	'dist/nodes/ChatbotService/ChatbotService.node.js',
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

test('require() of the package returns the node and the credential, and reads two files', () => {
	const load = [join(__dirname, 'load.js'), installed];
	const { exported, files } = JSON.parse(execFileSync(process.execPath, load, { encoding: 'utf8' })) as {
		exported: string[];
		files: string[];
	};
	expect(exported.sort()).toEqual(['ChatbotService', 'ChatbotServiceApi']);
	expect(files.sort()).toEqual(compiled.map((file) => join(realpathSync(installed), file)).sort());
	// n8n waits for every installed package when it starts.
	expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(400_000);
});

test('an administrator can read the code: each statement has its own line', () => {
	for (const file of compiled) {
		const source = createSourceFile(file, readFileSync(join(installed, file), 'utf8'), ScriptTarget.Latest);
		const lines: number[] = [];
		const visit = (node: Node) => {
			const { statements } = node as Partial<Block>;
			const starts = statements?.map((each) => each.getStart(source)) ?? [];
			lines.push(...starts.map((start) => source.getLineAndCharacterOfPosition(start).line));
			forEachChild(node, visit);
		};
		visit(source);
		expect([file, new Set(lines).size]).toEqual([file, lines.length]);
	}
});
