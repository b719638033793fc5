import type { INodeProperties, INodePropertyCollection, INodePropertyRouting } from 'n8n-workflow';

import type { Field, Operation, Resource } from '../resources/operation';

/* A field that several operations share becomes one property, so that it keeps its value when the user switches the operation. */

interface Use {
	resources: Set<string>;
	operations: Set<string>;
	places: Set<Operation['place']>;
}

/**
 * The properties of the node: Resource, an Operation parameter for each resource, and every field once.
 *
 * @param resources in the order of the Resource parameter
 * @param routing for all operations; belongs to Resource, the only parameter that n8n always reads
 */
export function describeResources(resources: Resource[], routing: INodePropertyRouting): INodeProperties[] {
	const uses = new Map<Field, Use>();
	let fields: Field[] = [];
	for (const resource of resources) {
		for (const operation of resource.operations) {
			fields = merged(fields, operation.fields);
			for (const field of operation.fields) addUse(uses, field, resource, operation);
		}
	}
	return [
		resourceParameter(resources, routing),
		...resources.map(operationParameter),
		...fields.map((field) => propertyFor(field, uses.get(field)!)),
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

function addUse(uses: Map<Field, Use>, field: Field, resource: Resource, operation: Operation) {
	const use = uses.get(field) ?? { resources: new Set(), operations: new Set(), places: new Set() };
	uses.set(field, use);
	use.resources.add(resource.option.value);
	use.operations.add(operation.option.value);
	use.places.add(operation.place);
}

function propertyFor(field: Field, { resources, operations, places }: Use): INodeProperties {
	return {
		...propertyOf(field, places),
		displayOptions: {
			show: { resource: [...resources], operation: [...operations], ...field.displayOptions?.show },
		},
	};
}

/**
 * The property for n8n, without the attributes that only this node reads.
 *
 * `routing` names the query or the body if it is the same for all operations. n8n never sends the request that it builds from
 * `routing`; the operation's `place` decides.
 */
function propertyOf(
	{ kind: _kind, names: _names, whatItIs: _whatItIs, ...property }: Field,
	places: Use['places'],
): INodeProperties {
	const { routing, type, options } = property;
	const [place, ...others] = places;
	const inside = (fields: unknown) => (fields as Field[]).map((field) => propertyOf(field, places));
	return {
		...property,
		...(routing?.send && { routing: { send: { ...routing.send, ...(!others.length && { type: place }) } } }),
		...(type === 'collection' && { options: inside(options) }),
		...(type === 'fixedCollection' && {
			options: (options as INodePropertyCollection[]).map((group) => ({
				...group,
				values: inside(group.values),
			})),
		}),
	};
}

function resourceParameter(resources: Resource[], routing: INodePropertyRouting): INodeProperties {
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ option }) => option),
		default: 'message',
		routing,
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
		options: operations.map((operation: Operation) => operation.option),
		default: chosen,
	};
}
