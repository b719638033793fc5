import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { Claims, type Known, type Wanted } from '../../nodes/ChatbotService/run/ledger/claims';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { Ledger, type LedgerItem, type Verdict } from '../../nodes/ChatbotService/run/ledger/ledger';
import { triesOf } from '../../nodes/ChatbotService/run/ledger/tries';
import { FakeEntries } from './fakeEntries';

/* How the ledger combines its three sources. Each source has its own tests. */

const message = findOperation('message', 'sendToWhatsApp')!;
const attach = findOperation('tag', 'attach')!;
const list = findOperation('tag', 'getManyByBot')!;

const done: Result = { rows: [{ success: true }] };
const unknown: Result = { failure: timedOut() };
const refused: Result = { failure: valuesRefused(422, [], 'Нет контакта.') };

const fingerprints = { written: () => 'что-то', identity: () => 'кто-то' };
const item: LedgerItem = { index: 3, values: { limits: {}, dedupKey: 'Анна' }, fingerprints };
const itemWithoutValue: LedgerItem = { ...item, values: { limits: {}, dedupKey: undefined } };

const failureWith = (outcome: string) => ({ failure: expect.objectContaining({ outcome }) });

const ledgerOf = (changes: Partial<ConstructorParameters<typeof Ledger>[0]> = {}) =>
	new Ledger({
		operation: message,
		usesSendOncePer: false,
		triesKey: null,
		kept: null,
		entries: undefined,
		pace: { leaving: () => 1, windowMs: () => 0 },
		signal: new AbortController().signal,
		...changes,
	});

/** A ledger whose claims find the same state for every recipient, with what the ledger told its claims. */
async function ledgerWith(standing: Known, changes: Parameters<typeof ledgerOf>[0] = {}) {
	const claimed: string[] = [];
	const told: string[] = [];
	jest.spyOn(Claims.prototype, 'want').mockImplementation(({ key, known }: Wanted) => {
		claimed.push(key);
		known(standing);
	});
	jest.spyOn(Claims.prototype, 'left').mockImplementation((key) => void told.push(`left ${key}`));
	jest.spyOn(Claims.prototype, 'ended').mockImplementation((key, end) => void told.push(`${end} ${key}`));
	const ledger = ledgerOf({ usesSendOncePer: true, entries: new FakeEntries(), ...changes });
	await ledger.open();
	return { ledger, claimed, told };
}

const verdictOf = (ledger: Ledger, about: LedgerItem): Verdict => {
	let verdict: Verdict | undefined;
	ledger.before(about, (told) => (verdict = told));
	return verdict!;
};

afterEach(() => jest.restoreAllMocks());

describe('the tries of one run', () => {
	test('share what they remember and their origin', () => {
		const key = {};
		const first = triesOf(key, undefined);
		first.ended.set(3, done);
		expect(triesOf(key, 'другая').ended.get(3)).toEqual(done);
		expect(triesOf(key, 'другая').origin).toBeUndefined();
	});

	test('know nothing about another run, even with equal data, or if there is only one try', () => {
		triesOf({ node: 'a' }, undefined).ended.set(0, done);
		triesOf(null, undefined).ended.set(0, done);
		expect(triesOf({ node: 'a' }, undefined).ended.size).toBe(0);
		expect(triesOf(null, 'исходная')).toEqual({ ended: new Map(), origin: 'исходная' });
	});
});

test.each<[string, Result | Left, typeof message, boolean, boolean]>([
	['an answer', done, message, true, true],
	['an unknown outcome', unknown, message, true, true],
	['a refusal', refused, message, false, false],
	['what was not sent', 'notSent', message, false, false],
	['what was interrupted', 'interrupted', message, false, false],
	['an answer to an idempotent request', done, attach, true, true],
	['an unknown outcome of an idempotent request', unknown, attach, false, false],
	['an answer to a request that reads', done, list, true, false],
])(
	'%s is remembered for the next try and for a retry as far as it must not be repeated',
	(_, outcome, operation, byTry, byExecution) => {
		const triesKey = {};
		const kept: Kept = {};
		const ledger = ledgerOf({ operation, triesKey, kept });
		ledger.after(item, outcome);
		expect(ledgerOf({ operation, triesKey }).earlier(3, fingerprints)).toEqual(byTry ? outcome : undefined);
		ledger.save(5);
		expect(kept.items?.trim() !== '').toBe(byExecution);
		ledger.forget();
		expect(kept).toEqual({});
	},
);

describe('an item that claims its recipient', () => {
	test.each<[string, Known, string, object]>([
		['has the message', 'sent', 'skipped', { rows: [{ success: true, alreadySent: true }] }],
		['is in doubt', 'inDoubt', 'earlier', failureWith('unknown')],
		['cannot be looked up', { error: new Error('locked') }, 'storeFailed', failureWith('notDone')],
	])('does not leave if the recipient %s', async (_, standing, reason, result) => {
		const { ledger, claimed, told } = await ledgerWith(standing);
		expect(verdictOf(ledger, item)).toEqual({ reason, result });
		expect(claimed).toEqual(['Анна']);
		ledger.left(item);
		expect(told).toEqual([]);
	});

	test.each<[Result | Left, string]>([
		[done, 'sent'],
		[refused, 'notSent'],
		[unknown, 'unknown'],
		['interrupted', 'unknown'],
		['notSent', 'notSent'],
	])('leaves if its recipient is free, and its claim ends with the request', async (outcome, end) => {
		const { ledger, told } = await ledgerWith('claimed');
		expect(ledger.canClaim).toBe(true);
		expect(verdictOf(ledger, item)).toBe('go');
		ledger.left(item);
		ledger.after(item, outcome);
		expect(told).toEqual(['left Анна', `${end} Анна`]);
	});

	test('leaves at once if it has no value', async () => {
		const { ledger, claimed, told } = await ledgerWith('sent');
		expect(verdictOf(ledger, itemWithoutValue)).toBe('go');
		ledger.left(itemWithoutValue);
		ledger.after(itemWithoutValue, done);
		expect([claimed, told]).toEqual([[], []]);
	});
});

describe('an item of a retried execution', () => {
	const kept = { origin: 'исходная' };

	test.each<[string, Known, object]>([
		['was done', 'sent', done],
		['may have been done', 'inDoubt', failureWith('unknown')],
	])('claims itself by both fingerprints, and is remembered if it %s', async (_, standing, result) => {
		const triesKey = {};
		const { ledger, claimed } = await ledgerWith(standing, {
			kept: { ...kept },
			triesKey,
			usesSendOncePer: false,
		});
		expect(verdictOf(ledger, itemWithoutValue)).toEqual({ reason: 'earlier', result });
		expect(claimed[0]!.split('+')).toHaveLength(2);
		expect(ledgerOf({ triesKey }).earlier(3, fingerprints)).toEqual(result);
	});

	test('claims itself by the fingerprint that can be determined, which differs from that of the next item', async () => {
		const { ledger, claimed } = await ledgerWith('claimed', { kept, usesSendOncePer: false });
		const unreadable = { ...fingerprints, written: () => undefined };
		for (const index of [3, 4]) verdictOf(ledger, { ...itemWithoutValue, index, fingerprints: unreadable });
		expect(new Set(claimed).size).toBe(2);
		expect(claimed.join()).not.toContain('+');
	});

	test('claims its recipient if it has a value of Send Once Per', async () => {
		const { ledger, claimed } = await ledgerWith('claimed', { kept });
		expect(verdictOf(ledger, item)).toBe('go');
		expect(claimed).toEqual(['Анна']);
	});

	test('claims nothing if it is idempotent', async () => {
		const { ledger } = await ledgerWith('sent', { kept, operation: attach, usesSendOncePer: false });
		expect(ledger.canClaim).toBe(false);
		expect(verdictOf(ledger, itemWithoutValue)).toBe('go');
	});
});

test('A ledger says why n8n has no store, and opens a store only if it needs one', async () => {
	const failing = {
		owner: 'ничей',
		add: async () => await Promise.reject(new Error('This workflow is not saved')),
		remove: async () => {},
	};
	const needed = ledgerOf({ usesSendOncePer: true, entries: failing });
	await needed.open();
	expect(needed.canClaim).toBe(false);
	expect(needed.storeError).toEqual(new Error('This workflow is not saved'));
	const spared = ledgerOf({ entries: failing });
	await spared.open();
	expect([spared.canClaim, spared.storeError]).toEqual([false, undefined]);
	await expect(spared.close(undefined)).resolves.toBe(0);
});
