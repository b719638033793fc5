import { startAnswering } from './answering';
import { credentialFor, loadList } from './harness';

/*
 * A search of the editor in a long list uses up the pace of the account, and the editor starts another one at each pause in typing. That
 * messages go first: unit/scheduler.test.ts. What the other lists offer: lists.test.ts.
 */

const parameters = { resource: 'listSchema', operation: 'get' };

const startPages = async () =>
	await startAnswering(({ url }) => {
		const page = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
		const rows = Array.from({ length: 50 }, (_, row) => ({ id: `${page}-${row}`, name: `Роза ${page}` }));
		return { data: rows, meta: { current_page: page, last_page: 100 } };
	});

test('ends after some pages, and goes on where it has ended', async () => {
	const pages = await startPages();
	const search = async (paginationToken?: string) =>
		await loadList(
			'searchListSchemas',
			{ parameters, credential: credentialFor(pages) },
			{ filter: 'роза 25', paginationToken },
		);
	let found = await search();
	for (const requests of [10, 20]) {
		expect([found.results, pages.targets.length]).toEqual([[], requests]);
		found = await search(found.paginationToken as string);
	}
	expect([found.results.length, found.paginationToken, pages.targets.length]).toEqual([50, '26', 25]);
});

test('ends as soon as a newer one begins, with a token that goes on', async () => {
	const pages = await startPages();
	const ofAccount = { parameters, credential: credentialFor(pages) };
	const found = await Promise.all(
		['ж', 'жа', 'жас'].map(async (filter) => await loadList('searchListSchemas', ofAccount, { filter })),
	);
	expect(found.map(({ paginationToken }) => paginationToken)).toEqual(['2', '2', '11']);
	expect(pages.targets).toHaveLength(12);
});
