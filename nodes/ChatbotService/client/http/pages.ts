import type { IDataObject } from 'n8n-workflow';

import type { Page } from './answer';
import type { ServiceRequest } from './request';

/*
 * How runs and the editor's lists read a list: how many rows a page has, and whether another page follows. Each row comes out once.
 * Only the service says which page is the last one, so wrong page numbers could make the node request pages forever.
 */

/** How much of a list is needed. */
export interface Extent {
	/** Number of rows that are enough, whichever they are; all by default. */
	most?: number | undefined;
	/** The first page; 1 by default. */
	first?: number;
}

/** More rows would not fit into the memory of common servers. */
const mostRows = 1_000_000;
/** What counts as the rows of a page if the service decides how many it has. */
const usualSize = 100;

/** Limits that services set for a page are multiples of this number. */
const roundNumber = 5;

export class Pages {
	private readonly ids = new Set<string>();
	/** How many rows the first page has. */
	private usual: number | undefined;
	/** How many rows of a page to request; undefined if the service decides. */
	private readonly size: number | undefined;
	private next: number;

	constructor(
		private readonly list: ServiceRequest,
		{ most = Infinity, first = 1 }: Extent = {},
	) {
		const { pageSize } = list;
		this.size = pageSize && Math.min(pageSize.most, most);
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

	/**
	 * Takes the next page.
	 *
	 * @returns its new rows, and the number of the page that follows, if any. Without rows, why the list cannot be read to its end: the
	 * rows of a first page with a wrong number are right
	 */
	take(page: Page): { rows?: IDataObject[]; next?: number | undefined; endless?: string } {
		const { shape } = this.list;
		const isFirst = this.next === 1;
		// When records are added meanwhile, others move to the page after.
		const fresh = page.rows.filter((row) => this.isNew(row));
		const follows = this.followsAfter(page, fresh);
		if (typeof follows === 'string' && !isFirst) return { endless: follows };
		const rows = shape ? fresh.map(shape) : fresh;
		if (typeof follows === 'string') return { rows, endless: follows };
		return { rows, next: follows ? this.next : undefined };
	}

	private isNew({ id }: IDataObject): boolean {
		const { size } = this.ids;
		return !id || this.ids.add(String(id)).size > size;
	}

	/** Whether another page follows, or a sentence that says why the list cannot be read to its end. */
	private followsAfter({ rows, page: numbers }: Page, fresh: IDataObject[]): boolean | string {
		const { next, size, list } = this;
		if (list.onlyFirstPage) return false;
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
