import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

import { projectFolder } from '../../sandbox/host/paths';
import { read, textsIn, type Language } from './texts';

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

/** The pages and their text with this line. */
export function headed(): Array<[file: string, text: string]> {
	return [
		...english.map((page) => withHead(page, 'en', translationOf(page))),
		...russian.map((page) =>
			withHead(
				page,
				'ru',
				english.find((each) => translationOf(each) === page),
			),
		),
	];
}

function withHead(page: string, language: Language, other: string | undefined): [string, string] {
	const texts = textsIn(language);
	const folder = language === 'en' ? 'docs' : `docs/${language}`;
	const readme = language === 'en' ? 'README.md' : `${folder}/README.md`;
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
