import { startAnswering } from './answering';
import { credentialFor, loadList } from './harness';

/*
 * A search of the editor in a long list. It uses up the pace of the account, and the editor starts another one at each pause in typing, and
 * never asks for the rest of one that has found nothing. That messages go first: unit/scheduler.test.ts. What the other lists offer:
 * lists.test.ts.
 */

const parameters = { resource: 'listSchema', operation: 'get' };
const [perPage, last] = [50, 100];

/** Lists with the names «Роза 1» to «Роза 5000», in pages of 50. */
async function startPages() {
	let added = 0;
	const pages = await startAnswering(({ url }) => {
		const page = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
		const numbers = Array.from({ length: perPage }, (_, row) => (page - 1) * perPage + row + 1 - added);
		const data = numbers.map((number) => ({ id: `id${number}`, name: `Роза ${number}` }));
		return { data, meta: { current_page: page, last_page: last } };
	});
	const credential = credentialFor(pages);
	const search = async (filter: string, paginationToken?: string) => {
		const before = pages.targets.length;
		const found = await loadList(
			'searchListSchemas',
			{ parameters, credential },
			{ filter, paginationToken },
		);
		const names = found.results.map(({ name }) => name);
		return {
			names,
			token: found.paginationToken as string | undefined,
			requests: pages.targets.length - before,
		};
	};
	/** Adds a list before all others. */
	const add = () => void added++;
	return { search, add, targets: pages.targets };
}

test('ends after some pages, and goes on where it has ended when the person scrolls', async () => {
	const { search } = await startPages();
	const first = await search('Роза 1234');
	expect(first).toEqual({ names: [], token: '21', requests: 20 });
	const found = { names: ['Роза 1234'], token: '41', requests: 20 };
	expect(await search('Роза 1234', first.token)).toEqual(found);
	expect(await search('Роза 1234 ')).toEqual(found);
});

test.each(['Лилия ', 'Лилия б', 'Лилия белая'])(
	'goes on where it has ended when the person types on, even a blank: %j',
	async (longer) => {
		const { search, targets } = await startPages();
		expect(await search('Лилия')).toEqual({ names: [], token: '21', requests: 20 });
		expect(await search(longer)).toEqual({ names: [], token: '41', requests: 20 });
		for (const end of ['.', '..', '...']) await search(longer + end);
		expect(targets).toHaveLength(last);
		expect(new Set(targets).size).toBe(last);
		// The whole list was read.
		expect(await search(`${longer}....`)).toEqual({ names: [], token: undefined, requests: 0 });
	},
);

test('keeps what it has found when the person types on, as far as it still matches', async () => {
	const { search } = await startPages();
	expect((await search('роза 7')).names).toEqual([
		'Роза 7',
		...Array.from({ length: 10 }, (_, n) => `Роза ${70 + n}`),
	]);
	expect(await search('роза 70')).toEqual({
		names: ['Роза 70', ...Array.from({ length: 10 }, (_, n) => `Роза ${700 + n}`)],
		token: '16',
		requests: 13,
	});
	// Another text begins anew, as does the same one.
	expect((await search('роза 8')).names[0]).toBe('Роза 8');
	expect((await search('роза 8')).requests).toBe(2);
	expect((await search('роза 8 ')).names).toContain('Роза 80');
	expect((await search('')).names).toHaveLength(perPage);
});

test('offers a list once, also if a new one moves it to the next page meanwhile', async () => {
	const { search, add } = await startPages();
	expect((await search('')).names.at(-1)).toBe('Роза 50');
	add();
	expect((await search('Роза 50')).names).toEqual([
		'Роза 50',
		...Array.from({ length: 10 }, (_, n) => `Роза ${500 + n}`),
	]);
});

test('begins anew after a minute, because the list can have changed', async () => {
	const { search, targets } = await startPages();
	const time = jest.spyOn(Date, 'now');
	try {
		await search('');
		time.mockReturnValue(Date.now() + 50_000);
		expect((await search('Лилия')).token).toBe('22');
		time.mockReturnValue(Date.now() + 50_000);
		expect((await search('Лилия б')).token).toBe('42');
		time.mockReturnValue(Date.now() + 70_000);
		expect((await search('Лилия бе')).token).toBe('21');
		// Beside a broadcast, each page takes four seconds.
		const begun = Date.now();
		time.mockImplementation(() => begun + 4000 * targets.length);
		expect((await search('Хризантема')).token).toBe('21');
		expect((await search('Хризантема ')).token).toBe('41');
	} finally {
		time.mockRestore();
	}
});

test('ends as soon as the person searches for something else, but not when a person opens the list', async () => {
	const { search, targets } = await startPages();
	const found = await Promise.all(['р', 'рр', 'ррр', 'рр', 'щ', ''].map(async (text) => await search(text)));
	const ended = found.map(({ token }) => Number(token));
	expect(ended.slice(0, 4).every((page) => page <= 2)).toBe(true);
	expect(ended.slice(4)).toEqual([21, 2]);
	expect(targets.length).toBeLessThanOrEqual(20 + 1 + 4);
});
