import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import manifest from '../../package.json';
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
test('npm runs no script by itself', () => {
	const run = ['prepare', 'prepublish', 'prepublishOnly', 'prepack', 'postpack'];
	expect(run.filter((script) => script in manifest.scripts)).toEqual([]);
});

test('the codex file has categories and messengers', () => {
	expect(codex.node).toBe(`${manifest.name}.${description.name}`);
	// n8n checks community packages for other categories than those of its documentation, and for subcategories.
	expect(codex.categories).toEqual(['Communication', 'Marketing & Content']);
	expect(codex).not.toHaveProperty('subcategories');
	expect(codex.alias).toEqual(expect.arrayContaining(['whatsapp', 'telegram', 'viber', 'vk', 'max']));
});

// The page shows the README, and its address does not depend on the owner of the repository.
test("the documentation is the package's page on npm", () => {
	const page = `https://www.npmjs.com/package/${manifest.name}`;
	const { primaryDocumentation, credentialDocumentation } = codex.resources;
	expect([manifest.homepage, primaryDocumentation]).toEqual([page, [{ url: page }]]);
	const [linked, anchor] = credential.documentationUrl.split('#');
	expect([linked, credentialDocumentation]).toEqual([page, [{ url: credential.documentationUrl }]]);
	expect(read('README.md').toLowerCase()).toContain(`\n## ${anchor}\n`);
});
