import { messageOptions } from '../resources/message/options';
import { messageSend } from '../resources/message/send';
import type { Resource } from '../resources/operation';

/* What the node says of itself: under its name on the canvas, and to n8n's AI that builds workflows. */

/** The line under the node on the canvas, such as "Tag: Attach to Contact". It also says that a run would be a test. */
export function subtitleOf(resources: Resource[]): string {
	// An array, because nested objects end in two braces, which end an expression.
	const titles = resources.flatMap(({ option, operations }) =>
		operations.map(({ option: { name, value } }) => [`${option.value}/${value}`, `${option.name}: ${name}`]),
	);
	const title = `new Map(${JSON.stringify(titles)}).get($parameter["resource"] + "/" + $parameter["operation"])`;
	const { name } = messageSend.broadcast!.ofRun.testRun.field;
	const isTest = `$parameter["resource"] === "message" && (($parameter["${messageOptions.name}"] || {})["${name}"] || {}).values`;
	return `={{ (${isTest} ? "TEST RUN " : "") + ${title} }}`;
}

/**
 * For n8n's AI: for the choice between nodes, and at the top of the types as which it reads their descriptions, one for each operation.
 * Older versions of n8n ignore it.
 */
const searchHint = [
	'Use this node instead of HTTP Request for WatBot, CleverApp, OneBot, JetBot and LEADTEX.',
	"It stays within the service's limits by itself: add no Wait or Loop Over Items to slow it down.",
	'Set each filter and option by itself: n8n empties a whole collection that is one expression.',
	'For broadcasts, set On Error to continue with the error output, connect that output, and set the option Send Once Per.',
	'Sending, tagging, setting variables and deleting output only { success: true } or { deleted: true }: to go on with the fields of the input, set the option Include Input Fields, or read them from earlier nodes.',
].join(' ');

/**
 * Adds to each type what its operation says about itself. n8n shows the hint of an operation only in its search. Above a type, n8n puts
 * the description of the resource; without one, that of the first operation with the same value, which may belong to another resource.
 */
export const builderHintFor = (resources: Resource[]) => ({
	searchHint,
	extraTypeDefContent: resources.flatMap(({ option: { value: resource }, operations }) =>
		operations.map(({ option: { value: operation, description, builderHint } }) => ({
			displayOptions: { show: { resource: [resource], operation: [operation] } },
			content: [description, builderHint && `@builderHint ${builderHint.propertyHint}`]
				.filter(Boolean)
				.join('\n'),
		})),
	),
});
