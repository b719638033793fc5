import type { Labels } from '../client/answer';
import type { ServiceRequest } from '../client/request';
import type { Expected } from '../client/advice';
import { expectedBy, type Field, type Operation } from './operation';

/** @param particulars what depends on the item, or on a list of the editor */
export function requestOf(
	{ option, place, answer, idempotent = false, longInBody = false, advice, pageSize, shape }: Operation,
	particulars: Pick<ServiceRequest, 'parameters' | 'labels' | 'limits' | 'sending' | 'selection'>,
): ServiceRequest {
	const { parameters, labels, limits, sending, selection } = particulars;
	return {
		...option.routing.request,
		...{ parameters, place, longInBody, sending },
		...{ answer, labels, pageSize, shape, selection },
		...{ idempotent, limits, advice },
	};
}

/** Labels of the fields that a request of the operation may contain. If two have the same name in the API, the first comes first. */
export const labelsOf = (operation: Operation, fields: Field[]): Labels => ({
	all: new Map(
		fields.map(({ routing, displayName }) => [routing!.send.property, displayName] as const).reverse(),
	),
	expected: expectedIn(operation, fields),
	empty: new Set(),
});

/** What must exist in the service for a request with these fields to succeed. */
export const expectedIn = ({ creates }: Operation, fields: Field[]): Expected[] =>
	fields.filter((field) => field !== creates).flatMap(expectedBy);
