/** Pages of a listing, as the framework's paginator builds them: `links` and `meta`. */

import type { Dialect } from './dialect';

/** The answer of getListSchemas. */
export type Page<T> = ReturnType<typeof paginate<T>>;

interface Listing {
	page: number;
	perPage?: number;
	path: string;
	query: Record<string, string | string[]>;
}

/** As in the framework, a page that is not a number is the first page. */
export const pageOf = (page: unknown): number => Math.max(1, Math.trunc(Number(page)) || 1);

/** The absolute URLs in `links` repeat the query of the request, the token included, as the framework's do. */
export function paginate<T>(all: T[], { page, perPage = 50, path, query }: Listing) {
	const last = Math.max(1, Math.ceil(all.length / perPage));
	const start = (page - 1) * perPage;
	const data = all.slice(start, start + perPage);
	const link = (number: number) => {
		const search = new URLSearchParams();
		for (const [name, values] of Object.entries(query)) {
			if (name !== 'page') for (const value of [values].flat()) search.append(name, value);
		}
		search.append('page', String(number));
		return `${path}?${search}`;
	};
	return {
		data,
		links: {
			first: link(1),
			last: link(last),
			prev: page > 1 ? link(page - 1) : null,
			next: page < last ? link(page + 1) : null,
		},
		meta: {
			current_page: page,
			from: data.length ? start + 1 : null,
			last_page: last,
			path,
			per_page: perPage,
			to: data.length ? start + data.length : null,
			total: all.length,
		},
	};
}

/** A page of a service that always sends the first one, or does not number them. */
export function paginateAs<T>(pages: Dialect['pages'], all: T[], listing: Listing) {
	const { data, ...numbers } = paginate(all, { ...listing, page: pages === 'repeated' ? 1 : listing.page });
	const isNumbered = pages === 'numbered' || pages === 'shifting';
	return { data, ...(isNumbered && numbers) };
}
