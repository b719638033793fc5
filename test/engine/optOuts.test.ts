import { partUnreadable } from '../../nodes/ChatbotService/client/failure/failure';
import { addContact, addContacts, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import { readerOf } from './contacts';
import { credentialFor, hintsOf, useEmulator, type RunOptions } from './harness';

/*
 * Has No Tags, by which people who want no messages are left out. It is the only filter that a misspelled tag, or tags in an unknown
 * form, would make wider: these people would get the message.
 */

const service = useEmulator();

const read = readerOf(service);

const without = async (hasNoTags: unknown, options: Partial<RunOptions> = {}) =>
	await read(
		{ filters: { hasNoTags: '={{ $json.tags }}' } },
		{ items: [{ tags: hasNoTags } as never], ...options },
	);

const refuser = (tag = 'Не писать') =>
	addContact(service.data, {
		...{ botId: SEEDED.bots.school, messenger: 'telegram', name: 'Отказник', externalId: '777' },
		...{ phone: undefined, tags: [tag] },
	});

const noticeOf = (tags: string) => `No contact has the tag ${tags}: nobody was left out because of it.`;

test.each<[string, unknown]>([
	['in another case', 'НЕ ПИСАТЬ'],
	['with two blanks', 'Не  писать'],
	['with a tab', 'Не\tписать'],
	['with a blank that does not break', 'Не\u00a0писать '],
	['in a list', ['Не писать']],
	['in a list as text', '["Не писать"]'],
	['in quotation marks', '"Не писать"'],
	['in single quotation marks', "'Не писать'"],
])('a tag leaves out its contacts when it is written %s', async (_, tags) => {
	refuser();
	const result = await without(tags);
	expect(result.json).toHaveLength(service.data.contacts.size - 1);
	expect(result.json.map(({ name }) => name)).not.toContain('Отказник');
	expect(hintsOf(result)).toEqual([]);
});

test('a tag that the service writes with two blanks leaves out its contacts, too', async () => {
	refuser('Не  писать');
	expect((await without('Не писать')).json.map(({ name }) => name)).not.toContain('Отказник');
});

describe('a tag that no contact has', () => {
	beforeEach(() => void refuser());

	test.each<[unknown, string]>([
		['Не писать.', "'Не писать.'"],
		['Неписать', "'Неписать'"],
		['не-писать', "'не-писать'"],
		['#Не писать', "'#Не писать'"],
		['«Не писать»', "'«Не писать»'"],
		['Не писать|Отписан', "'Не писать|Отписан'"],
		// With a Latin letter.
		['Нe писать', "'Нe писать'"],
		['Не писать; Отписан', "'Отписан'"],
		['"Не писать","Отписан"', "'Отписан'"],
		['["Отписан","Не писать","Бывший"]', "'Отписан' or the tag 'Бывший'"],
	])('is named in a notice, and no other one: %j', async (tags, named) => {
		expect(hintsOf(await without(tags))).toEqual([noticeOf(named)]);
	});

	test('is named for the item whose filter has it', async () => {
		const result = await without('', { items: [{ tags: 'Не писать' }, { tags: 'Отписан' }] });
		expect(hintsOf(result)).toEqual([`${noticeOf("'Отписан'")} (1 of 2 items)`]);
	});

	test('is named only after all contacts were read, because a later one may have it', async () => {
		addContacts(service.data, 1100);
		const filters = { hasNoTags: 'Отписан' };
		expect(hintsOf(await read({ returnAll: false, limit: 5, filters }))).toEqual([]);
		expect(hintsOf(await read({ filters }))).toEqual([noticeOf("'Отписан'")]);
	});

	test('is not named if a contact is left out by a variable of the same name', async () => {
		const refuserByVariable = refuser('VIP');
		refuserByVariable.variables.push({ id: 1, name: 'отписан', value: '1', deletable: false });
		const variables = { conditions: [{ name: 'Отписан', condition: 'notExists' }] };
		expect(hintsOf(await read({ filters: { hasNoTags: 'Отписан', variables } }))).toEqual([]);
	});

	test('is not named if a contact on the last page has it', async () => {
		addContacts(service.data, 1100);
		refuser('Отписан');
		expect(hintsOf(await without('Отписан'))).toEqual([]);
	});
});

describe('tags as a service may write them', () => {
	const others = { id: 2, name: 'Борис', tags: ['VIP'] };

	const from = async (tags: unknown, parameters?: RunOptions['parameters']) => {
		const answering = await startAnswering(() => ({ data: [{ id: 1, name: 'Отказник', tags }, others] }));
		const options = { credential: credentialFor(answering) };
		return await (parameters ? read(parameters, options) : without('Не писать', options));
	};

	test.each<[unknown]>([
		[['Не писать']],
		[[{ id: 7, name: 'не писать' }]],
		[{ 1: 'Не писать' }],
		[{ data: [{ name: 'Не писать' }] }],
		[{ data: ['Не писать'], total: 1 }],
	])('%j are read: the person is left out', async (tags) => {
		expect((await from(tags)).json.map(({ name }) => name)).toEqual(['Борис']);
	});

	test.each<[unknown]>([[[]], [null], [''], [{}], [{ data: [] }]])('%j are no tags', async (tags) => {
		expect((await from(tags)).json.map(({ name }) => name)).toEqual(['Отказник', 'Борис']);
		expect((await from(tags, { include: ['tags'] })).json[0]!.tags).toEqual([]);
	});

	const unknown: unknown[] = [
		...[[{ title: 'Не писать' }], [{ tag: { name: 'Не писать' } }], { 'Не писать': true }],
		...['Не писать', 'Не писать,VIP', '["Не писать"]', [{ id: 7 }], [7], false, 0, ['VIP', null]],
		...[[{ name: '' }], [{ name: { ru: 'Не писать' } }], [['Не писать']]],
		...[{ data: { data: ['Не писать'] } }, { items: ['Не писать'] }, { name: 'Не писать' }],
	];

	test.each(unknown.map((tags) => [tags]))(
		'%j are unknown, not none: nobody comes out, and the error shows them',
		async (tags) => {
			const { json, error } = await from(tags);
			const { message, description } = partUnreadable('tags', tags);
			expect([json, error?.message, error?.description]).toEqual([[], `${message} [Item 0]`, description]);
			// Without a filter by tag, they come out as they are, and a notice says so.
			const included = await from(tags, { include: ['tags'] });
			expect(included.json[0]!.tags).toEqual(tags);
			expect(JSON.stringify(included.json)).not.toMatch(/"undefined"|\[object/);
			expect(hintsOf(included)).toEqual([expect.stringContaining('cannot read the tags')]);
		},
	);
});
