import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { NodeHint } from 'n8n-workflow';

import { hints } from '../../nodes/ChatbotService/description/hints';
import { anyLabel } from '../failures';
import { projectFolder } from '../../sandbox/host/paths';
import { checkPlaced } from './errors';
import { read, type Texts } from './texts';

/* What the editor says around a run that is no failure: hints before it, notices after it. For readers who cannot read them. */

/** Hints of one kind differ in a time or in the label of an option. */
const wordsOf = (hint: NodeHint | NodeHint[]): string => {
	const general = [hint]
		.flat()
		.map(({ message }) =>
			message
				.replace(/(?<=will take ).*(?= at the)/, anyLabel)
				.replaceAll(/'[^']*'(?= has no values| in the node)/g, `'${anyLabel}'`),
		);
	return [...new Set(general)].join('; ');
};

export function hintMeanings(texts: Texts): string {
	const meanings = texts.get<Record<string, string>>('hints');
	checkPlaced(Object.keys(hints), Object.keys(meanings), `docs/${texts.language}/tables.yaml: hints`);
	const lines = Object.entries(hints).map(([name, hint]) => `- *${wordsOf(hint)}* ${meanings[name]}`);
	return lines.join('\n');
}

/** The notices are put together in the code, so that a page can only show their words. @throws if the code has other words */
export function noticeMeanings(texts: Texts): string {
	const files = readdirSync(join(projectFolder, 'nodes'), { recursive: true, encoding: 'utf8' });
	const code = files.filter((file) => file.endsWith('.ts')).map((file) => read(`nodes/${file}`));
	const groups = texts.get<Record<string, Record<string, string>>>('notices');
	const isSaid = (notice: string) => {
		const parts = notice.split('…');
		return code.some((text) => parts.every((part) => text.includes(part)));
	};
	const unknown = Object.values(groups).flatMap((group) =>
		Object.keys(group).filter((notice) => !isSaid(notice)),
	);
	if (unknown.length)
		throw new Error(`docs/${texts.language}/tables.yaml: no file says ${unknown.join(' or ')}`);
	const sections = Object.entries(groups).map(([title, group]) => {
		const lines = Object.entries(group).map(([notice, meaning]) => `- *${notice.trim()}* ${meaning}`);
		return `### ${title}\n\n${lines.join('\n')}`;
	});
	return sections.join('\n\n');
}
