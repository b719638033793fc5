import fc from 'fast-check';

import type { AnswerShape } from '../../nodes/ChatbotService/client/answer';
import { leftUnknown, timedOut } from '../../nodes/ChatbotService/client/failure';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { digestOf, newId } from '../../nodes/ChatbotService/run/digest';
import { Memory, printLength, type Kept, type Prints } from '../../nodes/ChatbotService/run/memory';
import type { Ended } from '../../nodes/ChatbotService/run/outcome';
import { byTitle, samples } from './samples';

/* What one run of the node tells the next; that a run keeps to it is for run.test.ts and test/engine. */

const done: Ended = { rows: [{ success: true }] };
const deleted: Ended = { rows: [{ deleted: true }] };
const unknown: Ended = { failure: timedOut() };

const operationOf = (title: string) => samples.find((each) => each.title === title)!.operation;

const message = operationOf('message/sendToWhatsApp');
/** An operation for each answer that says no more than that it is done. */
const byShape: Partial<Record<AnswerShape, Operation>> = {
	done: message,
	created: operationOf('listSchema/create with defined fields'),
	deleted: operationOf('listSchema/delete'),
};

const printOf = (text: string) => digestOf(text, printLength);

const prints = (written: string | undefined, request: string): Prints => ({
	written: () => (written === undefined ? undefined : printOf(written)),
	request: () => printOf(request),
});

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
	test('that share their data share what they remember', () => {
		const key = {};
		new Memory(key, null).keepForTries(3, done);
		const next = new Memory(key, null);
		expect(next.ofTry(3)).toEqual(done);
		expect(next.ofTry(2)).toBeUndefined();
		next.keepForTries(2, unknown);
		expect(new Memory(key, null).ofTry(2)).toBe(unknown);
		expect(new Memory(key, null).ofTry(3)).toEqual(done);
	});

	test('with other data remember nothing of it, though these look alike', () => {
		new Memory({ node: 'a' }, null).keepForTries(0, done);
		expect(new Memory({ node: 'a' }, null).ofTry(0)).toBeUndefined();
	});

	test('where there is only one, the next run begins anew', () => {
		new Memory(null, null).keepForTries(0, done);
		expect(new Memory(null, null).ofTry(0)).toBeUndefined();
	});

	test('are remembered by themselves, not by what is saved', () => {
		const kept: Kept = {};
		new Memory({}, kept).keepForTries(0, done);
		expect(kept).toEqual({});
	});
});

describe('an execution that is retried', () => {
	const shape: AnswerShape = 'done';
	const inDoubt: Ended = { failure: leftUnknown(message.advice!) };

	test.each<[string, Partial<Prints>]>([
		['by what stands in the node', { written: prints('текст', '').written }],
		['by what the service was asked', { request: prints('', 'запрос').request }],
		['by both', prints('текст', 'запрос')],
		['by the one, though the other differs', prints('текст', 'иной запрос')],
		['by the other, though the one differs', prints('иной текст', 'запрос')],
	])('finds what was answered: %s', (_, asked) => {
		const { memory } = retried((before) =>
			before.keepForExecution(7, done, prints('текст', 'запрос'), shape),
		);
		expect(memory.ofExecution(7, asked, message)).toEqual(done);
	});

	test.each<[string, Partial<Prints>]>([
		['both differ', prints('иной текст', 'иной запрос')],
		['what stands in the node differs', { written: prints('иной текст', '').written }],
		['what the service was asked differs', { request: prints('', 'иной запрос').request }],
		['they are exchanged', prints('запрос', 'текст')],
		['nothing can be said of what stands in the node', { written: prints(undefined, '').written }],
		['nothing is asked', {}],
	])('does not find what has been edited: %s', (_, asked) => {
		const { memory } = retried((before) => {
			before.keepForExecution(7, done, prints('текст', 'запрос'), shape);
			before.keepForExecution(8, unknown, prints('текст', 'запрос'), shape);
		});
		expect([7, 8].map((item) => memory.ofExecution(item, asked, message))).toEqual([undefined, undefined]);
	});

	test('finds an item by what the service was asked where nothing could be said of what stands in the node', () => {
		const { memory } = retried((before) =>
			before.keepForExecution(0, done, prints(undefined, 'запрос'), shape),
		);
		expect(memory.ofExecution(0, { request: prints('', 'запрос').request }, message)).toEqual(done);
		expect(memory.ofExecution(0, { written: prints('запрос', '').written }, message)).toBeUndefined();
		expect(memory.ofExecution(0, { written: prints(undefined, '').written }, message)).toBeUndefined();
	});

	test('finds nothing of other items', () => {
		const { memory } = retried((before) =>
			before.keepForExecution(7, done, prints('текст', 'запрос'), shape),
		);
		expect([6, 8, 0].map((item) => memory.ofExecution(item, prints('текст', 'запрос'), message))).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});

	test('finds that nobody knows what came of an item, and says so in words of its own', () => {
		const { memory, kept } = retried((before) =>
			before.keepForExecution(7, unknown, prints('текст', 'запрос'), shape),
		);
		expect(memory.ofExecution(7, prints('текст', 'запрос'), message)).toEqual(inDoubt);
		expect(kept.rows).toBeUndefined();
	});

	test.each(byTitle.filter(([, { operation }]) => operation.advice?.unknown))(
		'%s: says so in the words of the operation',
		(_, { operation }) => {
			const { memory } = retried((before) =>
				before.keepForExecution(7, unknown, prints('текст', 'запрос'), operation.answer),
			);
			const found = memory.ofExecution(7, prints('текст', 'запрос'), operation);
			expect(found).toEqual({ failure: leftUnknown({ unknown: operation.advice!.unknown! }) });
		},
	);

	test('finds what became of an item last', () => {
		const { memory } = retried((before) => {
			before.keepForExecution(7, unknown, prints('текст', 'запрос'), shape);
			before.keepForExecution(7, { rows: [{ id: 5 }] }, prints('новый текст', 'новый запрос'), shape);
		});
		expect(memory.ofExecution(7, prints('текст', 'запрос'), message)).toBeUndefined();
		expect(memory.ofExecution(7, prints('новый текст', ''), message)).toEqual({ rows: [{ id: 5 }] });
	});

	test('finds no rows of an answer before the last', () => {
		const { memory } = retried((before) => {
			before.keepForExecution(7, { rows: [{ id: 5 }] }, prints('текст', 'запрос'), shape);
			before.keepForExecution(7, done, prints('новый текст', 'новый запрос'), shape);
		});
		expect(memory.ofExecution(7, prints('новый текст', ''), message)).toEqual(done);
	});

	test('may be retried again and again', () => {
		const { kept } = retried((before) => before.keepForExecution(0, done, prints('первый', 'первый'), shape));
		const second = new Memory(null, kept);
		second.keepForExecution(1, done, prints('второй', 'второй'), shape);
		second.save(10);
		const third = new Memory(null, saved(kept));
		expect(third.ofExecution(0, prints('первый', ''), message)).toEqual(done);
		expect(third.ofExecution(1, prints('второй', ''), message)).toEqual(done);
	});

	test('forgets nothing of the execution before that it did not ask for itself', () => {
		const { kept } = retried((before) => {
			for (let item = 0; item < 10; item++) {
				before.keepForExecution(item, item % 2 ? unknown : done, prints(`${item}`, `${item}`), shape);
			}
		});
		const second = new Memory(null, kept);
		second.keepForExecution(4, unknown, prints('новый', 'новый'), shape);
		second.save(10);
		const third = new Memory(null, saved(kept));
		const found = Array.from({ length: 10 }, (_, item) =>
			third.ofExecution(item, prints(`${item}`, ''), message),
		);
		expect(found.map((each) => each && Object.keys(each)[0])).toEqual([
			...['rows', 'failure', 'rows', 'failure'],
			...[undefined, 'failure', 'rows', 'failure', 'rows', 'failure'],
		]);
		expect(third.ofExecution(4, prints('новый', ''), message)).toEqual(inDoubt);
	});

	test('finds each item in its place, whichever were kept and in whatever order (generated)', () => {
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
					if (end !== 'none') memory.keepForExecution(index, endedOf(index), prints(written, request), shape);
				}
				memory.save(items.length);
				const next = new Memory(null, saved(before));
				for (const [index, { end, written, request }] of items.entries()) {
					const found = next.ofExecution(index, { request: prints('', request).request }, message);
					const expected = end === 'unknown' ? inDoubt : endedOf(index);
					expect(found).toEqual(end === 'none' ? undefined : expected);
					const byWritten = next.ofExecution(index, { written: prints(written, '').written }, message);
					expect(byWritten).toEqual(end === 'none' || written === undefined ? undefined : expected);
				}
			}),
		);
	});
});

describe('of an answer', () => {
	test.each<[AnswerShape, Ended]>([
		['done', done],
		['created', done],
		['deleted', deleted],
	])('%s: nothing is kept that says no more than that it is done', (shape, answer) => {
		const { memory, kept } = retried((before) =>
			before.keepForExecution(0, answer, prints('текст', 'запрос'), shape),
		);
		expect(kept.rows).toBeUndefined();
		expect(memory.ofExecution(0, prints('текст', ''), byShape[shape]!)).toEqual(answer);
	});

	test.each<[string, AnswerShape, Ended]>([
		['more', 'done', { rows: [{ success: true, id: 'мск-5' }] }],
		['something else', 'created', { rows: [{ id: 5, name: 'Заказы' }] }],
		['an answer of another shape', 'deleted', done],
		['no', 'done', { rows: [{ success: false }] }],
		['several rows', 'done', { rows: [{ success: true }, { success: true }] }],
		['no rows', 'done', { rows: [] }],
	])('all is kept that says %s', (_, shape, answer) => {
		const { memory } = retried((before) =>
			before.keepForExecution(0, answer, prints('текст', 'запрос'), shape),
		);
		expect(memory.ofExecution(0, prints('текст', ''), byShape[shape]!)).toEqual(answer);
	});

	test('few characters are kept in one text: thousands of items are saved with the execution', () => {
		const kept: Kept = {};
		const memory = new Memory(null, kept);
		for (let item = 0; item < 1000; item++) {
			memory.keepForExecution(item, done, prints(`текст ${item}`, `запрос ${item}`), 'done');
		}
		memory.save(1000);
		expect(kept).toEqual({ items: expect.any(String), origin: expect.any(String) });
		expect(JSON.stringify(kept).length / 1000).toBeLessThan(20);
	});

	test('nothing is kept that tells what was sent', () => {
		const { kept } = retried((before) =>
			before.keepForExecution(0, done, prints('Здравствуйте, Анна!', '79161234567'), 'done'),
		);
		expect(kept.items).toBe(`a${printOf('Здравствуйте, Анна!')}${printOf('79161234567')}`);
		expect(JSON.stringify(kept)).not.toMatch(/Анна|7916/);
	});

	test('nothing is kept before the node ends with an error', () => {
		const kept: Kept = {};
		new Memory(null, kept).keepForExecution(0, done, prints('текст', 'запрос'), 'done');
		expect(kept).toEqual({});
	});
});

describe('the origin of executions that were retried from one', () => {
	test('is none where nothing was retried, in no try of a run', () => {
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

	test('is another for others, and none once the node has succeeded', () => {
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
		memory.keepForExecution(0, { rows: [{ id: 5 }] }, prints('текст', 'запрос'), 'done');
		memory.save(1);
		memory.forget();
		expect(memory.ofExecution(0, prints('текст', 'запрос'), message)).toBeUndefined();
		expect(kept).toEqual({ other: 5 });
	});

	test('keeps what it has done in another turn of a loop', () => {
		const { kept, memory } = retried((before) =>
			before.keepForExecution(0, done, prints('текст', 'запрос'), 'done'),
		);
		memory.forget();
		const next = new Memory(null, kept);
		next.keepForExecution(0, unknown, prints('иной текст', 'иной запрос'), 'done');
		next.save(10);
		const retry = new Memory(null, saved(kept));
		expect(retry.ofExecution(0, prints('иной текст', ''), message)).toEqual({
			failure: leftUnknown(message.advice!),
		});
		expect(retry.ofExecution(0, prints('текст', ''), message)).toBeUndefined();
	});
});

test('where no execution is kept, nothing is found and nothing breaks', () => {
	const memory = new Memory({}, null);
	memory.keepForExecution(0, done, prints('текст', 'запрос'), 'done');
	expect(memory.ofExecution(0, prints('текст', 'запрос'), message)).toBeUndefined();
	expect(() => {
		memory.save(1);
		memory.forget();
	}).not.toThrow();
	expect(memory.origin).toBeUndefined();
});

describe('a print', () => {
	test('is the same for the same, and another for anything else', () => {
		const values = [5, '5', null, '', [], {}, { а: 1 }, { а: '1' }, ['а', 'б'], ['аб'], [['а'], 'б'], true];
		const digests = values.map((value) => digestOf(value));
		expect(values.map((value) => digestOf(structuredClone(value)))).toEqual(digests);
		expect(new Set(digests).size).toBe(values.length);
	});

	test('has the length that was asked for', () => {
		expect(digestOf('Анна')).toMatch(/^[\w-]{32}$/);
		expect(digestOf('Анна', 8)).toBe(digestOf('Анна').slice(0, 8));
	});

	test('of nothing is never the same twice, where a new name is wanted', () => {
		expect(new Set(Array.from({ length: 1000 }, newId)).size).toBe(1000);
	});
});
