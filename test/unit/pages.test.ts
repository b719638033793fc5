import { Pages } from '../../nodes/ChatbotService/client/pages';
import { endlessPages } from '../../nodes/ChatbotService/client/failure';

/* Whether another page follows. Lists that never end, as runs and the editor read them: test/engine/lists.test.ts. */

const rowsOf = (page: number) => [{ id: `${page}-1` }, { id: `${page}-2` }];

/** Reads pages one after the other. @returns the answer about the last one */
const follows = (pages: Pages, ...lasts: number[]) =>
	lasts.map((last) => pages.follows(rowsOf(pages.next), { current: pages.next, last })).at(-1);

const failure = { failure: expect.objectContaining({ message: endlessPages('').message }) as unknown };

test('no page follows without page numbers, without rows or after the last page', () => {
	expect(new Pages().follows(rowsOf(1), undefined)).toBe(false);
	expect(new Pages().follows([], { current: 1, last: 3 })).toBe(false);
	expect(follows(new Pages(), 1)).toBe(false);
	expect(follows(new Pages(), 2, 2)).toBe(false);
	expect(follows(new Pages(), 2)).toBe(true);
});

test.each([
	['by ten pages', 3, 13],
	['to twice its length', 20, 40],
])('a list may grow %s while it is read, and no more', (_, first, most) => {
	expect(follows(new Pages(), first, most)).toBe(true);
	expect(follows(new Pages(), first, most + 1)).toEqual(failure);
	// The limit stays that of the first page.
	expect(follows(new Pages(), first, most, most + 1)).toEqual(failure);
});

test('a list has ten thousand pages at most', () => {
	expect(follows(new Pages(), 10_000)).toBe(true);
	expect(follows(new Pages(), 10_001)).toEqual(failure);
});

test('the editor continues with the next page, the limit and the latest page, in a token that stays short', () => {
	const pages = new Pages();
	follows(pages, 9, 9);
	const continued = new Pages(pages.token);
	expect(continued.next).toBe(3);
	expect(continued.token).toBe(pages.token);
	expect(continued.token.split(' ')).toHaveLength(3);
	expect(continued.follows(rowsOf(2), { current: 3, last: 9 })).toEqual(failure);
	expect(follows(new Pages(pages.token), 20)).toEqual(failure);
});

test('rows that are nested too deeply for JSON are read', () => {
	let deep = {};
	for (let level = 0; level < 100_000; level++) deep = { deep };
	const pages = new Pages();
	expect(pages.follows([deep], { current: 1, last: 9 })).toBe(true);
	expect(pages.follows([deep], { current: 2, last: 9 })).toBe(true);
});
