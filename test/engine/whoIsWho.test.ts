import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { credentialFor, hintsOf, runNode, useEmulator } from './harness';
import { problemOf } from './messages';

/* A person is who is meant: phone numbers, IDs and usernames are not taken for each other, and words for nothing are no data. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const run = async (parameters: INodeParameters, items: IDataObject[] = [{}]) =>
	await runNode({ parameters, items, credential: credentialFor(service) });

const upsert = (changes: INodeParameters): INodeParameters => ({
	...{ resource: 'contact', operation: 'upsert', botId: String(bots.school), messenger: 'telegram' },
	...{ externalId: '284119035', contactName: 'Полина', ...changes },
});

const getMany = (filters: INodeParameters, more: INodeParameters = {}): INodeParameters => ({
	...{ resource: 'contact', operation: 'getAll', returnAll: true, filters },
	...more,
});

/** The message for the values that a kind refuses. */
const saidOf = (kind: Kind, value: unknown, label: string) =>
	`${problemOf(kind(value, label)).message} [Item 0]`;

const phoneNumbers = [
	...['89161234567', '+79161234567', '8 (916) 123-45-67', 'tel:+7-916-123-45-67', '79161234567@c.us'],
	...[79161234567, '89161234567.0', '0079161234567', '+380441234567', '84951234567', '77011234567'],
];

const ids = ['284119035', 7284119035, '5000000001', '85212345678', '12025550123'];

const inMessenger = kinds.messengerId('');

describe('a phone number is no ID', () => {
	const rows = ['telegram', 'vk', 'viber'].flatMap((messenger) =>
		phoneNumbers.map((number) => [messenger, number] as const),
	);

	test.each(rows)('in %s, so Create or Update refuses %j', async (messenger, number) => {
		const { error } = await run(upsert({ messenger, externalId: '={{ $json.number }}' }), [{ number }]);
		expect(error?.message).toBe(saidOf(inMessenger, number, labelOf('contact/upsert', 'externalId')));
		expect(error?.description).toContain('WhatsApp');
		expect(service.requests).toEqual([]);
	});

	test.each(phoneNumbers)(
		'so the filter by ID refuses %j, and names the filter by number',
		async (number) => {
			const { error } = await run(getMany({ messengerId: '={{ $json.number }}' }), [{ number }]);
			expect(error?.message).toBe(
				saidOf(inMessenger, number, labelOf('contact/getAll', 'filters.messengerId')),
			);
			expect(error?.description).toContain(`'${labelOf('contact/getAll', 'filters.phone')}'`);
			expect(service.requests).toEqual([]);
		},
	);

	test.each(ids)('but %j is one', async (id) => {
		const { error } = await run(upsert({ externalId: '={{ $json.id }}' }), [{ id }]);
		expect([error, service.requests[0]!.input.telegram_id]).toEqual([undefined, String(id)]);
	});
});

describe('a username in Telegram', () => {
	test.each([
		'@anna_sokolova_kazan',
		' @Anna_Sokolova_Kazan',
		'\u200b@ANNA_SOKOLOVA_KAZAN',
		'="@anna_sokolova_kazan"',
		'https://t.me/anna_sokolova_kazan',
		'telegram.me/anna_sokolova_kazan',
	])('finds its contact as an ID: %j', async (messengerId) => {
		const { json } = await run(getMany({ messengerId }));
		expect(json).toMatchObject([{ id: contacts.telegram }]);
	});

	test.each(['@anna_sokolova', '@sokolova_kazan', '@284119035', '@undefined_kazan'])(
		'finds nobody else: %j',
		async (messengerId) => {
			expect((await run(getMany({ messengerId }))).json).toEqual([]);
		},
	);

	test.each([
		'@',
		"={{ '@' + ($json.username ?? '') }}",
		't.me/',
		"={{ 'https://t.me/' + ($json.username ?? '') }}",
		'@?',
	])('without the name finds nobody, and is refused: %j', async (messengerId) => {
		const { error } = await run(getMany({ messengerId }), [{}]);
		expect(error?.message).toContain('is not an ID in this messenger');
		expect(service.requests).toEqual([]);
	});
});

/* All such words, and the fields that refuse them: pasted/names.ts. */
describe('a word for a value that is missing', () => {
	test.each<[string, INodeParameters]>([
		['a tag to filter by', getMany({ hasNoTags: '={{ $json.value }}' })],
		['one of several tags', upsert({ additionalFields: { tags: '=VIP, {{ $json.value }}' } })],
	])('is not %s', async (_, parameters) => {
		const { error } = await run(parameters, [{ value: '#N/A' }]);
		expect(error?.message).toContain('holds no name, but what a program has written');
		expect(service.requests).toEqual([]);
	});
});

test('contacts without a readable time of creation come out of a period, and a notice says how many', async () => {
	const times = [
		null,
		undefined,
		'вчера',
		'2026-04-01 10:30:00',
		'',
		'2026-04-02T10:00:00Z',
		'2025-01-01T00:00:00Z',
	];
	const data = times.map((created_at, id) => ({ id: id + 1, created_at, name: 'Анна' }));
	const credential = credentialFor(await startAnswering(() => ({ data })));
	const read = async (filters: INodeParameters) => {
		const result = await runNode({ parameters: getMany(filters), credential });
		return [result.json.map(({ id }) => id), hintsOf(result)];
	};
	const said = [expect.stringMatching(/^5 of these contacts have no time of creation/)];
	expect(await read({ createdAfter: '2026-04-01' })).toEqual([[1, 2, 3, 4, 5, 6], said]);
	expect(await read({ createdBefore: '2026-04-01' })).toEqual([[1, 2, 3, 4, 5, 7], said]);
	expect(await read({ name: 'анна' })).toEqual([[1, 2, 3, 4, 5, 6, 7], []]);
});
