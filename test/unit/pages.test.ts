import { endlessPages } from '../../nodes/ChatbotService/client/failure';
import { Pages, type Part } from '../../nodes/ChatbotService/client/pages';
import { list, requestOf } from './clients';

/* Lists that are read page by page. Lists that never end, as runs and the editor read them: test/engine/lists.test.ts. */

const rowsOf = (...ids: Array<number | undefined>) => ids.map((id) => ({ id, name: `Контакт ${id}` }));

const numbered = (current: number, last: number, ...ids: number[]) => ({
	rows: rowsOf(...ids),
	page: { current, last },
});

/** A list whose pages have three rows. */
const sized = requestOf({ ...list, pageSize: { name: 'count', most: 3 } });

const failure = { failure: expect.objectContaining({ message: endlessPages('').message }) as unknown };

/** The result of these pages; undefined if they are not all. */
function read(pages: Array<Parameters<Pages['take']>[0]>, part: Part = {}, request = list) {
	const reading = new Pages(request, part);
	const results = pages.map((page) => reading.take(page));
	expect(results.slice(0, -1).filter(Boolean)).toEqual([]);
	return results.at(-1);
}

const idsIn = (result: ReturnType<typeof read>) =>
	result && 'rows' in result ? result.rows.map(({ id }) => id) : result;

describe('a list with page numbers', () => {
	test('ends after the last page or a page without rows', () => {
		expect(idsIn(read([numbered(1, 1, 1, 2)]))).toEqual([1, 2]);
		expect(idsIn(read([numbered(1, 2, 1, 2), numbered(2, 2, 3)]))).toEqual([1, 2, 3]);
		expect(idsIn(read([numbered(1, 3)]))).toEqual([]);
		expect(read([numbered(1, 2, 1, 2)])).toBeUndefined();
	});

	test('may grow while it is read, and then each row comes out once', () => {
		const pages = [numbered(1, 2, 1, 2), numbered(2, 3, 2, 3), numbered(3, 3, 4)];
		expect(idsIn(read(pages))).toEqual([1, 2, 3, 4]);
	});

	test('may end with a page of rows that were read already', () => {
		expect(idsIn(read([numbered(1, 2, 1, 2), numbered(2, 2, 2)]))).toEqual([1, 2]);
	});

	test('is refused if a page contains only rows that were read already, and others are to follow', () => {
		expect(read([numbered(1, 9, 1, 2), numbered(2, 9, 1, 2)])).toEqual(failure);
	});

	test('is refused if the service returns another page', () => {
		expect(read([numbered(2, 9, 1)])).toEqual(failure);
		expect(read([numbered(1, 9, 1), numbered(1, 9, 1)])).toEqual(failure);
	});

	test('has ten thousand pages at most', () => {
		expect(read([numbered(1, 10_000, 1)])).toBeUndefined();
		expect(read([numbered(1, 10_001, 1)])).toEqual(failure);
	});

	test('has a million rows at most if their number on a page is known', () => {
		const contacts = requestOf({ ...list, pageSize: { name: 'count', most: 500 } });
		expect(read([numbered(1, 2000, 1)], {}, contacts)).toBeUndefined();
		expect(read([numbered(1, 2001, 1)], {}, contacts)).toEqual(failure);
	});

	test('of which each page reports one more ends after ten thousand', () => {
		const reading = new Pages(list);
		let pages = 1;
		while (!reading.take(numbered(pages, pages + 1, pages))) pages++;
		expect(pages).toBe(10_000);
	});
});

describe('a list without page numbers', () => {
	test('has one page if the service decides how many rows a page has', () => {
		expect(idsIn(read([{ rows: rowsOf(1, 2, 3) }]))).toEqual([1, 2, 3]);
	});

	test('ends with a page that has fewer rows than requested', () => {
		expect(idsIn(read([{ rows: rowsOf(1, 2, 3) }, { rows: rowsOf(4) }], {}, sized))).toEqual([1, 2, 3, 4]);
		expect(idsIn(read([{ rows: rowsOf(1, 2, 3) }, { rows: [] }], {}, sized))).toEqual([1, 2, 3]);
	});

	test('is refused if the service always returns the first page', () => {
		expect(read([{ rows: rowsOf(1, 2, 3) }, { rows: rowsOf(1, 2, 3) }], {}, sized)).toEqual(failure);
	});

	test('is refused if it never ends', () => {
		const size = 100_000;
		const reading = new Pages(requestOf({ ...list, pageSize: { name: 'count', most: size } }));
		let pages = 0;
		const next = () => ({
			rows: Array.from({ length: size }, (_, index) => ({ id: pages * size + index + 1 })),
		});
		let result = reading.take(next());
		while (!result && ++pages < 20) result = reading.take(next());
		expect([pages + 1, result]).toEqual([10, failure]);
	});

	test('is refused if its rows have no IDs, because it might never end', () => {
		expect(read([{ rows: rowsOf(undefined, undefined, undefined) }], {}, sized)).toEqual(failure);
	});
});

describe('a request', () => {
	const sentFor = (part: Part, request = sized) => new Pages(request, part).request.parameters.slice(1);

	test('names its page from the second one on', () => {
		const reading = new Pages(list);
		expect(reading.request).toEqual(list);
		reading.take(numbered(1, 2, 1));
		expect(reading.request.parameters).toEqual([...list.parameters, { name: 'page', value: 2 }]);
	});

	test('asks for no more rows than are needed and the service accepts', () => {
		expect(sentFor({})).toEqual([{ name: 'count', value: 3 }]);
		expect(sentFor({ most: 2 })).toEqual([{ name: 'count', value: 2 }]);
		expect(sentFor({ most: 7 })).toEqual([{ name: 'count', value: 3 }]);
	});

	test('asks for full pages if only some of the rows are wanted', () => {
		expect(sentFor({ most: 1 }, { ...sized, selection: { wants: () => true } })).toEqual([
			{ name: 'count', value: 3 },
		]);
	});
});

describe('a part of a list', () => {
	const pages = [numbered(1, 9, 1, 2), numbered(2, 9, 3, 4)];

	test('has as many rows as wanted, and no further page is requested', () => {
		expect(read(pages, { most: 3 })).toMatchObject({ rows: rowsOf(1, 2, 3) });
		const isOdd = ({ id }: { id?: unknown }) => Number(id) % 2 === 1;
		const odd = { ...list, selection: { wants: isOdd } };
		expect(idsIn(read(pages, { most: 2 }, odd))).toEqual([1, 3]);
	});

	test('of enough rows has whole pages, and names the page that follows', () => {
		expect(read([numbered(3, 9, 5, 6)], { first: 3, enough: 1 })).toEqual({
			rows: rowsOf(5, 6),
			next: 4,
			notice: undefined,
		});
		expect(read([numbered(2, 9, 5, 6)], { first: 3, enough: 1 })).toEqual(failure);
	});

	test('that the first page contains does not depend on page numbers', () => {
		expect(idsIn(read([numbered(7, 9, 1, 2)], { most: 2 }))).toEqual([1, 2]);
	});
});
