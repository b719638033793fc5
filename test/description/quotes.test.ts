import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { read, root } from './page';

/* The documents quote texts of the node in the same words as its code. */

const filesIn = (folder: string, ending: string) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith(ending))
		.map((file) => `${folder}/${file}`);

const code = [...filesIn('nodes', '.ts'), ...filesIn('credentials', '.ts')]
	.map(read)
	.join('\n')
	.replaceAll("\\'", "'");

/** From n8n, from people, or put together from parts by the code. */
const others = [
	'Authorization failed - please check your credentials',
	'Forbidden - perhaps check your credentials?',
	'This execution failed to be processed too many times',
	'Unrecognized node type: n8n-nodes-chatbot-service.chatbotService',
	'No action required',
	'Workflow was started',
	'Welcome new leads',
	'Up to 5%, please',
	'Enter the numeric ID, for example 1048576',
	'Of 60 items, 14 were done',
];

const documents = ['README.md', 'SECURITY.md', ...filesIn('docs', '.md'), ...filesIn('examples', '.md')];

/** Sentences in quotation marks. A quotation may end early, with an ellipsis or without the period. */
const quotedIn = (file: string) =>
	[
		...read(file)
			.replace(/\s+/g, ' ')
			.matchAll(/["«]([A-Z][^"«»]{14,}?)["»]/g),
	]
		.map(([, quoted]) => quoted!.replace(/[\s….\\]+$/, ''))
		.filter((quoted) => !/[а-яё]/i.test(quoted));

test('the documents quote the node', () => {
	expect(documents.flatMap(quotedIn).length).toBeGreaterThan(20);
});

test.each(documents)('%s quotes the node in its own words', (file) => {
	const isKnown = (quoted: string) => code.includes(quoted) || others.some((each) => quoted.startsWith(each));
	expect(quotedIn(file).filter((quoted) => !isKnown(quoted))).toEqual([]);
});
