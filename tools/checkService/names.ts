import { readOperations } from '../../sandbox/emulator/document';
import type { Observation } from './observer';

/*
 * Which names of an answer may be shown. Some are made by people: the slugs of a list, or, at a service that differs, the names of
 * variables and tags.
 */

/** @returns the name of a property as it may be shown */
export function nameIn(calls: Observation[]): (name: string) => string {
	const documented = namesIn(readOperations());
	const ofPeople = new Set(
		calls.flatMap(({ endpoint, body, rows }) => [
			...textsIn(body),
			// The fields of a list, by which also the values of its items are named.
			...rows.flatMap((row) => Object.keys(endpoint === 'getListItems' ? row : Object(row.fields))),
		]),
	);
	return (name) => {
		if (/^\d*$/.test(name)) return name && '*';
		if (documented.has(name)) return name;
		// As programmers name properties.
		return /^[a-z]+(?:_[a-z]+)*$/.test(name) && !ofPeople.has(name) ? name : '…';
	};
}

/** The names of all properties in a description. */
function namesIn(description: unknown, names = new Set<string>()): Set<string> {
	if (!isTree(description)) return names;
	if (isTree(description.properties)) for (const name of Object.keys(description.properties)) names.add(name);
	for (const part of Object.values(description)) namesIn(part, names);
	return names;
}

const textsIn = (value: unknown): string[] =>
	isTree(value) ? Object.values(value).flatMap(textsIn) : [String(value)];

const isTree = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;
