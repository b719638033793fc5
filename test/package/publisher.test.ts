import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { name, repository } from '../../package.json';
import { projectFolder } from '../../sandbox/host';
import { placeholder } from '../../tools/release';

/* What only the publisher knows stands in package.json, and nowhere is anything made up in its place. */

/** What is in Git or would come there, as text. */
const texts = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
	cwd: projectFolder,
	encoding: 'utf8',
})
	.split('\0')
	.filter((file) => statSync(join(projectFolder, file), { throwIfNoEntry: false })?.isFile())
	.map((file) => ({ file, content: readFileSync(join(projectFolder, file)) }))
	.filter(({ content }) => !content.includes(0))
	.map(({ file, content }) => ({ file, text: content.toString() }));

/** Who owns the repository of this package, by the addresses in a text. */
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

test('The placeholder of the publisher stands in package.json alone, but for where it is looked for and explained', () => {
	const holding = texts.filter(({ text }) => new RegExp(`\\b${placeholder}\\b`).test(text));
	const mayHold = ['package.json', 'RELEASING.md', 'tools/release.ts'];
	expect(holding.map(({ file }) => file).filter((file) => !mayHold.includes(file))).toEqual([]);
});

test('No document sends anybody to a mail address', () => {
	const read = texts.filter(({ file }) => /^(\.github\/.*|LICENSE|.*\.md)$/.test(file));
	const addresses = read.flatMap(({ file, text }) =>
		(text.match(mailAddress) ?? []).map((each) => `${file}: ${each}`),
	);
	expect(addresses.filter((each) => !each.endsWith('example.com'))).toEqual([]);
});
