import type { WireParameter } from '../client/http/placement';
import type { FieldReader } from './operation';
import { noFilter } from './problems';

/**
 * The filters of an item that have a value. A model may leave those empty that it fills in itself, but not all filters.
 *
 * @param filters by what, and the value that was read @param label of the parameter that contains them
 */
export function readFilters<By>(
	{ problems }: FieldReader,
	filters: Array<[By, WireParameter['value']]>,
	label: string,
): Map<By, WireParameter['value']> {
	const wanted = new Map(filters.filter(([, value]) => value !== undefined));
	if (filters.length && !wanted.size && !problems.length) problems.push(noFilter(label));
	return wanted;
}
