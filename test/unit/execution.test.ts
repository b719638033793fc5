import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { digestOf, newId } from '../../nodes/ChatbotService/client/digest';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import { findOperation } from '../../nodes/ChatbotService/resources';
import {
	fingerprintLength,
	type Fingerprints,
	type Kept,
} from '../../nodes/ChatbotService/run/ledger/execution';
import type { Ledger, LedgerItem } from '../../nodes/ChatbotService/run/ledger/ledger';
import {
	done,
	entriesOf,
	failureWith,
	ledgerOf,
	message,
	opened,
	pass,
	refused,
	unknown,
} from './ledgerRuns';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/* What a retried execution, or the next try of a run, knows about items that were done before. */

const attach = findOperation('tag', 'attach')!;
const list = findOperation('tag', 'getManyByBot')!;
const listCreate = findOperation('listSchema', 'create')!;
const listDelete = findOperation('listSchema', 'delete')!;

const ended = (written: string | undefined, identity: string | undefined): Fingerprints => ({
	written: () => written && digestOf(written, fingerprintLength),
	identity: () => identity && digestOf(identity, fingerprintLength),
});
const same = ended('текст', 'запрос');

/** Whether an item is the same as one with the fingerprints `same`. */
const comparisons: Array<[string, Fingerprints, boolean]> = [
	['both fingerprints are the same', same, true],
	['only its values before evaluation are the same', ended('текст', 'иной запрос'), true],
	['only its request is the same', ended('иной текст', 'запрос'), true],
	['only its request can be determined, and is the same', ended(undefined, 'запрос'), true],
	['only its values before evaluation can be determined, and are the same', ended('текст', undefined), true],
	['both differ', ended('иной текст', 'иной запрос'), false],
	['they are exchanged', ended('запрос', 'текст'), false],
	['neither can be determined', ended(undefined, undefined), false],
];

/** The data of an execution after a run, as n8n saves it and passes it to a retry. */
function savedBy(
	keep: (ledger: Ledger) => void,
	{ operation = message, kept = {} as Kept, count = 10 } = {},
) {
	const ledger = ledgerOf({ operation, kept });
	keep(ledger);
	ledger.save(count);
	return JSON.parse(JSON.stringify(kept)) as Kept;
}

const itemOf = (index: number, fingerprints: Fingerprints): LedgerItem => ({
	index,
	values: { limits: {}, dedupKey: undefined },
	fingerprints,
});

describe('an execution that failed and is retried', () => {
	test.each<[string, Result | Left, typeof message, boolean, boolean]>([
		['An answer', done, message, true, true],
		['An unknown outcome', unknown, message, true, true],
		['A refusal', refused, message, false, false],
		['What was not sent', 'notSent', message, false, false],
		['What was interrupted', 'interrupted', message, false, false],
		['An answer to an idempotent request', done, attach, true, true],
		['An unknown outcome of an idempotent request', unknown, attach, false, false],
		['An answer to a request that reads', done, list, true, false],
	])(
		'%s is remembered for the next try and for a retry as far as it must not be repeated',
		(_, outcome, operation, byTry, byExecution) => {
			const triesKey = {};
			const kept: Kept = {};
			const ledger = ledgerOf({ operation, triesKey, kept });
			ledger.after(itemOf(3, same), outcome);
			const remembered = typeof outcome === 'string' ? undefined : outcome;
			expect(ledgerOf({ operation, triesKey }).earlier(3, same)).toEqual(byTry ? remembered : undefined);
			expect(ledgerOf({ operation, triesKey: {} }).earlier(3, same)).toBeUndefined();
			expect(kept).toEqual({});
			ledger.save(5);
			const retried = ledgerOf({ operation, kept: { ...kept } }).earlier(3, same);
			const isUnknown = outcome === unknown;
			expect(retried).toEqual(byExecution ? (isUnknown ? failureWith('unknown') : outcome) : undefined);
			ledger.forget();
			expect(kept).toEqual({});
		},
	);

	test.each(comparisons)('A retry knows an item if %s: %p', (_, asked, isKnown) => {
		const kept = savedBy((ledger) => ledger.after(itemOf(7, same), done));
		const retry = ledgerOf({ kept });
		expect(retry.earlier(7, asked)).toEqual(isKnown ? done : undefined);
		expect(retry.earlier(6, asked)).toBeUndefined();
	});

	/* Another retry of the same execution, or this one before a crash, has done the item: n8n's store knows it. */
	test.each([
		[done, 'done before'],
		[unknown, 'in doubt'],
	] as const)(
		'A second retry of the same execution does not repeat what the first one has done (%j)',
		async (outcome, told) => {
			const changes = { kept: { origin: newId() }, usesSendOncePer: false };
			const first = await opened(undefined, changes);
			first.want(7, { key: null, fingerprints: same });
			await pass(2000);
			first.end(await first.leave(), outcome);
			await first.close();
			const triesKey = {};
			const second = await opened(entriesOf(first.entries.row), { ...changes, triesKey });
			const edited = ended('иной текст', 'запрос');
			second.want(7, { key: null, fingerprints: edited });
			second.want(8, { key: null, fingerprints: edited });
			second.want(9, { key: null, fingerprints: ended('текст', 'иной запрос') });
			await pass(2000);
			await second.leave(3);
			expect([...second.told].sort()).toEqual([
				[7, told],
				[8, 'go'],
				[9, 'go'],
			]);
			// With Retry On Fail, the next try knows it too.
			expect(ledgerOf({ triesKey }).earlier(7, edited)).toBeDefined();
		},
	);

	test('A retry claims nothing for an idempotent operation, and the recipient for Send Once Per', async () => {
		const kept = { origin: newId() };
		const idempotent = await opened(undefined, { kept, operation: attach, usesSendOncePer: false });
		idempotent.want(0, { key: null });
		await idempotent.leave();
		expect([idempotent.told, idempotent.entries.calls]).toEqual([[[0, 'go']], []]);
		const once = await opened(undefined, { kept });
		once.want(0, { key: 'Анна' });
		await pass(2000);
		expect(once.entries.recipients).toEqual(['doubt Анна', 'sent Анна']);
	});

	test('A retry knows how each item ended, in any order, and passes it on to its own retry (generated)', () => {
		const item = fc.record({
			end: fc.constantFrom('done', 'unknown', 'rows', 'none'),
			written: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
			request: fc.string({ minLength: 1 }),
			isAgain: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), fc.nat(), (items, turn) => {
				const endOf = (index: number): Result =>
					({ done, unknown, rows: { rows: [{ id: index }] } })[items[index]!.end as 'done'];
				const order = items.map((_, index) => (index + turn) % items.length);
				const count = items.length;
				const first = savedBy(
					(ledger) => {
						for (const index of order) {
							const { end, written, request } = items[index]!;
							if (end !== 'none') ledger.after(itemOf(index, ended(written, request)), endOf(index));
						}
					},
					{ count },
				);
				const { origin } = first;
				const second = savedBy(
					(ledger) => {
						for (const [index, { isAgain }] of items.entries())
							if (isAgain) ledger.after(itemOf(index, ended('новый', 'новый')), done);
					},
					{ kept: first, count },
				);
				expect(second.origin).toBe(origin);
				const third = ledgerOf({ kept: second });
				for (const [index, { end, written, request, isAgain }] of items.entries()) {
					const expected = end === 'unknown' ? failureWith('unknown') : endOf(index);
					const isKnown = !isAgain && end !== 'none';
					expect(third.earlier(index, ended(undefined, request))).toEqual(isKnown ? expected : undefined);
					const byWritten = third.earlier(index, ended(written, undefined));
					expect(byWritten).toEqual(isKnown && written ? expected : undefined);
					if (isAgain) expect(third.earlier(index, ended('новый', undefined))).toEqual(done);
				}
			}),
			{ numRuns: 30 },
		);
	});

	const nested: IDataObject = {};
	nested.itself = nested;

	test.each<[string, typeof message, Result, Result]>([
		['success', message, done, done],
		['that a list was created', listCreate, done, done],
		['that a list was deleted', listDelete, { rows: [{ deleted: true }] }, { rows: [{ deleted: true }] }],
		[
			'more than success',
			message,
			{ rows: [{ success: true, id: 'мск-5' }] },
			{ rows: [{ success: true, id: 'мск-5' }] },
		],
		['no', message, { rows: [{ success: false }] }, { rows: [{ success: false }] }],
		['nothing', message, { rows: [] }, { rows: [] }],
		['what cannot be saved', message, { rows: [nested] }, done],
	])('A retry outputs an answer that says %s', (_, operation, answer, expected) => {
		const kept = savedBy((ledger) => ledger.after(itemOf(0, same), answer), { operation });
		expect(ledgerOf({ operation, kept }).earlier(0, same)).toEqual(expected);
	});

	test('A retry of a node that has succeeded since, as in a loop, knows only what was done after that', () => {
		const kept = savedBy((ledger) => ledger.after(itemOf(0, same), done));
		ledgerOf({ kept }).forget();
		const next = savedBy((ledger) => ledger.after(itemOf(1, same), done), { kept });
		const retry = ledgerOf({ kept: next });
		expect([0, 1].map((index) => retry.earlier(index, same))).toEqual([undefined, done]);
	});
});

test('A digest is the same for the same value, and another for any other value', () => {
	const values = [5, '5', null, '', [], {}, { а: 1 }, { а: '1' }, ['а', 'б'], ['аб'], [['а'], 'б'], true];
	const digests = values.map((value) => digestOf(value));
	expect(values.map((value) => digestOf(structuredClone(value)))).toEqual(digests);
	expect(new Set(digests).size).toBe(values.length);
	expect(digestOf('Анна', 8)).toBe(digestOf('Анна').slice(0, 8));
});
