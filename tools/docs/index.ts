/**
 * Writes what follows from other files: the tables and first lines of the documents, the Russian examples, and the format of all examples.
 *
 *     npm run docs              writes it
 *     npm run docs -- --check   ends with 1 if a file is not up to date, as in `npm run lint`
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host/paths';
import { between, tableOf } from '../tables';
import { errorRows, meanings } from './errors';
import { examples } from './examples';
import { credentialRows, limitColumns, limitRows, operationRows, resourceRows } from './facts';
import { headed } from './heads';
import { howToMend, unknownLabels } from './labels';
import { hintMeanings, noticeMeanings } from './notices';
import { languages, read, textsIn, type Texts } from './texts';

/** A table with the columns of docs/tables.yaml. */
const table =
	(name: string, rows: (texts: Texts) => string[][], more = (_: Texts): string[] => []) =>
	(texts: Texts) =>
		tableOf([...texts.get<string[]>(name, 'columns'), ...more(texts)], rows(texts));

/** What is written into the pages of both languages, by the names in their comments. */
const pages: Record<string, Record<string, (texts: Texts) => string>> = {
	README: { resources: table('resources', resourceRows) },
	'docs/operations': { operations: table('operations', operationRows) },
	'docs/errors': { errors: table('errors', errorRows) },
	'docs/limits': { limits: table('limits', limitRows, limitColumns) },
	'docs/credential': { test: table('credential', credentialRows) },
};

/** What only readers of the translation need. */
const translated: typeof pages = {
	'docs/messages': { hints: hintMeanings, notices: noticeMeanings, messages: meanings },
};

const fileOf = (page: string, language: string) =>
	language === 'en' ? `${page}.md` : `docs/${language}/${page.replace('docs/', '')}.md`;

/** The pages for users, with their text as it should be. */
function documents(): Map<string, string> {
	const documents = new Map(['README.md', 'docs/ru/README.md'].map((file) => [file, read(file)]));
	for (const language of languages) {
		const texts = textsIn(language);
		for (const [file, text] of headed(texts)) documents.set(file, text);
		for (const [page, tables] of Object.entries(language === 'en' ? pages : { ...pages, ...translated })) {
			const file = fileOf(page, language);
			let text = documents.get(file) ?? read(file);
			for (const [name, written] of Object.entries(tables)) {
				const [begin, end] = [`<!-- ${name}: written by npm run docs -->`, '<!-- end -->'];
				text = between(begin, end, file, text, written(texts));
			}
			documents.set(file, text);
		}
	}
	return documents;
}

function main(isCheck: boolean) {
	const pages = documents();
	for (const [file, text] of [...examples(), ...pages]) {
		if (existsSync(join(projectFolder, file)) && read(file) === text) continue;
		if (!isCheck) writeFileSync(join(projectFolder, file), text);
		console.error(isCheck ? `${file} is not up to date: run "npm run docs"` : `${file} is written`);
		if (isCheck) process.exitCode = 1;
	}
	for (const [file, text] of pages) {
		const wrong = unknownLabels(text).map((label) => `"${label}" is no label: ${howToMend}`);
		for (const each of wrong) console.error(`${file}: ${each}`);
		if (wrong.length) process.exitCode = 1;
	}
}

try {
	main(process.argv.includes('--check'));
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
