import type { WireParameter } from '../client/http/placement';
import type { Field, FieldReader, PlacedField } from './operation';
import { noFilter } from './problems';

/**
 * The values of the filters that an item has. A model may leave those empty that it fills in itself, but not all filters.
 *
 * @param label of the parameter that contains the filters
 */
export function readFilters(
	values: FieldReader,
	filters: PlacedField[],
	label: string,
): Map<Field, WireParameter['value']> {
	const wanted = new Map<Field, WireParameter['value']>();
	for (const { field, path } of filters) {
		const value = field.compose ? field.compose(values) : values.readCondition(field, path);
		if (value !== undefined) wanted.set(field, value);
	}
	const { problems } = values;
	if (filters.length && !wanted.size && !problems.length) problems.push(noFilter(label));
	return wanted;
}
