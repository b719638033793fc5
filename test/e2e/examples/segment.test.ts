import { tagsMissing } from '../../../nodes/ChatbotService/client/failure';
import type { Execution } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import {
	doneButNotSaid,
	mayBeSent,
	mayBeSentAlready,
	openExamples,
	refusal,
	rows,
} from '../support/examples';

const { bench, change, contact, delivered, putBack, requestsOf, run } = openExamples();

const file = 'broadcast-to-segment.json';
const tag = 'Пробный урок';
const optOut = 'Не писать';
const blocked = 'Контакт заблокировал бота.';
const settings = (broadcast: string) => ({
	assignments: {
		assignments: [
			{ id: '1', name: 'bot_id', value: String(SEEDED.bots.school), type: 'string' },
			{ id: '2', name: 'broadcast', value: broadcast, type: 'string' },
			{ id: '3', name: 'tag', value: tag, type: 'string' },
			{ id: '4', name: 'opt_out_tag', value: optOut, type: 'string' },
		],
	},
	options: {},
});
const named = async (broadcast: string) =>
	await change(file, { 'What to send': { parameters: settings(broadcast) } });
/** A column of the report, by contact. */
const reported = (execution: Execution, column: 'outcome' | 'reason' | 'messenger') =>
	Object.fromEntries(rows(execution, 'Report').map((row) => [row.contact_id, row[column]]));
const outcomes = (execution: Execution) => reported(execution, 'outcome');
const reasons = (execution: Execution) => reported(execution, 'reason');
const countsDelivered = () => Object.entries(delivered()).map(([id, texts]) => [Number(id), texts.length]);

afterEach(async () => await putBack(file));

test('a broadcast reaches the segment once and reports who was not reached and why; a second run sends only to these', async () => {
	const { service } = bench;
	for (const id of [5002, 5004, 5008]) contact(id).tags.push(tag);
	service.faults.add(doneButNotSaid('sendMessage', 5004));
	service.faults.add(refusal('sendMessage', blocked, 5008));

	const first = await run(file);
	expect(first.status).toBe('success');
	expect(outcomes(first)).toEqual({ 5001: 'accepted', 5002: 'accepted', 5004: 'unknown', 5008: 'not reached' });
	expect(reasons(first)).toMatchObject({
		5001: '',
		5004: expect.stringContaining(mayBeSent),
		5008: expect.stringContaining(blocked),
	});
	expect(reported(first, 'messenger')).toMatchObject({ 5001: 'telegram', 5002: 'whatsapp', 5004: 'vk' });
	expect(rows(first, 'How many of each outcome')).toEqual(
		expect.arrayContaining([
			{ outcome: 'accepted', count_contact_id: 2 },
			{ outcome: 'not reached', count_contact_id: 1 },
			{ outcome: 'unknown', count_contact_id: 1 },
		]),
	);
	expect(first.output('Report for Excel')).toEqual([
		expect.objectContaining({
			binary: { data: expect.objectContaining({ fileName: 'broadcast-report.xlsx' }) },
		}),
	]);
	expect(Object.keys(delivered()).map(Number)).toEqual([5001, 5002, 5004]);
	expect(delivered()[5001]).toEqual([expect.stringContaining('Здравствуйте, Анна Соколова!')]);
	expect(requestsOf('sendMessage')).toHaveLength(4);

	service.faults.clear();
	const second = await run(file);
	expect(outcomes(second)).toEqual({
		...outcomes(first),
		5001: 'accepted before',
		5002: 'accepted before',
		5008: 'accepted',
	});
	expect(reasons(second)).toMatchObject({ 5001: '', 5004: expect.stringContaining(mayBeSentAlready) });
	expect(countsDelivered()).toEqual([5001, 5002, 5004, 5008].map((id) => [id, 1]));
});

test('a broadcast leaves out people with the opt-out tag, and those of other bots', async () => {
	contact(5002).tags.push(tag, optOut);
	contact(5004).tags.push(tag);
	contact(SEEDED.contacts.viber).tags.push(tag);
	await named('Не писать');
	expect(outcomes(await run(file))).toEqual({ 5001: 'accepted', 5004: 'accepted' });
	expect(countsDelivered()).toEqual([5001, 5004].map((id) => [id, 1]));
});

test('texts of the service do not make the outcome of a broadcast unknown', async () => {
	const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
	bench.service.faults.add(refusal('sendMessage', misleading, 5001));
	await named('Слова');
	const execution = await run(file);
	expect(reasons(execution)[5001]).toContain(misleading);
	expect(outcomes(execution)).toEqual({ 5001: 'not reached' });
});

test('a broadcast that is interrupted after the messages sends to nobody twice when it runs again', async () => {
	await change(file, {
		'What to send': { parameters: settings('Обрыв') },
		Report: {
			type: 'n8n-nodes-base.stopAndError',
			typeVersion: 1,
			parameters: { errorMessage: 'Broken off' },
		},
	});
	expect((await run(file)).status).toBe('error');
	expect(countsDelivered()).toEqual([[5001, 1]]);

	await putBack(file);
	await named('Обрыв');
	expect(outcomes(await run(file))).toEqual({ 5001: 'accepted before' });
	expect(countsDelivered()).toEqual([[5001, 1]]);
});

test('a broadcast reads all contacts of the bot, 500 per request, and no tags of single contacts', async () => {
	const added = addContacts(bench.service.data, 1200);
	added.at(-1)!.tags.push(tag);
	await named('Страницы');
	expect(Object.keys(outcomes(await run(file))).map(Number)).toEqual([5001, added.at(-1)!.id]);
	const pages = requestsOf('getContacts').map(({ query }) => [query.page ?? '1', query.count]);
	expect(pages).toEqual(['1', '2', '3'].map((page) => [page, '500']));
	expect(requestsOf('getContactTags')).toEqual([]);
});

test('a broadcast to a tag that nobody has sends nothing', async () => {
	contact(5001).tags = [];
	await named('Никого');
	const execution = await run(file);
	expect(execution.status).toBe('success');
	expect(execution.nodes).not.toContain('Send the message');
});

test('a broadcast fails with the reason before it sends anything when the service returns no tags', async () => {
	bench.service.dialect.with = 'ignored';
	await named('Без тегов');
	const { status, error } = await run(file);
	expect(status).toBe('error');
	expect(error?.message).toContain(tagsMissing().message);
	expect(bench.service.requests.map(({ operation }) => operation)).toEqual(['getContacts']);
});

test('a broadcast fails with the reason before it sends anything when its list is refused', async () => {
	bench.service.faults.add(refusal('getContacts', 'Неверный бот.'));
	await named('Отказ');
	const { status, error } = await run(file);
	expect(status).toBe('error');
	expect(error?.description).toContain('Неверный бот.');
	expect(delivered()).toEqual({});
});
