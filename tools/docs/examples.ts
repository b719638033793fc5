import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from '../../sandbox/host/paths';
import { read } from './texts';

/* The Russian examples: those of examples/ with the texts of docs/ru/examples.yaml in their notes, and the words of other nodes. */

interface Workflow {
	nodes: Array<{ name: string; parameters: object }>;
}

/** What is different in a node: parameters, such as the content of a note, and words within parameters. */
type Text = { words?: Record<string, string> } & Record<string, unknown>;

/** By the file and the node's name. */
type Texts = Record<string, Record<string, Text>>;

/** Files with their text. @throws if a text belongs to no node */
export function russianExamples(): Array<[file: string, text: string]> {
	const texts = parse(read('docs/ru/examples.yaml')) as Texts;
	const files = readdirSync(join(projectFolder, 'examples')).filter((file) => file.endsWith('.json'));
	return files.map((file) => [`docs/ru/examples/${file}`, translated(file, texts[file] ?? {})]);
}

function translated(file: string, texts: Texts[string]): string {
	const workflow = JSON.parse(read(`examples/${file}`)) as Workflow;
	for (const [name, { words = {}, ...parameters }] of Object.entries(texts)) {
		const node = workflow.nodes.find((each) => each.name === name);
		if (!node)
			throw new Error(`docs/ru/examples.yaml has a text for "${name}", which is not in examples/${file}`);
		node.parameters = { ...withWords(node.parameters, words, `"${name}" of ${file}`), ...parameters };
	}
	return `${JSON.stringify(workflow, null, 2)}\n`;
}

/** Replaces words everywhere in the parameters of a node. @param where for the error */
function withWords(parameters: object, words: Record<string, string>, where: string): object {
	let text = JSON.stringify(parameters);
	for (const [english, russian] of Object.entries(words)) {
		if (!text.includes(english)) throw new Error(`docs/ru/examples.yaml: ${where} does not say ${english}`);
		text = text.replaceAll(english, russian);
	}
	return JSON.parse(text) as object;
}
