import type { IDataObject } from 'n8n-workflow';

import type { ReadAnswer } from './answer';
import { endlessPages } from '../failure/failure';
import type { ServiceRequest } from './request';
import type { Result } from '../failure/result';

/*
 * How runs and the editor's lists read a list: how many rows a page has, which rows are wanted, whether another page follows. Each row
 * comes out once. Only the service says which page is the last one, so wrong page numbers could make the node request pages forever.
 */

/** The rows of a page, and its number if the service numbers its pages. */
export type Page = Extract<ReadAnswer, { rows: IDataObject[] }>;

/** Which part of a list is needed. */
export interface Part {
	/** Number of rows that come out. */
	most?: number | undefined;
	/** Number of rows after which no further page is needed; `most` by default. */
	enough?: number;
	/** The first page; 1 by default. */
	first?: number;
	/** Asked after each page: whether what was found so far is enough. */
	ends?: () => boolean;
}

/** More rows would not fit into the memory of common servers. */
const mostRows = 1_000_000;
/** What counts as the rows of a page if the service decides how many it has. */
const usualSize = 100;

/** Limits that services set for a page are multiples of this number. */
const roundNumber = 5;

export class Pages {
	private readonly rows: IDataObject[] = [];
	private readonly ids = new Set<string>();
	private read = 0;
	/** How many rows the first page has. */
	private usual: number | undefined;
	/** How many rows of a page to request; undefined if the service decides. */
	private readonly size: number | undefined;
	private readonly part: Required<Part>;
	private next: number;

	constructor(
		private readonly list: ServiceRequest,
		{ most = Infinity, enough = most, first = 1, ends = () => false }: Part = {},
	) {
		const { pageSize, selection } = list;
		// If only some rows are wanted, full pages contain enough of them with the fewest requests.
		const isSparse = selection?.wants && !selection.isServed;
		this.size = pageSize && (isSparse ? pageSize.most : Math.min(pageSize.most, enough));
		this.part = { most, enough, first, ends };
		this.next = first;
	}

	/** The request of the next page. The first page needs no number. */
	get request(): ServiceRequest {
		const { list, next, size } = this;
		const parameters = [...list.parameters];
		const add = (name: string, value: number) => parameters.push({ name, value });
		if (size) add(list.pageSize!.name, size);
		if (next > 1) add('page', next);
		return { ...list, parameters };
	}

	/** Takes the next page. @returns the result; undefined if another page is needed */
	take(page: Page): Result | undefined {
		const { shape, selection } = this.list;
		const { most, enough, ends } = this.part;
		// When records are added meanwhile, others move to the page after.
		const fresh = page.rows.filter((row) => this.isNew(row));
		const found = shape ? fresh.map(shape) : fresh;
		const refusal = selection?.refuses?.(found);
		if (refusal) return { failure: refusal };
		this.read += found.length;
		for (const row of found) if (selection?.wants?.(row) ?? true) this.rows.push(row);
		const isEnough = ends() || this.rows.length >= enough;
		const isFirst = this.next === 1;
		const follows = this.followsAfter(page, fresh);
		if (follows === true && !isEnough) return undefined;
		// Wrong page numbers do not matter if the first page is enough.
		if (typeof follows === 'string' && !(isFirst && isEnough)) return { failure: endlessPages(follows) };
		return {
			rows: this.rows.slice(0, most),
			next: follows === true ? this.next : undefined,
			notice: selection?.notice?.(this.read, this.rows.length, follows === false),
		};
	}

	private isNew({ id }: IDataObject): boolean {
		const { size } = this.ids;
		return !id || this.ids.add(String(id)).size > size;
	}

	/** Whether another page follows, or a sentence that says why the list cannot be read to its end. */
	private followsAfter({ rows, page: numbers }: Page, fresh: IDataObject[]): boolean | string {
		const { next, size } = this;
		const vain = `Page ${next} contains no other rows than the pages before.`;
		if (numbers) {
			if (numbers.current !== next)
				return `The service returned page ${numbers.current} instead of page ${next}.`;
			if (!rows.length || next >= numbers.last) return false;
			if (!fresh.length) return vain;
		} else {
			this.usual ??= rows.length;
			if (!rows.length || !size) return false;
			// A page with fewer rows than requested is the last one, unless the service has a limit of its own.
			const isShort = rows.length < size;
			if (isShort && (rows.length !== this.usual || rows.length % roundNumber)) return false;
			// Only new IDs show that the service has turned the page.
			if (!fresh.some(({ id }) => id)) return !isShort && vain;
		}
		const mostPages = Math.floor(mostRows / (size ?? usualSize));
		if (Math.max(next + 1, numbers?.last ?? 0) > mostPages)
			return `After page ${next}, the list has more than ${mostPages} pages.`;
		this.next++;
		return true;
	}
}
