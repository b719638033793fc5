import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from '../../sandbox/host/paths';
import { read } from './texts';

/* The examples in their format, and the Russian ones: with the texts of docs/ru/examples.yaml in their notes, and other words. */

interface Workflow {
	nodes: Array<{ name: string; parameters: object }>;
}

/** By the file and the node's name: parameters, such as the content of a note, and words within parameters. */
type Texts = Record<string, Record<string, { words?: Record<string, string> } & Record<string, unknown>>>;

/** Files with their text. @throws if a Russian text belongs to no node */
export function examples(): Array<[file: string, text: string]> {
	const texts = parse(read('docs/ru/examples.yaml')) as Texts;
	const files = readdirSync(join(projectFolder, 'examples')).filter((file) => file.endsWith('.json'));
	return files.flatMap((file): Array<[string, string]> => {
		const workflow = JSON.parse(read(`examples/${file}`)) as Workflow;
		const english = `${compactJson(workflow)}\n`;
		translate(workflow, file, texts[file] ?? {});
		return [
			[`examples/${file}`, english],
			[`docs/ru/examples/${file}`, `${compactJson(workflow)}\n`],
		];
	});
}

function translate({ nodes }: Workflow, file: string, texts: Texts[string]): void {
	for (const [name, { words = {}, ...parameters }] of Object.entries(texts)) {
		const node = nodes.find((each) => each.name === name);
		if (!node)
			throw new Error(`docs/ru/examples.yaml has a text for "${name}", which is not in examples/${file}`);
		let text = JSON.stringify(node.parameters);
		for (const [english, russian] of Object.entries(words)) {
			if (!text.includes(english))
				throw new Error(`docs/ru/examples.yaml: "${name}" of ${file} does not say ${english}`);
			text = text.replaceAll(english, russian);
		}
		node.parameters = { ...(JSON.parse(text) as object), ...parameters };
	}
}

const width = 120;

/**
 * JSON for people: what fits into a line is on one line, and in what does not, short values share lines. So a node of a workflow is a
 * few lines.
 *
 * @param used characters of the first line that are taken already, besides the indentation
 */
function compactJson(value: unknown, indentation = '', used = 0): string {
	// In JSON, line ends are only between values: those in texts are escaped.
	const onOneLine = JSON.stringify(value, null, 1)
		.replace(/(?<=\[)\n *|\n *(?=\])/g, '')
		.replace(/\n */g, ' ');
	const isNested = typeof value === 'object' && value !== null;
	if (!isNested || indentation.length + used + onOneLine.length <= width) return onOneLine;
	const within = `${indentation}  `;
	const parts = Array.isArray(value)
		? value.map((each) => compactJson(each, within))
		: Object.entries(value).map(([key, each]) => {
				const name = `${JSON.stringify(key)}: `;
				return name + compactJson(each, within, name.length);
			});
	const lines = parts.reduce<string[]>((before, part) => {
		const joined = `${before.at(-1)}, ${part}`;
		const fits = before.length > 0 && !joined.includes('\n') && within.length + joined.length < width;
		return fits ? [...before.slice(0, -1), joined] : [...before, part];
	}, []);
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	return `${open}\n${within}${lines.join(`,\n${within}`)}\n${indentation}${close}`;
}
