import type { INodeParameters } from 'n8n-workflow';

import { parametersOf, operationOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { credentialFor, runNode, useEmulator } from './harness';

/*
 * A table that was read in another encoding than it has reaches nobody, and replaces no name, which nobody could restore. Excel in Russia
 * saves CSV in Windows-1251, and n8n reads UTF-8.
 */

const service = useEmulator();

const inWindows1251 = (text: string) =>
	Buffer.from(
		[...text].map((letter) => letter.charCodeAt(0)).map((code) => (code < 128 ? code : code - 0x350)),
	);
const asWindows1251 = (text: string) => new TextDecoder('windows-1251').decode(utf8(text));
const utf8 = (text: string) => Buffer.from(text, 'utf8');

const misread: Array<[how: string, text: string]> = [
	['Windows-1251 as UTF-8', inWindows1251('Анна').toString('utf8')],
	['a word of two letters in Windows-1251 as UTF-8', `Ok: ${inWindows1251('да').toString('utf8')}`],
	['UTF-16 as UTF-8', Buffer.from('\ufeffAnna', 'utf16le').toString('utf8')],
	['Latin letters in UTF-16 as Latin-1', Buffer.from('Anna', 'utf16le').toString('latin1')],
	['Cyrillic letters in UTF-16 as UTF-8', Buffer.from('Анна', 'utf16le').toString('utf8')],
	['the same in the other order of bytes', Buffer.from('Анна', 'utf16le').swap16().toString('utf8')],
	['UTF-8 as Latin-1', utf8('Анна').toString('latin1')],
	['UTF-8 as Windows-1252', 'ÐŸÑ€Ð¸Ð²ÐµÑ‚'],
	['words of one letter', utf8('я и').toString('latin1')],
	['a name of three letters in UTF-8 as Windows-1251', asWindows1251('Юра')],
	['an emoji of UTF-8 as Latin-1', utf8('Sale 🎁').toString('latin1')],
	['an emoji of UTF-8 as Windows-1252', 'Sale ðŸŽ\u0081'],
	['quotation marks of UTF-8 as Latin-1', utf8('“Rose”').toString('latin1')],
	['quotation marks of UTF-8 as Windows-1252', 'â€œRoseâ€\u009d'],
	['a dash of UTF-8 as Windows-1251', asWindows1251('Rose — 5')],
	['Windows-1251 as Latin-1', 'Здравствуйте, Àííà!'],
	['Windows-1251 as Windows-1252', 'Ï¸òð Ñîêîëîâ'],
	['KOI8-R as Windows-1251', 'ъДТБЧУФЧХКФЕ, бООБ!'],
	['a name in KOI8-R as Windows-1251', 'Здравствуйте, йЧБО!'],
	['CP866 as Windows-1251', '‡¤а ўбвўг©вҐ'],
	['a name in CP866 as Windows-1251', '‘®Є®«®ў\u00a0'],
];

const list = (given: object) => ({ ...given, type: 'string', is_required: false });

/** Fields that take texts, names and values, and how each of them gets a value. */
const fields: Array<[title: string, label: string, (value: string) => object]> = [
	['message/send', labelOf('message/send', 'text'), (text) => ({ text, content: ['text'] })],
	['message/sendToWhatsApp', labelOf('message/sendToWhatsApp', 'text'), (text) => ({ text })],
	['message/sendAndWait', labelOf('message/sendAndWait', 'message'), (message) => ({ message })],
	[
		'message/sendAndWait',
		labelOf('message/sendAndWait', 'options.responseFormTitle'),
		(responseFormTitle) => ({ 'options.responseFormTitle': responseFormTitle }),
	],
	['contact/upsert', labelOf('contact/upsert', 'contactName'), (contactName) => ({ contactName })],
	[
		'contact/upsert',
		labelOf('contact/upsert', 'additionalFields.tags'),
		(tags) => ({ 'additionalFields.tags': tags }),
	],
	['contact/getAll', labelOf('contact/getAll', 'filters.name'), (name) => ({ 'filters.name': name })],
	[
		'contactVariable/upsert',
		labelOf('contactVariable/upsert', 'variableName'),
		(name) => ({ variableName: name }),
	],
	[
		'contactVariable/upsert',
		labelOf('contactVariable/upsert', 'variableValue'),
		(variableValue) => ({ variableValue }),
	],
	['tag/attach', labelOf('tag/attach', 'tagName'), (tag) => ({ tagName: tag })],
	[
		'listItem/create',
		goodsColumns({}).schema[0]!.displayName,
		(title) => ({ columns: goodsColumns({ title }) }),
	],
	[
		'listItem/update',
		'photos',
		(photos) => ({ columns: { mappingMode: 'defineBelow', value: { photos }, schema: [] } }),
	],
	['listSchema/create', labelOf('listSchema/create', 'listName'), (listName) => ({ listName })],
];

const run = async (title: string, changes: object, item: object) =>
	await runNode({
		parameters: parametersOf(operationOf(title).variants[0]!, changes as INodeParameters),
		credential: credentialFor(service),
		items: [item as never],
	});

test.each(
	fields.flatMap(([title, label, changes], place) =>
		misread
			// All fields have the same check.
			.filter((_, form) => place === 0 || form === place)
			.map(([how, text]) => [title, label, how, text, changes] as const),
	),
)('%s: %s with %s is refused before anything leaves', async (title, label, _, value, changes) => {
	const { error } = await run(title, changes('={{ $json.value }}'), { value });
	expect(error?.message).toBe(`'${label}' holds characters that were lost when a file was read [Item 0]`);
	expect(error?.description).toContain('Extract from File');
	expect(service.requests).toEqual([]);
});

test('in a list of values and in the JSON of a list, too', async () => {
	const lost = inWindows1251('Анна').toString('utf8');
	const columns = { mappingMode: 'defineBelow', value: { photos: '={{ $json.value }}' }, schema: [] };
	const items = await run('listItem/update', { columns }, { value: ['Роза', { name: lost }] });
	const fieldsJson = JSON.stringify([list({ name: lost, slug: 'city' })]);
	const schema = await runNode({
		parameters: {
			resource: 'listSchema',
			operation: 'create',
			listName: 'Заказы',
			fieldsInput: 'json',
			fieldsJson,
		},
		credential: credentialFor(service),
	});
	for (const { error } of [items, schema]) expect(error?.message).toContain('lost when a file was read');
	expect(service.requests).toEqual([]);
});

test.each([
	'Ёлка — 5 °C, «Роза», №7…',
	'С… С… Сергей? РСС»',
	'СІРІ ШТАНИ, їжак і ґудзик',
	'Señor Núñez, été, Ñandú, ÐÑ, Ñ½',
	'Þórður Ðað “Ísafjörður”, blóðþáttum',
	...[
		'jäääär ja öö',
		'Où êtes-vous, là-bas ? Noël, créée',
		'Größe: 10 × 20 äöüß',
		'Đặng Thị Ước',
		'Что??? Где?!',
	],
	...[
		'зДРАВСТВУЙТЕ, аННА! вАШ ЗАКАЗ ГОТОВ',
		'СКИДКА ДНЯ',
		'мРНК и еГАИС',
		'©\u00a0ООО «Роза»\u00a0®, §\u00a05…',
	],
	...['Заўважыў воўка\u00a0ў лесе', 'Їжак з’їв\u00a0ґрунт', '……………, \u00a0\u00a0\u00a0\u00a0да'],
	'Ђорђе Џајић, срџба',
	'👩‍👩‍👧 ok',
	'日本語 العربية हिन्दी',
	'Строка\tс табуляцией\r\nи\u00a0пробелом\u200b',
	...['Скидка \ud83d', 'Скидка \ufffd', '\udc00 или \ud83d'],
])('%s leaves as it is, and half an emoji as the sign for it', async (text) => {
	const { error } = await run(
		'message/send',
		{ content: ['text'], text: '={{ $json.value }}' },
		{ value: text },
	);
	expect([error, service.deliveries().map((sent) => sent.text)]).toEqual([
		undefined,
		[utf8(text).toString()],
	]);
});
