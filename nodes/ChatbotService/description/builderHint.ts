import type { Resource } from '../resources/operation';

/*
 * For n8n's AI that builds workflows. It reads the descriptions of the node as types, one for each operation. The hints say what else
 * it needs, such as the output. Older versions of n8n ignore them.
 */

/** For the choice between nodes, and at the top of the types. */
const searchHint = [
	'Use this node instead of HTTP Request for WatBot, CleverApp, OneBot, JetBot and LEADTEX.',
	"It stays within the service's limits by itself: add no Wait or Loop Over Items to slow it down.",
	'Set each filter and option by itself: n8n empties a whole collection that is one expression.',
	'For broadcasts, set On Error to continue with the error output, connect that output, and set the option Send Once Per.',
	'Sending, tagging, setting variables and deleting output only { success: true } or { deleted: true }: read other fields from earlier nodes.',
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
