import type { Expected } from '../client/failure/advice';
import type { Labels } from '../client/http/answer';
import type { Place, WireParameter } from '../client/http/placement';
import type { ServiceRequest } from '../client/http/request';
import { isIdempotent, wireNameOf, type Field, type Operation } from './operation';

/* The request of an operation, and the labels by which errors name its fields. */

/** Where the parameters of an operation travel. */
export const placeOf = ({ option, inQuery }: Operation): Place =>
	inQuery || option.routing.request.method === 'GET' ? 'query' : 'body';

/** @param particulars what depends on the item, or on a list of the editor */
export function requestOf(
	operation: Operation,
	particulars: Pick<ServiceRequest, 'parameters' | 'labels' | 'limits' | 'sending'>,
): ServiceRequest {
	const { parameters, labels, limits, sending } = particulars;
	const { option, inQuery, answer, advice, pageSize, shape, alsoInQuery } = operation;
	return {
		...option.routing.request,
		parameters,
		labels,
		limits,
		sending,
		place: placeOf(operation),
		longInBody: inQuery === 'ifShort',
		alsoInQuery,
		answer,
		pageSize,
		shape,
		idempotent: isIdempotent(operation),
		advice,
	};
}

/** The request of another operation, in the steps of an item. @param values those that are undefined are not sent */
export const requestFor = (
	operation: Operation,
	...values: Array<[Field, WireParameter['value']]>
): ServiceRequest =>
	requestOf(operation, {
		parameters: values
			.filter(([, value]) => value !== undefined)
			.map(([field, value]) => ({ name: wireNameOf(field), value })),
		labels: labelsOf(operation.fields.filter(({ routing }) => routing)),
		limits: {},
	});

/**
 * Labels of the fields that a request may contain. If two have the same name in the API, the first comes first.
 *
 * @param filled the fields that have a value. The others name nothing that must exist, so an error cannot be about them
 */
export const labelsOf = (fields: Field[], filled = fields): Labels => ({
	all: new Map(fields.map((field) => [wireNameOf(field), field.displayName] as const).reverse()),
	expected: filled.flatMap(expectedBy),
	empty: new Set(fields.filter((field) => !filled.includes(field)).map(wireNameOf)),
});

/** What must exist for a request with this field to succeed. */
export const expectedBy = ({ displayName: label, whatItIs }: Field): Expected[] =>
	whatItIs ? [{ label, whatItIs }] : [];
