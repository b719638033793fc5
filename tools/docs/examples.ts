import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from '../../sandbox/host/paths';
import { read } from './texts';

/* The Russian examples: those of examples/ with the texts of docs/ru/examples.yaml in their notes. */

interface Workflow {
	nodes: Array<{ name: string; parameters: object }>;
}

/** What is different in a note, by the file and the note's name. */
type Texts = Record<string, Record<string, { content: string; height?: number }>>;

/** Files with their text. @throws if a text belongs to no note */
export function russianExamples(): Array<[file: string, text: string]> {
	const texts = parse(read('docs/ru/examples.yaml')) as Texts;
	const files = readdirSync(join(projectFolder, 'examples')).filter((file) => file.endsWith('.json'));
	return files.map((file) => [`docs/ru/examples/${file}`, translated(file, texts[file] ?? {})]);
}

function translated(file: string, texts: Texts[string]): string {
	const workflow = JSON.parse(read(`examples/${file}`)) as Workflow;
	for (const [name, text] of Object.entries(texts)) {
		const note = workflow.nodes.find((node) => node.name === name);
		if (!note)
			throw new Error(`docs/ru/examples.yaml has a text for "${name}", which is not in examples/${file}`);
		note.parameters = { ...note.parameters, ...text };
	}
	return `${JSON.stringify(workflow, null, 2)}\n`;
}
