import type { WireParameter } from '../client/http/placement';
import type { FieldReader } from './operation';
import { noFilter } from './problems';

/**
 * The values of the filters that an item has. A model may leave those empty that it fills in itself, but not all filters.
 *
 * @param filters by what, and how to read the value @param label of the parameter that contains them
 */
export function readFilters<By>(
	{ problems }: FieldReader,
	filters: Array<readonly [By, () => WireParameter['value']]>,
	label: string,
): Map<By, WireParameter['value']> {
	const read = filters.map(([by, value]) => [by, value()] as const);
	const wanted = new Map(read.filter(([, value]) => value !== undefined));
	if (filters.length && !wanted.size && !problems.length) problems.push(noFilter(label));
	return wanted;
}
