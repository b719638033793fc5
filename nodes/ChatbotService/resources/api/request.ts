import type { WireParameter } from '../../client/http/placement';
import { hasFailed } from '../../client/failure/result';
import type { Failure, Problem } from '../../client/failure/failure';
import type { ServiceRequest } from '../../client/http/request';
import { isEmpty } from '../../shared/values';
import { choiceOf, offSwitch, optional, requiredText } from '../fields';
import { problem, readIn, takingLists, type Kind } from '../kind';
import * as kinds from '../kinds';
import { messageSend } from '../message/send';
import { messageSendToWhatsApp } from '../message/sendToWhatsApp';
import {
	mayBeDone,
	type Field,
	type FieldReader,
	type Operation,
	type WireValues,
	type Steps,
} from '../operation';
import { pairFields, type Pair } from '../pairs';

const method: Field = {
	displayName: 'Method',
	name: 'method',
	...choiceOf([
		{ name: 'GET', value: 'GET', description: 'To read. Without a response, the node repeats the request.' },
		{ name: 'POST', value: 'POST', description: 'To change something. The node never repeats a request.' },
	]),
	noDataExpression: true,
	default: 'GET',
	description: 'The HTTP method, as the documentation of the service says',
	routing: { send: { property: 'method' } },
};

const reads = (sent: WireValues) => sent.of(method) !== 'POST';

/** Endpoints with limits of their own, which only their operations keep. */
const limited = [messageSend, messageSendToWhatsApp];

const endpointOf = ({ option }: Operation) => option.routing.request.url.slice(1);

/** Only a name: the token must go to no other address, and dots and brackets would mean a parameter within another one. */
const nameOf = (what: string, advice: string) =>
	readIn(kinds.trimmedName, (name, value, label) =>
		/^[a-z][\w-]{0,99}$/i.test(name)
			? { value: name }
			: problem(`'${label}' must be the name of ${what}`, advice, value),
	);

const endpointName = readIn(
	nameOf(
		'an endpoint',
		'Enter only its name, such as getReferrals, without the address. Parameters have fields of their own.',
	),
	(name, value, label) => {
		const operation = limited.find((each) => endpointOf(each).toLowerCase() === name.toLowerCase());
		return operation
			? problem(
					`'${label}' names an endpoint that has an operation with limits of its own`,
					`Choose 'Message' as 'Resource', and '${operation.option.name}' as 'Operation'.`,
					value,
				)
			: { value: name };
	},
);

const parameterName = nameOf(
	'a parameter',
	'Enter a name such as contact_id. For a parameter within another one, use JSON.',
);

const endpoint: Field = {
	displayName: 'Endpoint',
	name: 'endpoint',
	...requiredText,
	placeholder: 'e.g. getReferrals',
	description: 'Name of the endpoint, from the documentation of the service',
	routing: { send: { property: 'endpoint' } },
	kind: endpointName,
	whatItIs: 'endpoint with this name',
	// What a request changes is not known, so those of the same endpoint keep the order of their items.
	target: 'part',
};

/** An address carries no empty list or object, and JSON no undefined value: it would be lost. */
const parameterValue: Kind = takingLists((value, ...given) => {
	if (typeof value !== 'object') return kinds.anyValue(value, ...given);
	let isLost = false;
	const written = JSON.stringify(value, (_, each: unknown) => {
		isLost ||= each === undefined;
		return each;
	});
	return isLost || written === '{}' || written === '[]'
		? { value: undefined }
		: kinds.anyValue(value, ...given);
});

const adviceIfEmpty =
	'Without it, the request could concern more than you mean. To leave it out, remove the parameter.';

const label = 'Parameters';

const parameterFields = pairFields({
	parameter: 'parameters',
	label,
	row: 'parameter',
	description: 'Names and values, as the documentation of the service says',
	placeholder: '{ "contact_id": 1048576 }',
	name: { placeholder: 'e.g. contact_id', description: 'Name of the parameter', kind: parameterName },
	value: {
		placeholder: 'e.g. 1048576',
		description: 'Value of the parameter',
		kind: parameterValue,
		adviceIfEmpty,
		mustBeWhole: true,
	},
	isNeeded: false,
	whatItIs: 'record for these parameters',
});

const [, parameters] = parameterFields;

const allPages: Field = {
	displayName: 'Return All',
	name: 'returnAll',
	...offSwitch,
	description:
		'Whether to request all pages of a list or only the first one. With POST, each page is a request of its own, so use it only to read.',
};

function stepsOf(sent: WireValues, values: FieldReader): Steps {
	const isReading = reads(sent);
	const onlyFirstPage = values.read(allPages) !== true;
	const pairs = (sent.of(parameters) ?? []) as Pair[];
	if (!onlyFirstPage && pairs.some(({ name }) => name === 'page')) values.problems.push(withPage);
	for (const path of isReading ? pairs.flatMap(({ name, value }) => emptyIn(value, name)) : [])
		values.check(optional(`${label}: ${path}`, path, parameterValue, { adviceIfEmpty }), undefined, 'needed');
	const request: Partial<ServiceRequest> = {
		url: `/${String(sent.of(endpoint))}`,
		parameters: (isReading ? pairs.map(inQuery) : pairs) as WireParameter[],
		onlyFirstPage,
		...(isReading && reading),
	};
	return async ({ ask, own }) => {
		const result = await ask({ ...own, ...request });
		if (!hasFailed(result) || !isOfEndpoint(result.failure)) return result;
		const first = `Check '${method.displayName}' and '${endpoint.displayName}': services differ in both.`;
		return { failure: { ...result.failure, description: `${first} ${result.failure.description}` } };
	};
}

/** The paths of what is empty in a value, because an address does not carry it. */
function emptyIn(value: unknown, path: string): string[] {
	if (isEmpty(value)) return [path];
	if (typeof value !== 'object' || 'toJSON' in value!) return [];
	const inside = Object.entries(value!);
	return inside.length ? inside.flatMap(([name, each]) => emptyIn(each, `${path}.${name}`)) : [path];
}

const withPage: Problem = {
	message: `'${allPages.displayName}' requests every page`,
	advice: `Remove the parameter 'page', or switch '${allPages.displayName}' off.`,
};

const reading: Partial<ServiceRequest> = {
	method: 'GET',
	place: 'query',
	answer: 'anyData',
	idempotent: true,
	advice: undefined,
};

/** PHP reads the text "false" in an address as yes. */
const inQuery = (pair: Pair): unknown =>
	JSON.parse(JSON.stringify(pair), (_, value: unknown) =>
		typeof value === 'boolean' ? Number(value) : value,
	);

/** Whether the service does not know the endpoint, or not by this method. */
const isOfEndpoint = ({ status, concerns }: Failure) =>
	status === 405 || (status === 404 && concerns !== undefined);

/** Any endpoint for which the node has no operation. */
export const apiRequest: Operation = {
	option: {
		name: 'Send Request',
		value: 'request',
		action: 'Send API request',
		description: 'Use an endpoint for which this node has no operation',
		builderHint: {
			propertyHint:
				"For endpoints that no other operation has. 'endpoint' is only the name, such as getReferrals. Output: one item per element of the response's 'data', or the response as one item.",
		},
		routing: { request: { method: 'POST', url: '={{ "/" + $parameter["endpoint"] }}' } },
	},
	fields: [method, endpoint, ...parameterFields, allPages],
	answer: 'any',
	reads,
	steps: stepsOf,
	advice: mayBeDone('The request may have been processed', 'what it changes in the service'),
};
