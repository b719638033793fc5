import type { IDataObject } from 'n8n-workflow';

import type { Labels } from '../client/http/answer';
import type { ServiceRequest } from '../client/http/request';
import { expectedBy, isIdempotent, placeOf, type Field, type Operation } from './operation';

/* The request of an operation, and the labels by which errors name its fields. */

/** @param particulars what depends on the item, or on a list of the editor */
export function requestOf(
	operation: Operation,
	particulars: Pick<ServiceRequest, 'parameters' | 'labels' | 'limits' | 'sending'>,
): ServiceRequest {
	const { option, inQuery, answer, advice, pageSize, shape, alsoInQuery } = operation;
	const { parameters, labels, limits, sending } = particulars;
	return {
		...option.routing.request,
		...{ parameters, place: placeOf(operation), longInBody: inQuery === 'ifShort', alsoInQuery, sending },
		...{ answer, labels, pageSize, shape },
		...{ idempotent: isIdempotent(operation), limits, advice },
	};
}

/** The request of another operation, in the steps of an item. @param values by wire name; those that are undefined are not sent */
export const requestFor = (operation: Operation, values: IDataObject): ServiceRequest =>
	requestOf(operation, {
		parameters: Object.entries(values)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => ({ name, value })),
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

const wireNameOf = ({ routing }: Field) => routing!.send.property;
