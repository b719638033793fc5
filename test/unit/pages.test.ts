import type { IDataObject } from 'n8n-workflow';

import { Pages, type Page, type Part } from '../../nodes/ChatbotService/client/http/pages';
import { list, requestOf } from './clients';

/* Lists that are read page by page. Lists that never end, as runs and the editor read them: test/engine/longLists.test.ts. */

const rowsOf = (...ids: Array<number | undefined>) => ids.map((id) => ({ id, name: `Контакт ${id}` }));

const numbered = (current: number, last: number, ...ids: number[]): Page => ({
	rows: rowsOf(...ids),
	page: { current, last },
});

const unnumbered = (...ids: Array<number | undefined>): Page => ({ rows: rowsOf(...ids) });

const sizedTo = (most: number) => requestOf({ ...list, pageSize: { name: 'count', most } });

/** A list whose pages have three rows. */
const sized = sizedTo(3);

const endless = { endless: expect.any(String) as unknown };

/** The rows of these pages, which must be all that are needed; otherwise why they cannot be read to the end. */
function read(pages: Page[], part: Part = {}, request = list) {
	const reading = new Pages(request, part);
	const rows: IDataObject[] = [];
	for (const [index, page] of pages.entries()) {
		const taken = reading.take(page);
		for (const row of taken.rows ?? []) rows.push(row);
		const isOver = taken.next === undefined || rows.length >= (part.most ?? Infinity);
		expect(isOver).toBe(index === pages.length - 1);
		if (taken.endless !== undefined && rows.length < (part.most ?? Infinity)) return taken;
	}
	return { rows };
}

const idsIn = (result: ReturnType<typeof read>) =>
	'endless' in result ? result : result.rows?.map(({ id }) => id);

test.each<[string, Page[], number[]]>([
	['the last one', [numbered(1, 2, 1, 2), numbered(2, 2, 3)], [1, 2, 3]],
	['one without rows', [numbered(1, 3)], []],
	['one of rows that were read already', [numbered(1, 2, 1, 2), numbered(2, 2, 2)], [1, 2]],
	[
		'the last one, though the list grew',
		[numbered(1, 2, 1, 2), numbered(2, 3, 2, 3), numbered(3, 3, 4)],
		[1, 2, 3, 4],
	],
	['the first one, if the service numbers none', [unnumbered(1, 2)], [1, 2]],
])('a list ends with the page that is %s', (_, pages, ids) => {
	expect(idsIn(read(pages))).toEqual(ids);
	// The same with rows that come out in another form.
	expect(idsIn(read(pages, {}, { ...list, shape: ({ id }) => ({ id }) }))).toEqual(ids);
});

test('of each page, the rows come out by their form, and each of them once', () => {
	const shaped = { ...list, shape: ({ id }: IDataObject) => ({ номер: id }) };
	const { rows } = read([numbered(1, 2, 1, 2, 3), numbered(2, 2, 3, 4)], {}, shaped);
	expect(rows).toEqual([{ номер: 1 }, { номер: 2 }, { номер: 3 }, { номер: 4 }]);
});

test('a list without page numbers ends with a page that has fewer rows than requested', () => {
	expect(idsIn(read([unnumbered(1, 2, 3), unnumbered(4)], {}, sized))).toEqual([1, 2, 3, 4]);
	expect(idsIn(read([unnumbered(1, 2, 3), unnumbered()], {}, sized))).toEqual([1, 2, 3]);
});

describe('a list of a service with pages of its own, which it does not number,', () => {
	const rowsFrom = (first: number, count: number) =>
		unnumbered(...Array.from({ length: count }, (_, index) => first + index));
	const wide = sizedTo(500);

	test.each<[string, Page[], number]>([
		['ends with a page that is short', [rowsFrom(1, 100), rowsFrom(101, 100), rowsFrom(201, 30)], 230],
		['ends with a page without rows', [rowsFrom(1, 100), rowsFrom(101, 100), rowsFrom(201, 0)], 200],
		['ends with a page of another round number', [rowsFrom(1, 100), rowsFrom(101, 50)], 150],
		['ends when the page does not turn', [rowsFrom(1, 100), rowsFrom(1, 100)], 100],
		['ends when only rows without IDs come', [rowsFrom(1, 50), unnumbered(...Array<undefined>(50))], 100],
		['has one page if that is short', [rowsFrom(1, 99)], 99],
		['has one page if it is the usual one', [rowsFrom(1, 3)], 3],
	])('%s', (_, pages, count) => {
		const ids = idsIn(read(pages, {}, wide));
		expect(ids).toHaveLength(count);
	});

	test('has the rows that are needed, although pages are shorter than asked for', () => {
		expect(idsIn(read([rowsFrom(1, 50), rowsFrom(51, 50)], { most: 70 }, wide))).toHaveLength(100);
	});
});

describe('a list is refused, because it might never end, if', () => {
	test.each<[string, Page[], typeof list]>([
		['a page has only rows that were read already', [numbered(1, 9, 1, 2), numbered(2, 9, 1, 2)], list],
		['its first page has another number', [numbered(2, 9, 1)], list],
		['its first page comes again', [numbered(1, 9, 1), numbered(1, 9, 2)], list],
		['it has more than ten thousand pages', [numbered(1, 10_001, 1)], list],
		['it has more than a million rows', [numbered(1, 2001, 1)], sizedTo(500)],
		['its first rows come again, without page numbers', [unnumbered(1, 2, 3), unnumbered(1, 2, 3)], sized],
		['its rows have no IDs, without page numbers', [unnumbered(undefined, undefined, undefined)], sized],
	])('%s', (_, pages, request) => {
		expect(read(pages, {}, request)).toMatchObject(endless);
	});

	test('it has more rows than fit into memory, without page numbers', () => {
		const rows = Array.from({ length: 1_000_000 }, (_, index) => ({ id: index + 1 }));
		expect(read([{ rows }], {}, sizedTo(rows.length))).toMatchObject(endless);
	});

	test('each page reports one more', () => {
		const reading = new Pages(list);
		let pages = 1;
		while (reading.take(numbered(pages, pages + 1, pages)).next && pages < 20_000) pages++;
		expect(pages).toBe(10_000);
	});
});

test.each<[string, Part, typeof list, number]>([
	['as the service accepts', {}, sized, 3],
	['as are needed', { most: 2 }, sized, 2],
	['as the service accepts if more are needed', { most: 7 }, sized, 3],
])('a request asks for as many rows %s', (_, part, request, count) => {
	expect(new Pages(request, part).request.parameters.slice(1)).toEqual([{ name: 'count', value: count }]);
});

describe('a part of a list', () => {
	const pages = [numbered(1, 9, 1, 2), numbered(2, 9, 3, 4)];

	test('of enough rows needs no further page', () => {
		expect(idsIn(read(pages, { most: 3 }))).toEqual([1, 2, 3, 4]);
	});

	test('from a later page on names the page that follows', () => {
		const taken = (page: Page) => new Pages(list, { first: 3 }).take(page);
		expect(taken(numbered(3, 9, 5, 6))).toEqual({ rows: rowsOf(5, 6), next: 4 });
		expect(taken(numbered(2, 9, 5, 6))).toEqual(endless);
	});

	test('that the first page contains does not depend on page numbers', () => {
		expect(idsIn(read([numbered(7, 9, 1, 2)], { most: 2 }))).toEqual([1, 2]);
	});
});
