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

test('pages that repeat the same rows under correct numbers end with the list', () => {
	const pages = new Pages();
	while (pages.follows(['а'], { current: pages.next, last: 10_000 }) === true)
		expect(pages.next).toBeLessThanOrEqual(10_000);
	expect(pages.next).toBe(10_000);
});

test('the editor continues with the page after those that it has read', () => {
	const pages = new Pages(3);
	expect(pages.follows(rowsOf(2), { current: 2, last: 9 })).toEqual(failure);
	expect(pages.follows(rowsOf(3), { current: 3, last: 9 })).toBe(true);
	expect(pages.next).toBe(4);
});
