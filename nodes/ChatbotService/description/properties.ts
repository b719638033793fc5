import type { INodeProperties, INodePropertyCollection, INodePropertyRouting } from 'n8n-workflow';

import type { Place } from '../client/http/placement';
import type { Field, Resource } from '../resources/operation';
import { placeOf } from '../resources/operationRequest';

/* The properties of the node, from what the operations and their fields say about themselves. */

/**
 * The properties of the node: Resource, an Operation parameter for each resource, the fields of each operation, and
 * Request Options.
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
		requestOptions,
	];
}

/**
 * The operations of a resource share a property for what is the same in them: for each property with a condition, the editor evaluates all
 * expressions of the node. Resources share none: a condition names resources and operations apart, so one property for `contact/delete` and
 * `contactVariable/upsert` would show in `contact/upsert` too. n8n keeps values by name, whichever property shows them.
 */
function fieldsOf({ option: { value: resource }, operations }: Resource): INodeProperties[] {
	const shared: Array<{ property: INodeProperties; key: string; in: string[] }> = [];
	for (const operation of operations) {
		let next = 0;
		for (const field of operation.fields) {
			const property = propertyOf(field, placeOf(operation));
			const key = JSON.stringify(property);
			// Only a later one keeps the order of the fields.
			const known = shared.findIndex((each, index) => index >= next && each.key === key);
			if (known < 0) shared.splice(next++, 0, { property, key, in: [operation.option.value] });
			else {
				shared[known]!.in.push(operation.option.value);
				next = known + 1;
			}
		}
	}
	return shared.map(({ property: { displayOptions, ...property }, in: operation }) => ({
		...property,
		displayOptions: { ...displayOptions, show: { resource: [resource], operation, ...displayOptions?.show } },
	}));
}

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
		adviceIfEmpty: _adviceIfEmpty,
		narrows: _narrows,
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

/**
 * Request Options, with the names and defaults of n8n. n8n adds them to declarative nodes by itself, but not to nodes with a webhook,
 * and saved workflows use them. Without Batching, because the node paces itself: n8n drops a stored value.
 */
const requestOptions: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	isNodeSetting: true,
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Ignore SSL Issues (Insecure)',
			name: 'allowUnauthorizedCerts',
			type: 'boolean',
			noDataExpression: true,
			default: false,
			description: 'Whether to connect even if SSL certificate validation is not possible',
		},
		{
			displayName: 'Proxy',
			name: 'proxy',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://proxy.example.com:3128',
			description:
				'HTTP proxy for the requests. It can contain a user name and a password: http://user:password@proxy.example.com:3128.',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10000,
			description:
				'Longest time in milliseconds to wait for a response from the service. Without this option, it is 60000 for a message, and 300000 otherwise.',
		},
	],
};
