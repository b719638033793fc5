import type { INodeProperties, INodePropertyCollection, INodePropertyRouting } from 'n8n-workflow';

import type { Field, Operation, Resource } from '../resources/operation';

/* A field that several operations share becomes one property, so that it keeps its value when the user switches the operation. */

/**
 * The properties of the node: Resource, an Operation parameter for each resource, and every field once.
 *
 * @param resources in the order of the Resource parameter
 * @param routing for all operations; belongs to Resource, the only parameter that n8n always reads
 */
export function describeResources(resources: Resource[], routing: INodePropertyRouting): INodeProperties[] {
	const fields = resources
		.flatMap(({ operations }) => operations)
		.reduce<Field[]>((known, operation) => merged(known, operation.fields), []);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ option }) => option),
			default: 'message',
			routing,
		},
		...resources.map(operationParameter),
		...fields.map((field) => propertyFor(field, resources)),
	];
}

/** Adds new fields in the order of an operation: each after the shared field before it. */
function merged(known: Field[], fields: Field[]): Field[] {
	const order = [...known];
	let position = 0;
	for (const field of fields) {
		const found = order.indexOf(field);
		if (found < 0) order.splice(position, 0, field);
		position = (found < 0 ? position : found) + 1;
	}
	return order;
}

function propertyFor(field: Field, all: Resource[]): INodeProperties {
	const isUsed = ({ fields }: Operation) => fields.includes(field);
	const resources = all.filter(({ operations }) => operations.some(isUsed)).map(({ option }) => option.value);
	const operations = all.flatMap((resource) => resource.operations.filter(isUsed));
	const show = { resource: resources, operation: unique(operations.map(({ option }) => option.value)) };
	return {
		...propertyOf(field, unique(operations.map(({ place }) => place))),
		displayOptions: { show: { ...show, ...field.displayOptions?.show } },
	};
}

const unique = <Value>(values: Value[]) => [...new Set(values)];

/**
 * The property for n8n, without the attributes that only this node reads.
 *
 * `routing` names the query or the body if it is the same for all operations. n8n never sends the request that it builds from
 * `routing`; the operation's `place` decides.
 */
function propertyOf(
	{
		kind: _kind,
		names: _names,
		variantFor: _variantFor,
		compose: _compose,
		whenEmpty: _whenEmpty,
		whatItIs: _whatItIs,
		...property
	}: Field,
	places: Array<Operation['place']>,
): INodeProperties {
	const { routing, type, options } = property;
	const inside = (fields: unknown) => (fields as Field[]).map((field) => propertyOf(field, places));
	return {
		...property,
		...(routing?.send && {
			routing: { send: { ...routing.send, ...(places.length === 1 && { type: places[0] }) } },
		}),
		...(type === 'collection' && { options: inside(options) }),
		...(type === 'fixedCollection' && {
			options: (options as INodePropertyCollection[]).map((group) => ({
				...group,
				values: inside(group.values),
			})),
		}),
	};
}

function operationParameter({ option, operations, defaultOperation }: Resource): INodeProperties {
	const chosen = defaultOperation.option.value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [option.value] } },
		options: operations.map((operation) => operation.option),
		default: chosen,
	};
}
