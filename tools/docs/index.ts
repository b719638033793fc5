/**
 * Writes what follows from other files: the tables and first lines of the documents, the Russian examples, and the format of all examples.
 *
 *     npm run docs              writes it
 *     npm run docs -- --check   ends with 1 if a file is not up to date, as in `npm run lint`
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host/paths';
import { between } from '../tables';
import { credentialTable } from './credential';
import { errorsTable } from './errors';
import { examples } from './examples';
import { headed } from './heads';
import { briefLimitsTable, limitsTable } from './limits';
import { operationsTable } from './operations';
import { languages, read, textsIn, type Texts } from './texts';

type Table = (texts: Texts) => string | Promise<string>;

/** The tables of each page, in both languages, by the names in their comments. */
const pages: Record<string, Record<string, Table>> = {
	README: { limits: briefLimitsTable },
	'docs/operations': { operations: operationsTable },
	'docs/errors': { errors: errorsTable },
	'docs/limits': { limits: limitsTable },
	'docs/credential': { test: credentialTable },
};

const fileOf = (page: string, language: string) =>
	language === 'en' ? `${page}.md` : `docs/${language}/${page.replace('docs/', '')}.md`;

/** The files and their text, as it should be. */
async function wanted(): Promise<Array<[file: string, text: string]>> {
	const documents = new Map(headed());
	for (const language of languages) {
		const texts = textsIn(language);
		for (const [page, tables] of Object.entries(pages)) {
			const file = fileOf(page, language);
			let text = documents.get(file) ?? read(file);
			for (const [name, table] of Object.entries(tables)) {
				const [begin, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`];
				text = between(begin, end, file, text, await table(texts));
			}
			documents.set(file, text);
		}
	}
	return [...examples(), ...documents];
}

async function main(isCheck: boolean) {
	for (const [file, text] of await wanted()) {
		if (existsSync(join(projectFolder, file)) && read(file) === text) continue;
		if (!isCheck) writeFileSync(join(projectFolder, file), text);
		console.error(isCheck ? `${file} is not up to date: run "npm run docs"` : `${file} is written`);
		if (isCheck) process.exitCode = 1;
	}
}

main(process.argv.includes('--check')).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
