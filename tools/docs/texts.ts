import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from '../../sandbox/host/paths';

/* What a table says besides the words of the code: docs/tables.yaml, and docs/ru/tables.yaml for the Russian pages. */

/** The text of a file of the project. */
export const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

type Entry = string | string[] | { [key: string]: Entry };

export interface Texts {
	language: Language;
	/**
	 * @param path such as 'errors.columns'
	 * @returns the English text if there is no translation
	 * @throws if there is no English text either
	 */
	get<T extends Entry = string>(...path: string[]): T;
	/** The English text, whose order a table keeps. */
	english<T extends Entry = string>(...path: string[]): T;
}

const fileOf = (language: Language) =>
	language === 'en' ? 'docs/tables.yaml' : `docs/${language}/tables.yaml`;

const load = (language: Language) => parse(read(fileOf(language))) as Entry;

const entryAt = (entry: Entry | undefined, path: string[]): Entry | undefined =>
	path.reduce<Entry | undefined>(
		(within, key) => (within as Record<string, Entry> | undefined)?.[key],
		entry,
	);

export function textsIn(language: Language): Texts {
	const [own, inEnglish] = [load(language), load('en')];
	const english = <T extends Entry>(...path: string[]): T => {
		const found = entryAt(inEnglish, path);
		if (found === undefined)
			throw new Error(
				`${fileOf('en')} needs a text for ${path.join(' > ')}: add it, then run "npm run docs"`,
			);
		return found as T;
	};
	return {
		language,
		english,
		get: <T extends Entry>(...path: string[]) => (entryAt(own, path) as T | undefined) ?? english<T>(...path),
	};
}

/** @param rows of cells */
export function tableOf(columns: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}
