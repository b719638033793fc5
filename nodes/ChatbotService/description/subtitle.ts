import { botId } from '../resources/fields';
import { messageOptions } from '../resources/message/options';
import type { Field, Operation, Resource } from '../resources/operation';

/* The line under the node on the canvas. */

/** On the canvas, values from other nodes are not known, and reading them can throw. */
const known = '(name) => { try { return $parameter[name]; } catch (error) { return undefined; } }';

/**
 * The node's subtitle on the canvas, as an expression: the operation and its target, such as "Attach to Contact: VIP". If the
 * target comes from other nodes, the resource takes its place. It also says that a run would be a test.
 */
export function subtitleOf(resources: Resource[]): string {
	// Arrays, because nested objects end in two braces, which end an expression.
	const rows = resources.flatMap(({ option, operations }) =>
		operations.map((operation) => [
			option.value,
			operation.option.value,
			operation.option.name,
			subjectOf(operation),
			option.name,
			testOf(operation),
		]),
	);
	const chosen = `${JSON.stringify(rows)}.find((row) => row[0] === $parameter["resource"] && row[1] === $parameter["operation"])`;
	const test = `(row, options = $parameter["${messageOptions.name}"]) => row[5] && ((options || {})[row[5]] || {}).values ? "TEST RUN " : ""`;
	return `={{ ((row, known, test) => test(row) + row[2] + ": " + (row[3].map(known).find((value) => value) || row[4]))(${chosen}, ${known}, ${test}) }}`;
}

/** Names of the parameters that tell the subject of an operation. Later parameters are more specific. */
const subjectOf = ({ fields, subject }: Operation): string[] =>
	(subject ?? fields.filter(refersTo).reverse()).map(({ name }) => name);

/** Name of the option for a test run, if the operation has one. */
const testOf = ({ broadcast }: Operation): string | undefined => broadcast?.ofRun.testRun.field.name;

/** The ID of a bot tells nobody which bot it is. */
const refersTo = ({ name, target, whatItIs }: Field) =>
	name !== botId.name && (whatItIs !== undefined || target === 'person');
