/** Tables in Markdown, each between two comments of a page. */

export function tableOf(columns: string[], rows: string[][]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** The text of a file with other content between two comments. */
export function between(begin: string, end: string, file: string, text: string, content: string): string {
	const place = new RegExp(`(?<=${begin}\n)[^]*?(?=${end})`);
	if (!place.test(text)) throw new Error(`${file} needs these two lines around a table:\n${begin}\n${end}`);
	return text.replace(place, () => `\n${content}\n\n`);
}
