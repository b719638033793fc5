import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { description } from './editor';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
	name: string;
	homepage: string;
	keywords: string[];
	main: string;
	files: string[];
	scripts: Record<string, string>;
	n8n: { n8nNodesApiVersion: number; nodes: string[]; credentials: string[] };
	dependencies?: object;
	overrides?: object;
	peerDependencies: object;
};
const nodeFile = 'nodes/ChatbotService/ChatbotService.node.ts';
const credentialFile = 'credentials/ChatbotServiceApi.credentials.ts';
const credential = new ChatbotServiceApi();

/** The source file of a compiled file. */
const sourceOf = (compiled: string) => compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts');

test('the names are permanent', () => {
	expect(manifest.name).toBe('n8n-nodes-chatbot-service');
	expect(description.name).toBe('chatbotService');
	expect(description.version).toBe(1);
	expect(credential.name).toBe('chatbotServiceApi');
	expect(credential.displayName).toBe('Chatbot Service API');
});

describe('package.json', () => {
	test('tells n8n the paths of the node and the credential', () => {
		expect(manifest.n8n.n8nNodesApiVersion).toBe(1);
		expect(manifest.n8n.nodes.map(sourceOf)).toEqual([nodeFile]);
		expect(manifest.n8n.credentials.map(sourceOf)).toEqual([credentialFile]);
		for (const file of [nodeFile, credentialFile]) expect(existsSync(join(root, file))).toBe(true);
	});

	// n8n derives the class name from the file name.
	test.each([nodeFile, credentialFile])('%s exports the class that its file name requires', (file) => {
		expect(read(file)).toContain(`export class ${basename(file).split('.')[0]} `);
	});

	test('has the keyword of community nodes, and contains the files that it names', () => {
		expect(manifest.keywords).toContain('n8n-community-node-package');
		expect(manifest.files).toEqual(expect.arrayContaining(['dist', manifest.main]));
		expect(existsSync(join(root, manifest.main))).toBe(true);
	});

	test('has no dependencies and no install scripts', () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.overrides).toBeUndefined();
		expect(Object.keys(manifest.peerDependencies)).toEqual(['n8n-workflow']);
		const runs = [
			'preinstall',
			'install',
			'postinstall',
			'prepare',
			'prepublish',
			'prepublishOnly',
			'prepack',
			'postpack',
		];
		for (const script of runs) expect(manifest.scripts).not.toHaveProperty(script);
	});
});

describe('the codex file', () => {
	const codex = JSON.parse(read(nodeFile.replace('.ts', '.json'))) as {
		node: string;
		nodeVersion: string;
		codexVersion: string;
		categories: string[];
		alias: string[];
		resources: Record<string, Array<{ url: string }>>;
	};
	// The list of n8n's documentation, which n8n uses to check community packages.
	const categories = [
		'AI',
		'Analytics',
		'Communication',
		'Data & Storage',
		'Development',
		'Finance & Accounting',
		'Marketing & Content',
		'Miscellaneous',
		'Productivity',
		'Sales',
		'Utility',
	];

	test('belongs to the node', () => {
		expect(codex.node).toBe(`${manifest.name}.${description.name}`);
		expect(codex.nodeVersion).toBe(`${description.version as number}.0`);
		expect(codex.codexVersion).toBe('1.0');
	});

	test('puts the node into existing categories', () => {
		expect(codex.categories.length).toBeGreaterThan(0);
		expect(codex.categories.filter((category) => !categories.includes(category))).toEqual([]);
	});

	test('makes the node findable by its messengers', () => {
		expect(codex.alias).toEqual(expect.arrayContaining(['whatsapp', 'telegram', 'viber', 'vk', 'max']));
		expect(new Set(codex.alias).size).toBe(codex.alias.length);
	});

	// The page shows the README, and its address does not depend on the owner of the repository.
	test("links to the package's page on npm, like the credential, and to its existing sections", () => {
		const page = `https://www.npmjs.com/package/${manifest.name}`;
		const { primaryDocumentation, credentialDocumentation } = codex.resources;
		expect(manifest.homepage).toBe(page);
		expect(primaryDocumentation).toEqual([{ url: page }]);
		expect(credentialDocumentation).toEqual([{ url: credential.documentationUrl }]);
		const [linked, anchor] = credential.documentationUrl.split('#');
		const headings = [...read('README.md').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
		expect(linked).toBe(page);
		expect(headings.map((heading) => heading!.toLowerCase().replaceAll(' ', '-'))).toContain(anchor);
	});
});

describe.each([
	[nodeFile, description.icon],
	[credentialFile, credential.icon],
])('the icon of %s', (file, icon) => {
	test.each(['light', 'dark'] as const)('is an image for a %s background', (theme) => {
		const path = (icon as Record<'light' | 'dark', string>)[theme];
		expect(path).toMatch(/^file:.*\.svg$/);
		const found = resolve(root, file, '..', path.replace('file:', ''));
		expect(readFileSync(found, 'utf8')).toMatch(/^(<\?xml[^>]*>\s*)?<svg /);
	});

	test('differs between the two', () => {
		const { light, dark } = icon as Record<'light' | 'dark', string>;
		expect(light).not.toBe(dark);
	});
});
