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

test('a list may grow while it is read', () => {
	expect(follows(new Pages(), 3, 40, 41)).toBe(true);
});

test('a list has ten thousand pages at most', () => {
	expect(follows(new Pages(), 10_000)).toBe(true);
	expect(follows(new Pages(), 10_001)).toEqual(failure);
	expect(follows(new Pages(), 3, 10_001)).toEqual(failure);
});

test('pages that repeat the same rows under correct numbers end with the list', () => {
	const pages = new Pages();
	while (pages.follows(['а'], { current: pages.next, last: 10_000 }) === true)
		expect(pages.next).toBeLessThanOrEqual(10_000);
	expect(pages.next).toBe(10_000);
});

test('pages of which each reports one more end after ten thousand', () => {
	const pages = new Pages();
	let last = 2;
	while (pages.follows(rowsOf(pages.next), { current: pages.next, last }) === true) last++;
	expect(last).toBe(10_001);
});

test('the editor continues with the page after those that it has read', () => {
	const pages = new Pages(3);
	expect(pages.follows(rowsOf(2), { current: 2, last: 9 })).toEqual(failure);
	expect(pages.follows(rowsOf(3), { current: 3, last: 9 })).toBe(true);
	expect(pages.next).toBe(4);
});
