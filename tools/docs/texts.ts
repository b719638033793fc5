import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { projectFolder } from '../../sandbox/host/paths';

/* What a table says besides the words of the code: docs/tables.yaml, and docs/ru/tables.yaml for the Russian pages. */

/** The text of a file of the project. */
export const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

export const languages = ['en', 'ru'] as const;
type Language = (typeof languages)[number];

type Entry = string | string[] | { [key: string]: Entry };

export interface Texts {
	language: Language;
	/** The text at a path such as 'errors', 'columns'; the English one if there is no translation. */
	get<T extends Entry = string>(...path: string[]): T;
}

export function textsIn(language: Language): Texts {
	const files = [...(language === 'en' ? [] : [`docs/${language}/tables.yaml`]), 'docs/tables.yaml'];
	const entries = files.map((file) => parse(read(file)) as Entry);
	const textAt = (entry: Entry, path: string[]) =>
		path.reduce<Entry | undefined>((within, key) => (within as Record<string, Entry>)?.[key], entry);
	return {
		language,
		get<T extends Entry>(...path: string[]) {
			const found = entries.map((entry) => textAt(entry, path)).find((text) => text !== undefined);
			if (found !== undefined) return found as T;
			throw new Error(`docs/tables.yaml needs a text for ${path.join(' > ')}: add it, then "npm run docs"`);
		},
	};
}
