import type { IDataObject } from 'n8n-workflow';

import type { Observation, Remark } from './call';
import { isKnown } from './names';
import type { Session } from './session';

/* What docs/openapi.yaml says in words, or leaves open: refusals, pages, `with`, how variables are written, filters. */

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
export function additionsIn(session: Session, without: Observation, added: Observation): Remark[] {
	if (added.failure || without.failure) return [];
	if (!added.rows.length) return [{ text: 'The account has no contacts' }];
	const isIn = (rows: IDataObject[], part: string) => rows.some((row) => row[part] !== undefined);
	const saying = (part: string) => {
		if (!isIn(added.rows, part)) return `\`with\` does not add ${part}`;
		return `${part} come ${isIn(without.rows, part) ? 'without being asked for' : 'with `with`'}`;
	};
	const said = [saying('tags'), saying('variables')];
	const here = said.join('; ');
	session.found('withAdds', isIn(added.rows, 'tags') && isIn(added.rows, 'variables'), here);
	session.found('unasked', isIn(without.rows, 'variables') && !isIn(added.rows, 'tags'), here);
	return said.map((text) => ({ text }));
}

/** In which of the two ways the service writes variables. */
export function variablesIn(session: Session, { failure, rows, hasPages }: Observation): Remark[] {
	const [variable] = rows;
	if (failure) return [];
	if (!variable) return [{ text: 'This contact has no variables' }];
	const isNamed = variable.name !== undefined;
	const hasDeletable = variable.deletable !== undefined;
	const said = [
		`The name of a variable is in ${isNamed ? '`name`' : '`variable`'}`,
		`\`deletable\` ${hasDeletable ? 'comes' : 'is missing'}`,
		`Variables have ${hasPages ? '' : 'no '}pages`,
	];
	session.found('variablesNamed', isNamed && hasDeletable && !hasPages, said.join('; '));
	session.found('variablesNested', !isNamed && !hasDeletable && hasPages, said.join('; '));
	return said.map((text) => ({ text }));
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
	session: Session,
	item: IDataObject | undefined,
	own: Observation | undefined,
	none: Observation,
): Remark[] {
	if (none.failure || own?.failure) return [];
	const isFound = own?.rows.some(({ id }) => id === item?.id);
	if (none.rows.length) session.found('filtersAll', false, 'a filter is ignored');
	else if (isFound === false)
		session.found('filtersAll', false, 'a filter does not find an item by its own value');
	else if (!own) return [{ text: 'No item has a text to filter by' }];
	return none.rows.length || !isFound ? [] : [{ text: 'The filter works' }];
}

/** Whether the links of pages repeat the token, for a claim. */
export function linksOf({ said }: Observation, token: unknown): [holds: boolean | undefined, here: string] {
	const { first } = (said?.links ?? {}) as { first?: unknown };
	if (typeof first !== 'string') return [undefined, 'there are no links'];
	const isRepeated = decodeURIComponent(first).includes(String(token));
	return [isRepeated, isRepeated ? 'they do' : 'the token is not in them'];
}

/** Whether a success has the form of LEADTEX. @param isUndocumented whether the answer is not documented */
export function formOf(session: Session, { failure, said }: Observation, isUndocumented = true): void {
	if (failure) return;
	const has = (...names: string[]) => names.every((name) => name in (said ?? {}));
	const isWrapped = has('errors', 'message', 'success');
	session.found('wrapped', isWrapped, ['all three come', 'not all of them come']);
	if (isUndocumented) session.found('wrappedData', has('data'), ['it comes', 'no `data`']);
}

/** The parameters that a failed validation names. */
export const parametersRefused = ({ failure, status, said }: Observation): string[] =>
	failure && status === 422 ? Object.keys((said?.errors as object | null) ?? {}) : [];

/** How the service takes a call that it should refuse. */
export const said = ({ failure, status }: Observation): string =>
	failure ? `refused with ${status}` : 'accepted';

export const isRefusal = ({ failure, status }: Observation): boolean =>
	failure !== undefined && status >= 400 && status < 500;

/** How many rows a list has in all; undefined if its pages have no numbers. */
export function totalOf({ said }: Observation): number | undefined {
	const { total } = (said?.meta ?? {}) as { total?: unknown };
	return typeof total === 'number' ? total : undefined;
}

/** The ID of the record in an answer, where the node would look for it. */
export function idIn({ said }: Observation): string | undefined {
	const id = (said?.data as IDataObject | null | undefined)?.id ?? said?.id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** Where in an answer an ID stands, such as `data.id`. Names that are not documented become `…`. */
export const placeIn = ({ said }: Observation, id: string): string | undefined => pathTo(said, id)?.join('.');

function pathTo(value: unknown, id: string): string[] | undefined {
	if (typeof value !== 'object' || value === null) return String(value) === id ? [] : undefined;
	for (const [name, inner] of Object.entries(value)) {
		const path = pathTo(inner, id);
		if (path) return [/^\d+$/.test(name) ? '*' : isKnown(name) ? name : '…', ...path];
	}
	return undefined;
}
