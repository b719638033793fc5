/** Pages of a listing, as the framework's paginator builds them: `links`, `meta`, 50 per page. */

const PER_PAGE = 50;

/** The answer of getListSchemas. */
export type Page<T> = ReturnType<typeof paginate<T>>;

/** The absolute URLs in `links` repeat the query of the request, the token included, as the framework's do. */
export function paginate<T>(all: T[], page: number, path: string, query: Record<string, string | string[]>) {
	const last = Math.max(1, Math.ceil(all.length / PER_PAGE));
	const start = (page - 1) * PER_PAGE;
	const data = all.slice(start, start + PER_PAGE);
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
			per_page: PER_PAGE,
			to: data.length ? start + data.length : null,
			total: all.length,
		},
	};
}
