import type { INodeProperties, INodePropertyRouting } from 'n8n-workflow';

import type { Field, Operation, Resource } from '../resources/operation';

/*
 * A field that several operations share becomes one property, shown for all of them, so that its value stays when the operation
 * is switched. Where it travels in the query of some and in the body of others it becomes two, of the same name.
 */

type Place = Operation['place'];

interface Use {
	resources: Set<string>;
	operations: Set<string>;
}

/** Uses of a field by the place in which it travels; those of a field that does not travel are all in one. */
type Uses = Map<Place | undefined, Use>;

/**
 * The properties of the node: Resource, an Operation parameter for each resource, and every field once for each place.
 *
 * @param resources in the order of the Resource parameter
 * @param routing what holds for every operation; it is that of the Resource parameter, the only one that n8n always reads
 */
export function describeResources(resources: Resource[], routing: INodePropertyRouting): INodeProperties[] {
	const fields = new Map<Field, Uses>();
	for (const resource of resources) {
		for (const operation of resource.operations) {
			addInOrder(fields, operation.fields);
			for (const field of operation.fields) addUse(fields.get(field)!, field, resource, operation);
		}
	}
	return [
		resourceParameter(resources, routing),
		...resources.map(operationParameter),
		...[...fields].flatMap(([field, uses]) =>
			[...uses].map(([place, use]) => ({
				...propertyOf(field, place),
				displayOptions: {
					show: {
						resource: [...use.resources],
						operation: [...use.operations],
						...field.displayOptions?.show,
					},
				},
			})),
		),
	];
}

/** Puts new fields where they keep the order of an operation: each behind the shared field before it. */
function addInOrder(known: Map<Field, Uses>, fields: Field[]) {
	const order = [...known.keys()];
	let position = 0;
	for (const field of fields) {
		const found = order.indexOf(field);
		if (found < 0) order.splice(position, 0, field);
		position = (found < 0 ? position : found) + 1;
	}
	const before = new Map(known);
	known.clear();
	for (const field of order) known.set(field, before.get(field) ?? new Map());
}

function addUse(uses: Uses, field: Field, resource: Resource, operation: Operation) {
	const place = travels(field) ? operation.place : undefined;
	const use = uses.get(place) ?? { resources: new Set(), operations: new Set() };
	uses.set(place, use);
	use.resources.add(resource.option.value);
	use.operations.add(operation.option.value);
}

const travels = ({ routing, options }: Field): boolean =>
	routing?.send !== undefined ||
	(options ?? []).some((option) => 'type' in option && travels(option as Field));

/** The property that the editor shows of a field, without what is only for us, and with the place in which it travels. */
function propertyOf(
	{ kind: _kind, names: _names, whatItIs: _whatItIs, ...property }: Field,
	place: Place | undefined,
): INodeProperties {
	const { routing, type, options } = property;
	return {
		...property,
		...(routing?.send && { routing: { send: { ...routing.send, type: place } } }),
		...(type === 'collection' && { options: options?.map((option) => propertyOf(option as Field, place)) }),
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
