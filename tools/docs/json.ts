const width = 120;

/**
 * JSON for people: what fits into a line is on one line, and in what does not, short values share lines. So a node of a workflow is a
 * few lines.
 */
export const compactJson = (value: unknown): string => `${written(value, '', 0)}\n`;

/** @param used characters of the first line that are taken already, besides the indentation */
function written(value: unknown, indentation: string, used: number): string {
	const onOneLine = flat(value);
	if (!isNested(value) || indentation.length + used + onOneLine.length <= width) return onOneLine;
	const within = `${indentation}  `;
	const parts = Array.isArray(value)
		? value.map((each) => written(each, within, 0))
		: Object.entries(value).map(([key, each]) => {
				const name = `${JSON.stringify(key)}: `;
				return name + written(each, within, name.length);
			});
	const lines = parts.reduce<string[]>((before, part) => {
		const joined = `${before.at(-1)}, ${part}`;
		const fits = before.length > 0 && !joined.includes('\n') && within.length + joined.length < width;
		return fits ? [...before.slice(0, -1), joined] : [...before, part];
	}, []);
	const [open, close] = Array.isArray(value) ? '[]' : '{}';
	return `${open}\n${within}${lines.join(`,\n${within}`)}\n${indentation}${close}`;
}

/** In JSON, line ends are only between values: those in texts are escaped. */
const flat = (value: unknown): string =>
	JSON.stringify(value, null, 1)
		.replace(/(?<=\[)\n *|\n *(?=\])/g, '')
		.replace(/\n */g, ' ');

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
