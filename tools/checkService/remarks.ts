import type { IDataObject } from 'n8n-workflow';

import type { Observation, Remark } from './observer';

/* What docs/openapi.yaml says in words, or leaves open: pages, `with`, how variables are written, refusals. */

const isObject = (value: unknown): value is IDataObject => typeof value === 'object' && value !== null;

/** Whether the service refuses what is wrong, and whether with a status of its own. */
export function refusalOf({ title, failure, answers }: Observation): Remark[] {
	const isMarked = answers.some(({ status }) => status >= 400);
	if (!failure)
		return [{ text: `The service accepts ${title.charAt(0).toLowerCase()}${title.slice(1)}`, differs: true }];
	return isMarked ? [] : [{ text: 'The service refuses this with a status of success' }];
}

/** Whether the service turns pages. @param rows that were requested for each page */
export function pagesOf(first: Observation, second: Observation, rows: number): Remark[] {
	const remarks: Remark[] = [{ text: `Pages have ${isObject(first.body?.meta) ? '' : 'no '}numbers` }];
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
	if (!added.rows.length) return [{ text: 'The account has no contacts' }];
	const isIn = (rows: IDataObject[], part: string) => rows.some((row) => row[part] !== undefined);
	return parts.map((part) => {
		if (!isIn(added.rows, part)) return { text: `\`with\` does not add ${part}`, differs: true };
		return { text: `${part} come ${isIn(without.rows, part) ? 'without being asked for' : 'with `with`'}` };
	});
}

/** @param page of the same list without the filter @param found what a filter finds that no item matches */
export function filterOf(page: Observation, found: Observation): Remark[] {
	if (!page.rows.length) return [{ text: 'The list is empty' }];
	return found.rows.length
		? [{ text: 'The service ignores the filter', differs: true }]
		: [{ text: 'The filter works' }];
}

/** In which of the two ways the service writes variables. */
export function variablesIn({ rows, body }: Observation): Remark[] {
	const [variable] = rows;
	if (!variable) return [{ text: 'This contact has no variables' }];
	const isNested = variable.name === undefined && isObject(variable.variable);
	return [
		{ text: `The name of a variable is in ${isNested ? '`variable`' : '`name`'}` },
		{ text: `\`deletable\` ${variable.deletable === undefined ? 'is missing' : 'comes'}` },
		{ text: `Variables have ${body?.meta ? '' : 'no '}pages` },
	];
}
