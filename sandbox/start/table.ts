/** Lays rows out in columns as wide as their content, so that they can be read in a terminal. */
export function formatTable(headings: string[], rows: string[][], widest = 60): string {
	const cells = [headings, ...rows].map((row) => row.map((text) => shorten(text, widest)));
	const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
	const lines = cells.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
	lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
	return lines.map((line) => `  ${line}`).join('\n');
}

function shorten(text: string, widest: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > widest ? `${line.slice(0, widest - 1)}…` : line;
}
