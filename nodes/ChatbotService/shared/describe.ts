import type { INodeProperties, INodePropertyRouting } from 'n8n-workflow';

import type { Operation, Resource } from './operation';

/*
 * n8n visits every property of a description for every item, shown or not: a hundred hidden ones make a run of a
 * thousand items half as slow again. So a field that several operations share becomes one property, shown for all of them.
 */

interface Use {
	resources: Set<string>;
	operations: Set<string>;
}

/**
 * The properties of the node: Resource, an Operation parameter for each resource, and every field once.
 *
 * @param resources in the order of the Resource parameter
 * @param routing what holds for every operation
 */
export function describeResources(resources: Resource[], routing: INodePropertyRouting): INodeProperties[] {
	const uses = new Map<INodeProperties, Use>();
	for (const resource of resources) {
		for (const operation of resource.operations) {
			addInOrder(uses, operation.fields);
			for (const field of operation.fields) {
				uses.get(field)!.resources.add(resource.option.value);
				uses.get(field)!.operations.add(operation.option.value);
			}
		}
	}
	return [
		resourceParameter(resources),
		...resources.map((resource) => operationParameter(resource, routing)),
		...[...uses].map(([field, use]) => ({
			...field,
			displayOptions: {
				...field.displayOptions,
				show: {
					resource: [...use.resources],
					operation: [...use.operations],
					...field.displayOptions?.show,
				},
			},
		})),
	];
}

/** Puts new fields where they keep the order of `fields`: each behind the shared field before it. */
function addInOrder(uses: Map<INodeProperties, Use>, fields: INodeProperties[]) {
	const order = [...uses.keys()];
	let position = 0;
	for (const field of fields) {
		const known = order.indexOf(field);
		if (known < 0) order.splice(position, 0, field);
		position = (known < 0 ? position : known) + 1;
	}
	const before = new Map(uses);
	uses.clear();
	for (const field of order) {
		uses.set(field, before.get(field) ?? { resources: new Set(), operations: new Set() });
	}
}

function resourceParameter(resources: Resource[]): INodeProperties {
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ option }) => option),
		default: 'message',
	};
}

function operationParameter(
	{ option, operations, defaultOperation }: Resource,
	routing: INodePropertyRouting,
): INodeProperties {
	const chosen = defaultOperation.option.value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [option.value] } },
		options: operations.map((operation: Operation) => operation.option),
		default: chosen,
		routing,
	};
}
