import type { Field, Operation, Resource } from '../resources/operation';

/** A value that other nodes yield is not known on the canvas, and asking for it can throw. */
const known = '(name) => { try { return $parameter[name]; } catch (error) { return undefined; } }';

/**
 * The line under the node on the canvas, as an expression: the operation and its target, such as "Attach to Contact: VIP",
 * or the resource where the target comes from other nodes.
 */
export function subtitleOf(resources: Resource[]): string {
	// Arrays, because an object within an object ends in the two braces that end an expression.
	const rows = resources.flatMap(({ option, operations }) =>
		operations.map((operation) => [
			option.value,
			operation.option.value,
			operation.option.name,
			tellingOf(operation),
			option.name,
		]),
	);
	const chosen = `${JSON.stringify(rows)}.find((row) => row[0] === $parameter["resource"] && row[1] === $parameter["operation"])`;
	return `={{ ((row, known) => row[2] + ": " + (row[3].map(known).find((value) => value) || row[4]))(${chosen}, ${known}) }}`;
}

/** Parameters that tell what the operation is about, the most telling first: what comes about by it, then what it needs, the last first. */
function tellingOf({ fields }: Operation): string[] {
	const naming = (...what: Array<Field['names']>) =>
		fields.flatMap(({ name, names }) => (what.includes(names) ? [name] : [])).reverse();
	return [...naming('new'), ...naming('existing', 'target', 'person')];
}
