import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import MarkdownIt from 'markdown-it';

import { projectFolder } from '../../sandbox/host/paths';

/** The blocks of shell commands on a page of the documents. @param file such as 'docs/install.md' */
export const commandsOf = (file: string): string[] =>
	new MarkdownIt()
		.parse(readFileSync(join(projectFolder, file), 'utf8'), {})
		.flatMap(({ type, info, content }) => (type === 'fence' && info === 'sh' ? content : []));
