import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { leftUnknown, timedOut } from '../../nodes/ChatbotService/client/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { digestOf, newId } from '../../nodes/ChatbotService/client/digest';
import type { Result } from '../../nodes/ChatbotService/client/result';
import {
	ExecutionRecord,
	fingerprintLength,
	type Kept,
	type Fingerprints,
} from '../../nodes/ChatbotService/run/ledger/execution';

/* What an execution keeps for its retry. How a run uses it is in run.test.ts and test/engine. */

const done: Result = { rows: [{ success: true }] };
const deleted: Result = { rows: [{ deleted: true }] };
const unknown: Result = { failure: timedOut() };

const message = findOperation('message', 'sendToWhatsApp')!;
const listCreate = findOperation('listSchema', 'create')!;
const listDelete = findOperation('listSchema', 'delete')!;
const inDoubt: Result = { failure: leftUnknown(message.advice!) };

const fingerprintOf = (text: string) => digestOf(text, fingerprintLength);

const fingerprints = (written: string | undefined, identity: string): Fingerprints => ({
	written: () => (written === undefined ? undefined : fingerprintOf(written)),
	identity: () => fingerprintOf(identity),
});
const same = fingerprints('текст', 'запрос');
const ofNode = (text: string | undefined): Fingerprints => ({
	written: fingerprints(text, '').written,
	identity: () => undefined,
});
const ofRequest = (text: string) => fingerprints(undefined, text);

/** What remains of the kept data when n8n has saved the execution. */
const saved = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as Kept;

/** The memory of a retried execution, and what an earlier one has kept for it. */
function retried(keep: (memory: ExecutionRecord) => void, operation = message) {
	const before: Kept = {};
	const memory = new ExecutionRecord(operation, before);
	keep(memory);
	memory.save(10);
	const kept = saved(before);
	return { kept, memory: new ExecutionRecord(operation, kept) };
}

describe('an execution that is retried', () => {
	test.each<[string, Fingerprints, Fingerprints, boolean]>([
		['the values before evaluation are the same', same, ofNode('текст'), true],
		['the request is the same', same, ofRequest('запрос'), true],
		['both are the same', same, same, true],
		['only the values before evaluation are the same', same, fingerprints('текст', 'иной запрос'), true],
		['only the request is the same', same, fingerprints('иной текст', 'запрос'), true],
		['both differ', same, fingerprints('иной текст', 'иной запрос'), false],
		['the values before evaluation differ', same, ofNode('иной текст'), false],
		['the request differs', same, ofRequest('иной запрос'), false],
		['the two fingerprints are exchanged', same, fingerprints('запрос', 'текст'), false],
		['neither can be determined now', same, ofNode(undefined), false],
		['the request is the same, which is all that was kept', ofRequest('запрос'), same, true],
		['nothing was kept of the values before evaluation', ofRequest('запрос'), ofNode('запрос'), false],
		[
			'nothing was kept of these values, and they cannot be determined now',
			ofRequest('запрос'),
			ofNode(undefined),
			false,
		],
	])('finds how an item ended if its request was the same: %s', (_, before, asked, isFound) => {
		const { memory, kept } = retried((memory) => {
			memory.keep(7, done, before);
			memory.keep(8, unknown, before);
		});
		const found = [7, 8].map((item) => memory.of(item, asked));
		expect(found).toEqual(isFound ? [done, inDoubt] : [undefined, undefined]);
		expect(kept.rows).toBeUndefined();
	});

	test.each<[string, Result, Result]>([
		['an answer after an unknown outcome', unknown, { rows: [{ id: 5 }] }],
		['an answer without rows after one with rows', { rows: [{ id: 5 }] }, done],
	])('finds how an item ended last: %s', (_, first, last) => {
		const { memory } = retried((before) => {
			before.keep(7, first, same);
			before.keep(7, last, fingerprints('новый текст', 'новый запрос'));
		});
		expect(memory.of(7, same)).toBeUndefined();
		expect(memory.of(7, fingerprints('новый текст', ''))).toEqual(last);
	});

	test('passes on to its own retry what it has not requested itself', () => {
		const endOf = (item: number) => [done, unknown, { rows: [{ id: item }] }][item % 3]!;
		const { kept } = retried((before) => {
			for (let item = 0; item < 10; item++)
				before.keep(item, endOf(item), fingerprints(`${item}`, `${item}`));
		});
		const second = new ExecutionRecord(message, kept);
		second.keep(4, unknown, fingerprints('новый', 'новый'));
		second.save(10);
		const third = new ExecutionRecord(message, saved(kept));
		for (let item = 0; item < 10; item++) {
			const expected = item % 3 === 1 ? inDoubt : endOf(item);
			expect(third.of(item, fingerprints(`${item}`, ''))).toEqual(item === 4 ? undefined : expected);
		}
		expect(third.of(4, fingerprints('новый', ''))).toEqual(inDoubt);
	});

	test('finds how each item ended by its index, whichever items were kept and in whatever order (generated)', () => {
		const end = fc.constantFrom('done', 'unknown', 'rows', 'none');
		const written = fc.option(fc.string(), { nil: undefined });
		const item = fc.record({ end, written, request: fc.string() });
		fc.assert(
			fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), fc.nat(), (items, turn) => {
				const before: Kept = {};
				const memory = new ExecutionRecord(message, before);
				const order = items.map((_, index) => (index + turn) % items.length);
				const endedOf = (index: number): Result =>
					({ done, unknown, rows: { rows: [{ id: index }] } })[items[index]!.end as 'done'];
				for (const index of order) {
					const { end, written, request } = items[index]!;
					if (end !== 'none') memory.keep(index, endedOf(index), fingerprints(written, request));
				}
				memory.save(items.length);
				const next = new ExecutionRecord(message, saved(before));
				for (const [index, { end, written, request }] of items.entries()) {
					const found = next.of(index, ofRequest(request));
					const expected = end === 'unknown' ? inDoubt : endedOf(index);
					expect(found).toEqual(end === 'none' ? undefined : expected);
					const byWritten = next.of(index, ofNode(written));
					expect(byWritten).toEqual(end === 'none' || written === undefined ? undefined : expected);
				}
			}),
		);
	});
});

describe('what is kept for a retried execution', () => {
	test.each<[string, Operation, Result, boolean]>([
		['says that it is done', message, done, false],
		['says that it was created', listCreate, done, false],
		['says that it was deleted', listDelete, deleted, false],
		['says more', message, { rows: [{ success: true, id: 'мск-5' }] }, true],
		['says something else', listCreate, { rows: [{ id: 5, name: 'Заказы' }] }, true],
		['is that of another operation', listDelete, done, true],
		['says no', message, { rows: [{ success: false }] }, true],
		['has several rows', message, { rows: [{ success: true }, { success: true }] }, true],
		['has no rows', message, { rows: [] }, true],
	])(
		'has the rows of an answer only if they contain more than success: the answer %s',
		(_, operation, answer, isKept) => {
			const { memory, kept } = retried((before) => before.keep(0, answer, same), operation);
			expect(kept.rows !== undefined).toBe(isKept);
			expect(memory.of(0, same)).toEqual(answer);
		},
	);

	test('has no rows that cannot be saved, so the retry finds that the item is done', () => {
		const nested: IDataObject = {};
		nested.itself = nested;
		const { kept, memory } = retried((before) => before.keep(0, { rows: [nested] }, same));
		expect(kept.rows).toBeUndefined();
		expect(memory.of(0, same)).toEqual(done);
	});

	test('is one text with a few characters per item, because thousands of items are saved with the execution', () => {
		const kept: Kept = {};
		const memory = new ExecutionRecord(message, kept);
		for (let item = 0; item < 1000; item++) {
			memory.keep(item, done, fingerprints(`текст ${item}`, `запрос ${item}`));
		}
		memory.save(1000);
		expect(kept).toEqual({ items: expect.any(String), origin: expect.any(String) });
		expect(JSON.stringify(kept).length / 1000).toBeLessThan(20);
	});

	test('does not reveal what was sent', () => {
		const [text, phone] = ['Здравствуйте, Анна!', '79161234567'];
		const { kept } = retried((before) => before.keep(0, done, fingerprints(text, phone)));
		expect(kept.items).toBe(`a${fingerprintOf(text)}${fingerprintOf(phone)}`);
		expect(JSON.stringify(kept)).not.toMatch(/Анна|7916/);
	});

	test('is nothing before the node ends with an error', () => {
		const kept: Kept = {};
		new ExecutionRecord(message, kept).keep(0, done, same);
		expect(kept).toEqual({});
	});
});

test('the origin is the same in an execution and its retries, and another one in other executions', () => {
	const { kept } = retried(() => {});
	const copy = saved(kept);
	new ExecutionRecord(message, copy).save(3);
	expect(kept.origin).toEqual(expect.any(String));
	expect(copy.origin).toBe(kept.origin);
	expect(retried(() => {}).kept.origin).not.toBe(kept.origin);
});

describe('a node that has succeeded', () => {
	test("forgets the execution, and keeps n8n's other data", () => {
		const kept: Kept & { other?: number } = { other: 5 };
		const memory = new ExecutionRecord(message, kept);
		memory.keep(0, { rows: [{ id: 5 }] }, same);
		memory.save(1);
		memory.forget();
		expect(memory.of(0, same)).toBeUndefined();
		expect(kept).toEqual({ other: 5 });
	});

	test('keeps for a retry only what it has done since, as in the next iteration of a loop', () => {
		const { kept, memory } = retried((before) => before.keep(0, done, same));
		memory.forget();
		const next = new ExecutionRecord(message, kept);
		next.keep(0, unknown, fingerprints('иной текст', 'иной запрос'));
		next.save(10);
		const retry = new ExecutionRecord(message, saved(kept));
		expect(retry.of(0, fingerprints('иной текст', ''))).toEqual(inDoubt);
		expect(retry.of(0, fingerprints('текст', ''))).toBeUndefined();
	});
});

test('without data of an execution, nothing is found and nothing breaks', () => {
	const memory = new ExecutionRecord(message, null);
	memory.keep(0, done, same);
	expect(memory.of(0, same)).toBeUndefined();
	memory.save(1);
	memory.forget();
});

describe('a digest', () => {
	test('is the same for the same value, and another for any other value', () => {
		const values = [5, '5', null, '', [], {}, { а: 1 }, { а: '1' }, ['а', 'б'], ['аб'], [['а'], 'б'], true];
		const digests = values.map((value) => digestOf(value));
		expect(values.map((value) => digestOf(structuredClone(value)))).toEqual(digests);
		expect(new Set(digests).size).toBe(values.length);
	});

	test('has the requested length', () => {
		expect(digestOf('Анна')).toMatch(/^[\w-]{32}$/);
		expect(digestOf('Анна', 8)).toBe(digestOf('Анна').slice(0, 8));
	});
});

test('a new ID is never the same twice', () => {
	expect(new Set(Array.from({ length: 1000 }, newId)).size).toBe(1000);
});
