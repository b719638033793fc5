import { endlessPages } from '../../nodes/ChatbotService/client/failure/failure';
import { startAnswering } from './answering';
import { loadList } from './harness';
import { usual } from './scene';

/*
 * A search of the editor in a long list. It uses up the pace of the account, and the editor starts another one at each pause in typing, and
 * never asks for the rest of one that has found nothing. That messages go first: unit/scheduler.test.ts. What the other lists offer:
 * lists.test.ts.
 */

const parameters = usual('listSchema/get');
const [perPage, last] = [50, 50];

/** Lists with the names «Роза 1» to «Роза 2500», in pages of 50. */
async function startPages() {
	let added = 0;
	const pages = await startAnswering(({ url }) => {
		const page = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
		const numbers = Array.from({ length: perPage }, (_, row) => (page - 1) * perPage + row + 1 - added);
		const data = numbers.map((number) => ({ id: `id${number}`, name: `Роза ${number}` }));
		return { data, meta: { current_page: page, last_page: last } };
	});
	const options = { parameters, credential: pages.credential };
	const search = async (filter: string, page?: string) => {
		const before = pages.targets.length;
		const found = await loadList('searchListSchemas', options, { filter, paginationToken: page });
		const names = found.results.map(({ name }) => name);
		return { names, token: found.paginationToken as string, requests: pages.targets.length - before };
	};
	/** Adds a list before all others. */
	const add = () => void added++;
	return { search, add, targets: pages.targets };
}

/** The first list of a number, and the ten whose number is longer by a digit. */
const startingWith = (number: number) => [
	`Роза ${number}`,
	...Array.from({ length: 10 }, (_, digit) => `Роза ${number}${digit}`),
];

const nothing = (token: string | undefined, requests = 20) => ({ names: [], token, requests });

test('a search goes on when the person scrolls', async () => {
	const { search } = await startPages();
	expect(await search('Роза 1234')).toEqual(nothing('21'));
	expect(await search('Роза 1234', '21')).toEqual({ names: ['Роза 1234'], token: '41', requests: 20 });
});

test('a search goes on when the person types on', async () => {
	const { search, targets } = await startPages();
	expect(await search('Лилия')).toEqual(nothing('21'));
	expect(await search('Лилия ')).toEqual(nothing('41'));
	expect(await search('Лилия белая')).toEqual(nothing(undefined, 10));
	expect([targets.length, new Set(targets).size]).toEqual([last, last]);
	expect(await search('Лилия белая 9')).toEqual(nothing(undefined, 0));
});

test('what was found stays as far as it matches', async () => {
	const { search } = await startPages();
	expect((await search('роза 7')).names).toEqual(startingWith(7));
	expect(await search('роза 70')).toEqual({ names: startingWith(70), token: '16', requests: 13 });
	// Another text begins anew, as does the same one.
	expect((await search('роза 8')).names[0]).toBe('Роза 8');
	expect((await search('роза 8')).requests).toBe(2);
	expect((await search('роза 8 ')).names).toContain('Роза 80');
	expect((await search('')).names).toHaveLength(perPage);
});

test('a list that moves to the next page comes once', async () => {
	const { search, add } = await startPages();
	expect((await search('')).names.at(-1)).toBe('Роза 50');
	add();
	expect((await search('Роза 50')).names).toEqual(startingWith(50));
});

test('a search begins anew after a minute', async () => {
	const { search, targets } = await startPages();
	const time = jest.spyOn(Date, 'now');
	try {
		await search('');
		const after = async (ms: number, text: string) => {
			time.mockReturnValue(Date.now() + ms);
			return (await search(text)).token;
		};
		expect(await after(50_000, 'Лилия')).toBe('22');
		expect(await after(50_000, 'Лилия б')).toBe('42');
		expect(await after(70_000, 'Лилия бе')).toBe('21');
		// Beside a broadcast, each page takes four seconds.
		const begun = Date.now();
		time.mockImplementation(() => begun + 4000 * targets.length);
		expect((await search('Хризантема')).token).toBe('21');
		expect((await search('Хризантема ')).token).toBe('41');
	} finally {
		time.mockRestore();
	}
});

test('a search ends when another one begins', async () => {
	const { search, targets } = await startPages();
	const found = await Promise.all(['р', 'рр', 'ррр', 'рр', 'щ', ''].map(async (text) => await search(text)));
	const ended = found.map(({ token }) => Number(token));
	expect(ended.slice(0, 4).every((page) => page <= 2)).toBe(true);
	expect(ended.slice(4)).toEqual([21, 2]);
	expect(targets.length).toBeLessThanOrEqual(20 + 1 + 4);
});

/* Only the service says which page is the last: test/unit/pages.test.ts. */
test('pages that never end are an error', async () => {
	const page = { data: [{ id: 1 }], meta: { current_page: 1, last_page: 9000 } };
	const { credential } = await startAnswering(() => page);
	// A search reads page after page, until it has found enough.
	const search = loadList('searchListSchemas', { parameters, credential }, { filter: 'ничего' });
	await expect(search).rejects.toMatchObject({ message: endlessPages('').message });
});
