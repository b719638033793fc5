/** Pages of a listing, as the framework's paginator builds them: `links` and `meta`. */

import type { Dialect } from './services';
import type { Call } from './exchange';

/**
 * The page that a request asks for. The URLs in `links` repeat its query, the token included, as the framework's do. Some services
 * do not number their pages, or always send the first one.
 */
export function pageOf<T>(all: T[], call: Call, perPage = 50, pages: Dialect['pages'] = 'numbered') {
	const { input, query, url: path } = call;
	const page = pages === 'repeated' ? 1 : Number(input.page ?? 1);
	const last = Math.max(1, Math.ceil(all.length / perPage));
	const start = (page - 1) * perPage;
	const data = all.slice(start, start + perPage);
	if (pages === 'unnumbered' || pages === 'repeated') return { data };
	const link = (number: number) => {
		const search = new URLSearchParams(query as Record<string, string>);
		search.delete('page');
		search.append('page', String(number));
		return `${path}?${search}`;
	};
	const prev = page > 1 ? link(page - 1) : null;
	const next = page < last ? link(page + 1) : null;
	const links = { first: link(1), last: link(last), prev, next };
	const [from, to] = data.length ? [start + 1, start + data.length] : [null, null];
	const meta = { current_page: page, from, last_page: last, path, per_page: perPage, to, total: all.length };
	return { data, links, meta };
}
