import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { name, repository } from '../../package.json';
import { projectFolder } from '../../sandbox/host';
import { placeholder } from '../../tools/release';
import { projectFiles } from '../projectFiles';

/* What only the publisher knows is in package.json, and no other file contains invented values for it. */

/** The text files of the project. */
const texts = projectFiles()
	.filter((file) => statSync(join(projectFolder, file)).isFile())
	.map((file) => ({ file, content: readFileSync(join(projectFolder, file)) }))
	.filter(({ content }) => !content.includes(0))
	.map(({ file, content }) => ({ file, text: content.toString() }));

/** The owners of this package's repository in the URLs of a text. */
const ownersIn = (text: string) =>
	[...text.matchAll(new RegExp(`github(?:usercontent)?\\.com[/:]([\\w.-]+)/${name}`, 'g'))].map(
		([, owner]) => owner!,
	);

const mailAddress = /[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}/g;

test('All the texts of the project are searched, and addresses of the repository are recognised', () => {
	expect(texts.map(({ file }) => file)).toEqual(
		expect.arrayContaining(['LICENSE', 'README.md', 'SECURITY.md', '.github/ISSUE_TEMPLATE/config.yml']),
	);
	expect(ownersIn(repository.url)).toHaveLength(1);
	expect(ownersIn(`raw.githubusercontent.com/somebody/${name}/main git@github.com:somebody/${name}`)).toEqual(
		['somebody', 'somebody'],
	);
});

test('Every address of the repository is the one in package.json', () => {
	const [owner] = ownersIn(repository.url);
	const others = texts.filter(({ text }) => ownersIn(text).some((each) => each !== owner));
	expect(others.map(({ file }) => file)).toEqual([]);
});

test('Only package.json contains the placeholder of the publisher, besides its checks and its explanation', () => {
	const holding = texts.filter(({ text }) => new RegExp(`\\b${placeholder}\\b`).test(text));
	const mayHold = ['package.json', 'RELEASING.md', 'tools/release.ts'];
	expect(holding.map(({ file }) => file).filter((file) => !mayHold.includes(file))).toEqual([]);
});

const notYet = { en: 'The package is not on npm yet.', ru: 'В npm пакета пока нет.' };

test.each([
	['README.md', notYet.en],
	['docs/install.md', notYet.en],
	['docs/ru/README.md', notYet.ru],
	['docs/ru/install.md', notYet.ru],
])('%s says that the package is not on npm, until its publisher is in package.json', (file, note) => {
	const isUnpublished = repository.url.includes(placeholder);
	const { text } = texts.find((each) => each.file === file)!;
	expect(text.includes(note)).toBe(isUnpublished);
	if (!isUnpublished) expect(text).not.toMatch(/not (?:yet )?on npm|в npm (?:пакета )?(?:пока|ещё) нет/i);
});

test('No document contains an email address for readers', () => {
	const read = texts.filter(({ file }) => /^(\.github\/.*|LICENSE|.*\.md)$/.test(file));
	const addresses = read.flatMap(({ file, text }) =>
		(text.match(mailAddress) ?? []).map((each) => `${file}: ${each}`),
	);
	expect(addresses.filter((each) => !each.endsWith('example.com'))).toEqual([]);
});
