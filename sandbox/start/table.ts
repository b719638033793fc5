import markdownTable from 'markdown-table';

/** Lays rows out in columns, so that they can be read in a terminal. */
export function formatTable(headings: string[], rows: string[][], widest = 60): string {
	return markdownTable([headings, ...rows].map((row) => row.map((text) => shorten(text, widest))));
}

function shorten(text: string, widest: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > widest ? `${line.slice(0, widest - 1)}…` : line;
}
