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
	const isEnglish = texts.language === 'en';
	const [readme, install] = isEnglish
		? ['README.md', 'docs/install.md']
		: ['docs/ru/README.md', 'docs/ru/install.md'];
	return (isEnglish ? english : russian).map((page) => {
		const other = isEnglish ? translationOf(page) : english.find((each) => translationOf(each) === page);
		const link = (text: string, target: string) =>
			`[${text}](${posix.relative(posix.dirname(page), target)})`;
		const links = [
			link('README', readme),
			...(page === install ? [] : [link(texts.get('head', 'install'), install)]),
			...(other === undefined ? [] : [link(texts.get('head', 'other'), other)]),
		];
		const head = `${links.join(', ')}. ${texts.get('head', 'status')}`;
		const text = read(page).replace(/^\[README\].*\n\n/m, '');
		return [page, text.replace(/^# .*\n\n/, (title) => `${title}${head}\n\n`)];
	});
}
