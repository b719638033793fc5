import type { IDataObject } from 'n8n-workflow';

import type { Observation, Remark } from './observer';

/* What docs/openapi.yaml says in words, or leaves open: refusals, pages, `with`, how variables are written, filters. */

/** Refusals of what is wrong, as the framework marks them. */
const refusals = [401, 403, 404, 422];

/** Whether the service refuses a call that must not succeed. */
export function refusalOf({ title, failure, answers }: Observation): Remark[] {
	const what = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
	if (!failure) return [{ text: `The service accepts ${what}`, differs: true }];
	const status = answers.at(-1)?.status ?? 0;
	return refusals.includes(status)
		? []
		: [{ text: `The service refuses ${what} with ${status}`, differs: true }];
}

/** Whether the service turns pages. @param rows how many a full page has */
export function pagesOf(first: Observation, second: Observation, rows: number): Remark[] {
	if (first.failure || second.failure) return [];
	const remarks: Remark[] = [{ text: `Pages have ${first.hasPages ? '' : 'no '}numbers` }];
	if (first.rows.length > rows)
		remarks.push({ text: 'The service ignores how many rows a page should have', differs: true });
	if (first.rows.length < rows) remarks.push({ text: 'Too few rows for a second page' });
	else if (second.rows.some(({ id }) => first.rows.some((row) => row.id === id)))
		remarks.push({ text: 'Page 2 repeats page 1', differs: true });
	else remarks.push({ text: second.rows.length ? 'Page 2 has other rows' : 'Page 2 is empty' });
	return remarks;
}

/** Whether `with` adds what it names, and what comes unasked. */
export function additionsIn(without: Observation, added: Observation, parts: string[]): Remark[] {
	if (added.failure) return [];
	if (!added.rows.length) return [{ text: 'The account has no contacts' }];
	const isIn = (rows: IDataObject[], part: string) => rows.some((row) => row[part] !== undefined);
	return parts.map((part) => {
		if (!isIn(added.rows, part)) return { text: `\`with\` does not add ${part}`, differs: true };
		return { text: `${part} come ${isIn(without.rows, part) ? 'without being asked for' : 'with `with`'}` };
	});
}

/** In which of the two ways the service writes variables. */
export function variablesIn({ failure, rows, hasPages }: Observation): Remark[] {
	const [variable] = rows;
	if (failure) return [];
	if (!variable) return [{ text: 'This contact has no variables' }];
	return [
		{ text: `The name of a variable is in ${variable.name === undefined ? '`variable`' : '`name`'}` },
		{ text: `\`deletable\` ${variable.deletable === undefined ? 'is missing' : 'comes'}` },
		{ text: `Variables have ${hasPages ? '' : 'no '}pages` },
	];
}

/** Whether the values of items are beside their IDs. @param slugs of the list */
export function valuesIn({ rows }: Observation, slugs: string[]): Remark[] {
	if (!rows.length) return [{ text: 'The list is empty' }];
	return slugs.some((slug) => rows.some((row) => slug in row))
		? []
		: [{ text: 'The values of an item are not beside its ID', differs: true }];
}

/** Whether the service filters. @param own found by its own value, if an item has one @param none found by a value that no item has */
export function filtersOf(
	item: IDataObject | undefined,
	own: Observation | undefined,
	none: Observation,
): Remark[] {
	if (none.failure || own?.failure) return [];
	if (none.rows.length) return [{ text: 'The service ignores the filter', differs: true }];
	if (!item || !own) return [{ text: 'No item has a text to filter by' }];
	return own.rows.some(({ id }) => id === item.id)
		? [{ text: 'The filter works' }]
		: [{ text: 'The filter does not find an item by its own value', differs: true }];
}
