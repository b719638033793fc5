import type { INodeProperties, INodePropertyCollection, INodePropertyRouting } from 'n8n-workflow';

import type { Place } from '../client/http/placement';
import { placeOf, type Field, type Resource } from '../resources/operation';

/*
 * Each operation has a property for each of its fields, also for those that it shares with others. A condition names resources and
 * operations apart, so one property for `contact/delete` and `contactVariable/upsert` would show in `contact/upsert` too. The value
 * stays when the user switches the operation, because n8n keeps values by name.
 */

/**
 * The properties of the node: Resource, an Operation parameter for each resource, and the fields of each operation.
 *
 * @param resources in the order of the Resource parameter
 * @param routing for all operations; belongs to Resource, the only parameter that n8n always reads
 */
export function describeResources(resources: Resource[], routing: INodePropertyRouting): INodeProperties[] {
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
		...resources.flatMap(fieldsOf),
	];
}

const fieldsOf = ({ option: { value: resource }, operations }: Resource): INodeProperties[] =>
	operations.flatMap((operation) => {
		const show = { resource: [resource], operation: [operation.option.value] };
		return operation.fields.map((field) => ({
			...propertyOf(field, placeOf(operation)),
			displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
		}));
	});

/**
 * The property for n8n, without the attributes that only this node reads.
 *
 * n8n never sends the request that it builds from `routing`; `placeOf` decides.
 */
function propertyOf(
	{
		kind: _kind,
		target: _target,
		variantFor: _variantFor,
		compose: _compose,
		whenEmpty: _whenEmpty,
		whole: _whole,
		whatItIs: _whatItIs,
		...property
	}: Field,
	place: Place,
): INodeProperties {
	const { routing, type, options } = property;
	const inside = (fields: unknown) => (fields as Field[]).map((field) => propertyOf(field, place));
	return {
		...property,
		...(routing && { routing: { send: { ...routing.send, type: place } } }),
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
