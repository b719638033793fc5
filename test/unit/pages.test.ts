import type { IDataObject } from 'n8n-workflow';

import type { Page } from '../../nodes/ChatbotService/client/http/answer';
import { Pages, type Extent } from '../../nodes/ChatbotService/client/http/pages';
import { list } from './clients';

/* Lists that are read page by page. Lists that never end, as runs and the editor read them: test/engine/longLists.test.ts. */

const rowsOf = (ids: Array<number | undefined>) => ids.map((id) => ({ id, name: `Контакт ${id}` }));
const numbered = (current: number, last: number, ...ids: number[]): Page => ({
	rows: rowsOf(ids),
	page: { current, last },
});
const unnumbered = (...ids: Array<number | undefined>): Page => ({ rows: rowsOf(ids) });
/** A page without a number. */
const from = (first: number, count: number): Page => ({
	rows: rowsOf(Array.from({ length: count }, (_, index) => first + index)),
});

const sizedTo = (most: number) => ({ ...list, pageSize: { name: 'count', most } });

const many = Array<IDataObject>(1_000_000).fill({ id: 1 });

/** Lists whose pages have three rows, and five hundred. */
const [sized, wide] = [sizedTo(3), sizedTo(500)];

/** The IDs in these pages, which must be all that are needed; 'endless' if they cannot be read to the end. */
function read(pages: Page[], request = list, part: Extent = {}) {
	const reading = new Pages(request, part);
	const rows: IDataObject[] = [];
	for (const [index, page] of pages.entries()) {
		const taken = reading.take(page);
		for (const row of taken.rows ?? []) rows.push(row);
		const isEnough = rows.length >= (part.most ?? Infinity);
		expect(taken.next === undefined || isEnough).toBe(index === pages.length - 1);
		if (taken.endless !== undefined && !isEnough) return 'endless';
	}
	return rows.map(({ id }) => id);
}

test.each<[string, Page[], number[], typeof list]>([
	['last', [numbered(1, 2, 1, 2), numbered(2, 2, 3)], [1, 2, 3], list],
	['of rows that were read already', [numbered(1, 2, 1, 2), numbered(2, 2, 2)], [1, 2], list],
	['last of a list that grew', [numbered(1, 2, 1), numbered(2, 3, 1, 2), numbered(3, 3, 3)], [1, 2, 3], list],
	['first, if none has a number', [unnumbered(1, 2)], [1, 2], list],
	['shorter than asked for, without a number', [from(1, 3), from(4, 1)], [1, 2, 3, 4], sized],
	['empty, without a number', [from(1, 3), from(4, 0)], [1, 2, 3], sized],
])('a list ends with a page that is %s', (_, pages, ids, request) => {
	expect(read(pages, request)).toEqual(ids);
	// The same with rows that come out in another form.
	expect(read(pages, { ...request, shape: ({ id }) => ({ id }) })).toEqual(ids);
});

/* Of a service with pages of its own, which it does not number. */
test.each<[string, Page[], number, Extent?]>([
	['ends with a page that is short', [from(1, 100), from(101, 100), from(201, 30)], 230, {}],
	['ends with a page without rows', [from(1, 100), from(101, 100), from(201, 0)], 200, {}],
	['ends with a page of another round number', [from(1, 100), from(101, 50)], 150, {}],
	['ends when the page does not turn', [from(1, 100), from(1, 100)], 100, {}],
	['ends at rows without IDs', [from(1, 50), unnumbered(...Array<undefined>(50))], 100, {}],
	['has one page if that is short', [from(1, 99)], 99, {}],
	['has one page if it is the usual one', [from(1, 3)], 3, {}],
	['has enough rows, although pages are short', [from(1, 50), from(51, 50)], 100, { most: 70 }],
])('a list without numbers %s', (_, pages, count, part) => {
	expect(read(pages, wide, part)).toHaveLength(count);
});

test.each<[string, Page[], typeof list]>([
	['a page has only rows that were read', [numbered(1, 9, 1, 2), numbered(2, 9, 1, 2)], list],
	['its first page has another number', [numbered(2, 9, 1)], list],
	['its first page comes again', [numbered(1, 9, 1), numbered(1, 9, 2)], list],
	['it has more than ten thousand pages', [numbered(1, 10_001, 1)], list],
	['its first rows come again, without numbers', [from(1, 3), from(1, 3)], sized],
	['its rows have no IDs and no numbers', [unnumbered(undefined, undefined, undefined)], sized],
	['it does not fit into memory', [{ rows: many }], sizedTo(many.length)],
])('a list is refused as endless if %s', (_, pages, request) => {
	expect(read(pages, request)).toBe('endless');
});

test.each<[string, Extent, number]>([
	['as the service accepts', {}, 3],
	['as are needed', { most: 2 }, 2],
])('a request asks for as many rows %s', (_, part, count) => {
	expect(new Pages(sized, part).request.parameters.slice(1)).toEqual([{ name: 'count', value: count }]);
});

test.each<[string, Page[], Extent, number[]]>([
	['ends with enough rows', [numbered(1, 9, 1, 2), numbered(2, 9, 3)], { most: 3 }, [1, 2, 3]],
	['in its first page needs no page numbers', [numbered(7, 9, 1, 2)], { most: 2 }, [1, 2]],
])('a part of a list %s', (_, pages, part, ids) => {
	expect(read(pages, list, part)).toEqual(ids);
});
