import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';

/* A page of the documents, as GitHub shows it. */

export const root = resolve(__dirname, '../..');
export const read = (file: string) => readFileSync(join(root, file), 'utf8');

export interface Page {
	text: string;
	headings: string[];
	/** The levels of its headings, the rows and cells of its tables, and its code blocks, in order. */
	shape: string[];
	/** Files of the project that it links to or shows, with the heading in the link. */
	links: Array<{ target: string; anchor: string | undefined }>;
	/** The images among these files. */
	pictures: string[];
	/** Rows of cells; the first row is the header. */
	tables: string[][][];
	commands: string[];
}

const markdown = new MarkdownIt({ html: true });

export function pageOf(file: string): Page {
	const text = read(file);
	const tokens = markdown.parse(text, {});
	const page: Page = { text, headings: [], shape: [], links: [], pictures: [], tables: [], commands: [] };
	const targetOf = (path: string) => (path ? normalize(join(dirname(file), path)) : file);
	const addLink = (tag: string, to: string | number | null | undefined) => {
		const address = decodeURI(String(to ?? ''));
		if (!address || /^(https?|mailto):/.test(address)) return;
		const [path, anchor] = address.split('#') as [string, string | undefined];
		page.links.push({ target: targetOf(path), anchor });
		if (tag !== 'a') page.pictures.push(targetOf(path));
	};
	const html = new Parser({
		onopentag: (tag, { href, src, srcset }) => [href, src, srcset].forEach((to) => addLink(tag, to)),
	});
	tokens.forEach(({ type, tag, info, content, children }, index) => {
		if (/^(heading_open|tr_open|t[hd]_open|fence)$/.test(type)) page.shape.push(tag);
		const opened = tokens[index - 1];
		if (type === 'table_open') page.tables.push([]);
		if (type === 'tr_open') page.tables.at(-1)!.push([]);
		if (type === 'fence' && info === 'sh') page.commands.push(content);
		if (type === 'html_block') html.write(content);
		if (type !== 'inline') return;
		if (opened?.type === 'heading_open') page.headings.push(content);
		if (/^t[hd]_open$/.test(opened?.type ?? '')) page.tables.at(-1)!.at(-1)!.push(content);
		for (const each of children!) {
			if (each.type === 'html_inline') html.write(each.content);
			else addLink(each.tag, each.attrGet('href') ?? each.attrGet('src'));
		}
	});
	return page;
}

/** The rows of the table whose header starts with a word. */
export const tableOf = ({ tables }: Page, first: RegExp): string[][] =>
	tables.find(([head]) => first.test(head![0]!))!.slice(1);

/** Whether a link leads to an existing file and, if it names one, to an existing heading. */
export function leadsSomewhere({ target, anchor }: Page['links'][number]): boolean {
	if (!existsSync(join(root, target))) return false;
	return anchor === undefined || pageOf(target).headings.some((each) => slugOf(each) === anchor);
}

/** The anchor that GitHub creates for a heading. */
const slugOf = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replace(/\s/g, '-');
