import fc from 'fast-check';

import { leftUnknown, timedOut } from '../../nodes/ChatbotService/client/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { digestOf, newId } from '../../nodes/ChatbotService/client/digest';
import {
	Memory,
	fingerprintLength,
	type Kept,
	type Fingerprints,
} from '../../nodes/ChatbotService/run/ledger/execution';
import type { Ended } from '../../nodes/ChatbotService/run/outcome';

/* What one run of the node tells the next; that a run keeps to it is for run.test.ts and test/engine. */

const done: Ended = { rows: [{ success: true }] };
const deleted: Ended = { rows: [{ deleted: true }] };
const unknown: Ended = { failure: timedOut() };

const message = findOperation('message', 'sendToWhatsApp')!;
const listCreate = findOperation('listSchema', 'create')!;
const listDelete = findOperation('listSchema', 'delete')!;
const inDoubt: Ended = { failure: leftUnknown(message.advice!) };

const fingerprintOf = (text: string) => digestOf(text, fingerprintLength);

const fingerprints = (written: string | undefined, identity: string): Fingerprints => ({
	written: () => (written === undefined ? undefined : fingerprintOf(written)),
	identity: () => fingerprintOf(identity),
});
const same = fingerprints('текст', 'запрос');

/** What is left of it when n8n has saved the execution. */
const saved = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as Kept;

/** The memory of a retried execution, and what an earlier one has kept for it. */
function retried(keep: (memory: Memory) => void): { kept: Kept; memory: Memory } {
	const before: Kept = {};
	const memory = new Memory(null, before);
	keep(memory);
	memory.save(10);
	const kept = saved(before);
	return { kept, memory: new Memory(null, kept) };
}

describe('tries of one run', () => {
	test('that share the data of the run share what they remember', () => {
		const key = {};
		new Memory(key, null).keepForTries(3, done);
		const next = new Memory(key, null);
		expect(next.ofTry(3)).toEqual(done);
		expect(next.ofTry(2)).toBeUndefined();
		next.keepForTries(2, unknown);
		expect(new Memory(key, null).ofTry(2)).toBe(unknown);
		expect(new Memory(key, null).ofTry(3)).toEqual(done);
	});

	test('remember nothing of a run with other data, though these look alike', () => {
		new Memory({ node: 'a' }, null).keepForTries(0, done);
		expect(new Memory({ node: 'a' }, null).ofTry(0)).toBeUndefined();
	});

	test('are not told to the next run where n8n has no data of the run', () => {
		new Memory(null, null).keepForTries(0, done);
		expect(new Memory(null, null).ofTry(0)).toBeUndefined();
	});

	test('are not saved with the execution', () => {
		const kept: Kept = {};
		new Memory({}, kept).keepForTries(0, done);
		expect(kept).toEqual({});
	});
});

describe('an execution that is retried', () => {
	const ofNode = (text: string | undefined) => ({ written: fingerprints(text, '').written });
	const ofRequest = (text: string) => ({ identity: fingerprints('', text).identity });

	test.each<[string, Fingerprints, Partial<Fingerprints>, boolean]>([
		['what stands in the node is the same', same, ofNode('текст'), true],
		['the request is the same', same, ofRequest('запрос'), true],
		['both are the same', same, same, true],
		['only what stands in the node is the same', same, fingerprints('текст', 'иной запрос'), true],
		['only the request is the same', same, fingerprints('иной текст', 'запрос'), true],
		['both differ', same, fingerprints('иной текст', 'иной запрос'), false],
		['what stands in the node differs', same, ofNode('иной текст'), false],
		['the request differs', same, ofRequest('иной запрос'), false],
		['the two fingerprints are exchanged', same, fingerprints('запрос', 'текст'), false],
		['nothing can be said now of what stands in the node', same, ofNode(undefined), false],
		['nothing is asked', same, {}, false],
		['the request is the same, which is all that was kept', fingerprints(undefined, 'запрос'), same, true],
		[
			'nothing was kept of what stands in the node',
			fingerprints(undefined, 'запрос'),
			ofNode('запрос'),
			false,
		],
		[
			'nothing was kept of it, nor can be said now',
			fingerprints(undefined, 'запрос'),
			ofNode(undefined),
			false,
		],
	])('finds how an item ended if it was asked for with the same: %s', (_, before, asked, isFound) => {
		const { memory, kept } = retried((memory) => {
			memory.keepForExecution(7, done, before, 'done');
			memory.keepForExecution(8, unknown, before, 'done');
		});
		const found = [7, 8].map((item) => memory.ofExecution(item, asked, message));
		expect(found).toEqual(isFound ? [done, inDoubt] : [undefined, undefined]);
		expect(kept.rows).toBeUndefined();
	});

	test.each<[string, Ended, Ended]>([
		['an answer after an unknown outcome', unknown, { rows: [{ id: 5 }] }],
		['an answer without rows of its own after one with rows', { rows: [{ id: 5 }] }, done],
	])('finds how an item ended last: %s', (_, first, last) => {
		const { memory } = retried((before) => {
			before.keepForExecution(7, first, same, 'done');
			before.keepForExecution(7, last, fingerprints('новый текст', 'новый запрос'), 'done');
		});
		expect(memory.ofExecution(7, same, message)).toBeUndefined();
		expect(memory.ofExecution(7, fingerprints('новый текст', ''), message)).toEqual(last);
	});

	test('hands on to its own retry what it has not asked for itself', () => {
		const { kept } = retried((before) => {
			for (let item = 0; item < 10; item++) {
				before.keepForExecution(item, item % 2 ? unknown : done, fingerprints(`${item}`, `${item}`), 'done');
			}
		});
		const second = new Memory(null, kept);
		second.keepForExecution(4, unknown, fingerprints('новый', 'новый'), 'done');
		second.save(10);
		const third = new Memory(null, saved(kept));
		const found = Array.from({ length: 10 }, (_, item) =>
			third.ofExecution(item, fingerprints(`${item}`, ''), message),
		);
		expect(found.map((each) => each && Object.keys(each)[0])).toEqual([
			...['rows', 'failure', 'rows', 'failure'],
			...[undefined, 'failure', 'rows', 'failure', 'rows', 'failure'],
		]);
		expect(third.ofExecution(4, fingerprints('новый', ''), message)).toEqual(inDoubt);
	});

	test('finds how each item ended by its index, whichever items were kept and in whatever order (generated)', () => {
		const end = fc.constantFrom('done', 'unknown', 'rows', 'none');
		const written = fc.option(fc.string(), { nil: undefined });
		const item = fc.record({ end, written, request: fc.string() });
		fc.assert(
			fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), fc.nat(), (items, turn) => {
				const before: Kept = {};
				const memory = new Memory(null, before);
				const order = items.map((_, index) => (index + turn) % items.length);
				const endedOf = (index: number): Ended =>
					({ done, unknown, rows: { rows: [{ id: index }] } })[items[index]!.end as 'done'];
				for (const index of order) {
					const { end, written, request } = items[index]!;
					if (end !== 'none')
						memory.keepForExecution(index, endedOf(index), fingerprints(written, request), 'done');
				}
				memory.save(items.length);
				const next = new Memory(null, saved(before));
				for (const [index, { end, written, request }] of items.entries()) {
					const found = next.ofExecution(index, { identity: fingerprints('', request).identity }, message);
					const expected = end === 'unknown' ? inDoubt : endedOf(index);
					expect(found).toEqual(end === 'none' ? undefined : expected);
					const byWritten = next.ofExecution(index, { written: fingerprints(written, '').written }, message);
					expect(byWritten).toEqual(end === 'none' || written === undefined ? undefined : expected);
				}
			}),
		);
	});
});

describe('what is kept for a retried execution', () => {
	test.each<[string, Operation, Ended, boolean]>([
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
		'has the rows of an answer only where they say more than that it is done: the answer %s',
		(_, operation, answer, isKept) => {
			const { memory, kept } = retried((before) =>
				before.keepForExecution(0, answer, same, operation.answer),
			);
			expect(kept.rows !== undefined).toBe(isKept);
			expect(memory.ofExecution(0, same, operation)).toEqual(answer);
		},
	);

	test('is one text of few characters for each item, since thousands of items are saved with the execution', () => {
		const kept: Kept = {};
		const memory = new Memory(null, kept);
		for (let item = 0; item < 1000; item++) {
			memory.keepForExecution(item, done, fingerprints(`текст ${item}`, `запрос ${item}`), 'done');
		}
		memory.save(1000);
		expect(kept).toEqual({ items: expect.any(String), origin: expect.any(String) });
		expect(JSON.stringify(kept).length / 1000).toBeLessThan(20);
	});

	test('does not tell what was sent', () => {
		const { kept } = retried((before) =>
			before.keepForExecution(0, done, fingerprints('Здравствуйте, Анна!', '79161234567'), 'done'),
		);
		expect(kept.items).toBe(`a${fingerprintOf('Здравствуйте, Анна!')}${fingerprintOf('79161234567')}`);
		expect(JSON.stringify(kept)).not.toMatch(/Анна|7916/);
	});

	test('is nothing before the node ends with an error', () => {
		const kept: Kept = {};
		new Memory(null, kept).keepForExecution(0, done, same, 'done');
		expect(kept).toEqual({});
	});
});

describe('the origin of executions that were retried from one', () => {
	test('is none where nothing was retried, in every try of a run', () => {
		const kept: Kept = {};
		const key = {};
		const memory = new Memory(key, kept);
		expect(memory.origin).toBeUndefined();
		memory.save(3);
		expect(kept.origin).toEqual(expect.any(String));
		expect(new Memory(key, kept).origin).toBeUndefined();
		expect(new Memory(key, null).origin).toBeUndefined();
	});

	test('is the same in all of them, however often they are retried', () => {
		const { kept, memory } = retried(() => {});
		expect(memory.origin).toBe(kept.origin);
		const again = new Memory({}, saved(kept));
		const copy = saved(kept);
		const third = new Memory({}, copy);
		third.save(3);
		expect([again.origin, third.origin, new Memory({}, saved(copy)).origin]).toEqual([
			kept.origin,
			kept.origin,
			kept.origin,
		]);
	});

	test('is the same in all tries of a retried run', () => {
		const { kept } = retried(() => {});
		const key = {};
		const tries = [1, 2, 3].map(() => {
			const memory = new Memory(key, kept);
			memory.save(3);
			return memory.origin;
		});
		expect(tries).toEqual([kept.origin, kept.origin, kept.origin]);
	});

	test('differs from that of other executions, and is none once the node has succeeded', () => {
		const [one, other] = [retried(() => {}), retried(() => {})];
		expect(one.kept.origin).not.toBe(other.kept.origin);
		one.memory.forget();
		expect(new Memory({}, one.kept).origin).toBeUndefined();
	});
});

describe('a node that has succeeded', () => {
	test('forgets the execution, whatever else n8n keeps there', () => {
		const kept: Kept & { other?: number } = { other: 5 };
		const memory = new Memory(null, kept);
		memory.keepForExecution(0, { rows: [{ id: 5 }] }, same, 'done');
		memory.save(1);
		memory.forget();
		expect(memory.ofExecution(0, same, message)).toBeUndefined();
		expect(kept).toEqual({ other: 5 });
	});

	test('keeps for a retry only what it has done since, as in another turn of a loop', () => {
		const { kept, memory } = retried((before) => before.keepForExecution(0, done, same, 'done'));
		memory.forget();
		const next = new Memory(null, kept);
		next.keepForExecution(0, unknown, fingerprints('иной текст', 'иной запрос'), 'done');
		next.save(10);
		const retry = new Memory(null, saved(kept));
		expect(retry.ofExecution(0, fingerprints('иной текст', ''), message)).toEqual({
			failure: leftUnknown(message.advice!),
		});
		expect(retry.ofExecution(0, fingerprints('текст', ''), message)).toBeUndefined();
	});
});

test('where no execution is kept, nothing is found and nothing breaks', () => {
	const memory = new Memory({}, null);
	memory.keepForExecution(0, done, same, 'done');
	expect(memory.ofExecution(0, same, message)).toBeUndefined();
	expect(() => {
		memory.save(1);
		memory.forget();
	}).not.toThrow();
	expect(memory.origin).toBeUndefined();
});

describe('a digest', () => {
	test('is the same for the same value, and another for any other value', () => {
		const values = [5, '5', null, '', [], {}, { а: 1 }, { а: '1' }, ['а', 'б'], ['аб'], [['а'], 'б'], true];
		const digests = values.map((value) => digestOf(value));
		expect(values.map((value) => digestOf(structuredClone(value)))).toEqual(digests);
		expect(new Set(digests).size).toBe(values.length);
	});

	test('has the length that was asked for', () => {
		expect(digestOf('Анна')).toMatch(/^[\w-]{32}$/);
		expect(digestOf('Анна', 8)).toBe(digestOf('Анна').slice(0, 8));
	});
});

test('a new name is never the same twice', () => {
	expect(new Set(Array.from({ length: 1000 }, newId)).size).toBe(1000);
});
