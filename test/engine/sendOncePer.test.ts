import { type IDataObject } from 'n8n-workflow';

import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import * as problems from '../../nodes/ChatbotService/run/values/valueProblems';
import { addContacts, type Contact } from '../../sandbox/emulator';
import { callByEngine, credentialFor, type RunOptions } from './harness';
import { toVk, toWhatsApp } from './messages';
import { all, came, howOften, newStore, withOnce } from './once';
import { goingOn, scene } from './scene';

/*
 * The promises of 'Send Once Per', through the real engine: with one value, a recipient gets at most one message, whatever is run
 * again. The emulator records the deliveries, and a store like n8n's keeps the entries. unit/sendOncePer.test.ts covers failures of
 * that store, runs that the user stops and processes that die; the table in test/cases has the values that are refused.
 */

const autumn = { ...toVk, ...withOnce('осень') };
const { service, run, optionsOf, refusal, answers, letters } = scene(autumn, { node: goingOn });

let stored = newStore();
beforeEach(() => void (stored = newStore()));

/** How the items of a run end, with another value of the option, or in another workflow. */
const outcomes = async (items: IDataObject[], value = 'осень', options: Partial<RunOptions> = {}) =>
	came(await run({ items, with: withOnce(value), ...stored, ...options }));

const byOrder = '={{ $json.order }}';
const label = sendOncePer.displayName;

test('who has it is skipped: other text, order or token', async () => {
	const items = letters(6);
	await outcomes(items);
	const again = items.map((item) => ({ ...item, text: 'Другой текст' })).reverse();
	service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
	const credential = credentialFor(service, { token: 'renewed-token', tokenPlacement: 'bearer' });
	const ends = await outcomes([...again, ...letters(1)], undefined, { credential });
	expect(ends).toEqual([...all(6, 'skipped'), 'sent']);
	expect(service.deliveries()).toHaveLength(7);
});

test('every node and every workflow keeps its own list', async () => {
	const items = letters(2);
	await outcomes(items);
	expect(await outcomes(items, 'осень', { node: { id: 'another' } })).toEqual(all(2, 'sent'));
	expect(await outcomes(items, 'осень', { workflowId: 'another' })).toEqual(all(2, 'sent'));
	expect(await outcomes(items)).toEqual(all(2, 'skipped'));
});

test('the store receives only digests', async () => {
	const [{ botId, phone }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
	const items = [{ botId, phone, text: 'Письмо' }];
	await run({ items, parameters: toWhatsApp, with: withOnce('осень'), ...stored });
	service.faults.add({ kind: 'server error' });
	await outcomes(letters(1));
	const values = stored.deduplication.calls.flat();
	expect(values.length).toBeGreaterThanOrEqual(6);
	for (const value of values) expect(value).toMatch(/^(sent|doubt) [\w-]{32}$/);
});

/* A workflow given as JSON may have nodes without IDs, which would share their entries in the store. */
test.each<[string, Partial<RunOptions>]>([
	['a workflow that was never saved', { workflowId: null }],
	['an n8n without the store', { deduplication: null }],
	['a node without an ID', { node: { id: '' } }],
])('without a store, a value is refused: %s', async (_, options) => {
	const value = withOnce("={{ $itemIndex === 1 ? 'осень' : '' }}");
	const { message, description } = await refusal({ with: value, items: letters(3), ...options });
	const { message: refused, advice } = problems.withoutStore(label, '');
	expect(message).toBe(`${refused} [Item 1]`);
	expect(description).toContain(advice);
});

test('an older agent, which has no store, reads why not', async () => {
	const [item] = letters(1);
	const [byItself] = await answers({}, { with: { contactId: String(item!.id), text: 'Добрый день' } });
	expect(byItself).toContain(problems.withoutStore(label, '').message);
	expect(howOften(service, [item!])).toEqual([1]);
});

test('for an agent, an execution is a conversation', async () => {
	const [item] = letters(1);
	const written = { ...withOnce('={{ $execution.id }}'), contactId: String(item!.id), text: 'Привет' };
	await callByEngine(optionsOf({ with: written, ...stored }), [{}, {}]);
	expect(howOften(service, [item!])).toEqual([1]);
});

test.each([
	["={{ 'order ' + $json.order }}", problems.lostPart(label, []).message],
	[byOrder, problems.unprotected(label).message],
])('an item without the data of %s fails alone', async (value, message) => {
	const orders = ['7', null, '9'];
	const items = letters(3).map((each, index) => ({ ...each, order: orders[index] })) as never;
	expect((await refusal({ with: withOnce(value), items })).message).toBe(`${message} [Item 1]`);
	expect(await outcomes(items, value)).toEqual(['sent', 'failed', 'sent']);
	expect(howOften(service, items)).toEqual([1, 0, 1]);
});

test.each(['', '={{ "  " }}'])('an empty value (%j) needs no store', async (value) => {
	const items = letters(2);
	for (const store of [stored, stored, { deduplication: null }])
		expect(await outcomes(items, value, store)).toEqual(all(2, 'sent'));
	expect(howOften(service, items)).toEqual([3, 3]);
});

const tree = [
	...['ёлка – 2026', 'Ёлка – 2026', 'ЁЛКА - 2026', 'ёлка  –  2026', ' ёлка – 2026\n', 'ёлка\u00a0— 2026'],
	...['ёлка\u200b – 2026', '\ufeffёлка – 2026', '«Ёлка – 2026»', '"ёлка – 2026"', 'ёлка\t– 2026'],
	...['ёлка – 2026'.normalize('NFD'), 'ёлка\ufe0f – 2026'],
];
const names = ['осень-2026', 'осень 2026', 'осень2026', 'осень-2027', 'осени-2026', '-', '«»', '“”', '🍂'];

/* One name, however people type it at the next start, is one message; names and numbers that people can tell apart are several. */
test.each([
	['the name of a broadcast in all spellings', tree, 1],
	['other names', names, 9],
	['other values', ['заказ', 'заказ 2', '5', '05', '5.0', '+7916', '7916', 1048576, 0, true], 10],
])('%s: each value stands for one message to a person', async (_, values, messages) => {
	const [item, other] = letters(2) as [{ id: number; text: string }, object];
	const items = values.map((order) => ({ ...item, order }));
	const ends = [...all(messages, 'sent'), ...all(values.length - messages, 'skipped')];
	expect(await outcomes(items, byOrder)).toEqual(ends);
	const again = items.map((each) => ({ ...each, order: ` ${each.order}\n`, text: 'Другие слова' }));
	expect(await outcomes(again, byOrder)).toEqual(all(values.length, 'skipped'));
	expect(await outcomes([item], String(values.at(-1)))).toEqual(['skipped']);
	expect(await outcomes([{ ...other, order: values[0] }], byOrder)).toEqual(['sent']);
	expect(howOften(service, [item])).toEqual([messages]);
});

test.each([
	...['order', '=order {{ $json.order }}', '=order {{ $json.zero }}'],
	...['=annullen {{ $json.order + "\\u00a0" }}', 'Math.random()', '={{ $execution.mode }}'],
	...['={{ $today.toISO() }}', "={{ $now.toFormat('kkkk-WW') }}", "={{ $now.startOf('month').toISO() }}"],
	...["=осень {{ $now.toFormat('yyyy-MM-dd HH') }} ч", '={{ $now.year }}, {{ $json.id }}'],
	...['={{ Math.floor(Date.now() / 3600000) }}', '={{ $workflow.id }}'],
])('a complete value, or one for a period, stands: %s', async (value) => {
	const items = letters(1).map((each) => ({ ...each, order: 'A-1', zero: 0 }));
	expect(await outcomes(items, value)).toEqual(['sent']);
	const [again] = await outcomes(items, value);
	// The hour can end between the two runs.
	expect(howOften(service, items)).toEqual([again === 'skipped' ? 1 : 2]);
});
