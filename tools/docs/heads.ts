import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

import { projectFolder } from '../../sandbox/host/paths';
import { read, type Texts } from './texts';

/* The line under the title of each page: README, installation, the other language, and what the reader must know before anything else. */

/** The pages of a language besides its README. */
const pagesIn = (folder: string) =>
	readdirSync(join(projectFolder, folder)).flatMap((file) =>
		file.endsWith('.md') && file !== 'README.md' ? [`${folder}/${file}`] : [],
	);

const english = [...pagesIn('docs'), 'examples/README.md'];
const russian = pagesIn('docs/ru');

const translationOf = (page: string) =>
	page === 'examples/README.md' ? 'docs/ru/examples.md' : page.replace('docs/', 'docs/ru/');

/** The pages of a language and their text with this line. */
export function headed(texts: Texts): Array<[file: string, text: string]> {
	return texts.language === 'en'
		? english.map((page) => withHead(page, texts, 'docs', translationOf(page)))
		: russian.map((page) =>
				withHead(
					page,
					texts,
					'docs/ru',
					english.find((each) => translationOf(each) === page),
				),
			);
}

/** @param folder of the pages of the language @param other the page in the other language */
function withHead(page: string, texts: Texts, folder: string, other: string | undefined): [string, string] {
	const readme = texts.language === 'en' ? 'README.md' : `${folder}/README.md`;
	const link = (text: string, target: string) => `[${text}](${posix.relative(posix.dirname(page), target)})`;
	const links = [
		link('README', readme),
		...(page === `${folder}/install.md` ? [] : [link(texts.get('head', 'install'), `${folder}/install.md`)]),
		...(other === undefined ? [] : [link(texts.get('head', 'other'), other)]),
	];
	const head = `${links.join(', ')}. ${texts.get('head', 'status')}`;
	const text = read(page).replace(/^\[README\].*\n\n/m, '');
	return [page, text.replace(/^# .*\n\n/, (title) => `${title}${head}\n\n`)];
}
