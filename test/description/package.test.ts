import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import manifest from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import { dependencies as ofHost } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';
import { description } from './editor';

/*
 * What n8n's own rules for community packages cannot know: the names, and what the codex file says. `npm run lint` applies the rules
 * to package.json, the icons and the names of files; test/package/tarball.test.ts loads the package that npm packs.
 */

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

const credential = new ChatbotServiceApi();
const codex = JSON.parse(read('nodes/ChatbotService/ChatbotService.node.json')) as {
	node: string;
	categories: string[];
	alias: string[];
	resources: Record<string, Array<{ url: string }>>;
};

test('the names are permanent', () => {
	expect(manifest.name).toBe('n8n-nodes-chatbot-service');
	expect(description).toMatchObject({ name: 'chatbotService', version: 1, displayName: 'Chatbot Service' });
	expect(description.defaults).toEqual({ name: 'Chatbot Service' });
	expect(credential).toMatchObject({ name: 'chatbotServiceApi', displayName: 'Chatbot Service API' });
});

// n8n's rules miss some of these. npm would run them where somebody installs or packs the package.
test.each(['prepare', 'prepublish', 'prepublishOnly', 'prepack', 'postpack'])(
	'npm runs no script %s by itself',
	(script) => expect(manifest.scripts).not.toHaveProperty(script),
);

test('the codex file belongs to the node, and makes it findable by its messengers', () => {
	const { node, categories, alias } = codex;
	expect(node).toBe(`${manifest.name}.${description.name}`);
	// n8n checks community packages for other categories than those of its documentation, and for subcategories.
	expect(categories).toEqual(['Communication', 'Marketing & Content']);
	expect(codex).not.toHaveProperty('subcategories');
	expect(alias).toEqual(expect.arrayContaining(['whatsapp', 'telegram', 'viber', 'vk', 'max']));
});

// The page shows the README, and its address does not depend on the owner of the repository.
test("the documentation is the package's page on npm, and the credential links to its section there", () => {
	const page = `https://www.npmjs.com/package/${manifest.name}`;
	const { primaryDocumentation, credentialDocumentation } = codex.resources;
	expect(manifest.homepage).toBe(page);
	expect(primaryDocumentation).toEqual([{ url: page }]);
	expect(credentialDocumentation).toEqual([{ url: credential.documentationUrl }]);
	const [linked, anchor] = credential.documentationUrl.split('#');
	expect(linked).toBe(page);
	expect(read('README.md').toLowerCase()).toContain(`\n## ${anchor}\n`);
});

// The versions that people rely on: those of n8n that the tests run, and that of the package which queue mode installs.
test.each(['README.md', 'docs/ru/README.md'])('%s names the versions of n8n that the tests run', (readme) => {
	expect(read(readme)).toContain(ofHost.n8n);
	// In that release line, the minor version of n8n is one ahead of its engine's.
	expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
	expect(read(readme)).toMatch(/1\.123\D.*2\.8\D.*2\.41/);
});
