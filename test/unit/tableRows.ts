/** Rows of a table that differ only in their first value. */
export const rows = <First, Rest extends unknown[]>(
	values: First[],
	...rest: Rest
): Array<[First, ...Rest]> => values.map((value) => [value, ...rest]);
