import { evaluate } from '../unit/expression';

/*
 * Values from spreadsheets, CRMs, web pages, messengers and other programs: for each field, how the
 * node reads them or why it refuses them.
 */

export interface PastedInto {
	/** Title of the variant of an operation. */
	variant: string;
	/** Name of the field, and its label in the editor. */
	field: string;
	label: string;
	/** Accepted values, and what is sent for each. */
	taken: Array<[received: unknown, travels: unknown]>;
	/** Refused values, with the error texts. */
	refused: Array<[received: unknown, words: string]>;
}

const refusedAs = (words: string, values: unknown[]): PastedInto['refused'] =>
	values.map((value) => [value, words]);

const person = '+79161234567';
const noNumber = 'must be a whole number';
const noPhone = 'must be a phone number';
const noText = 'must be text';
const noAddress = 'must be a complete URL';
const noSwitch = 'must be true or false';
const noJson = 'must be valid JSON';
const empty = 'is empty';

/** Spellings of a whole number from Google Sheets, Excel and databases. */
const ids: PastedInto['taken'] = [
	[1048576, 1048576],
	[1048576.0, 1048576],
	['1048576', 1048576],
	[' 1048576\n', 1048576],
	['\u00a01048576\u00a0', 1048576],
	['1048576.0', 1048576],
	['1048576,0', 1048576],
	['1048576.00', 1048576],
	["'1048576", 1048576],
	['="1048576"', 1048576],
	['\u200b1048576\ufeff', 1048576],
	['0001048576', 1048576],
];

const noIds: PastedInto['refused'] = [
	...refusedAs(noNumber, [
		'1048576.5',
		1048576.5,
		'1,048,576',
		'1.048.576',
		'1 048 576',
		'1\u00a0048\u00a0576',
	]),
	...refusedAs(noNumber, [
		'1.000',
		'1,000',
		'1,04858E+06',
		'1.04858E+06',
		'-1048576',
		-5,
		0,
		'0',
		'№ 1048576',
	]),
	...refusedAs(noNumber, [
		'id1048576',
		'1048576, 1048577',
		'#Н/Д',
		'#REF!',
		'NaN',
		'undefined',
		'Анна',
		true,
	]),
	...refusedAs(noNumber, [[1048576], { id: 1048576 }, '９９', '²', new Date(0)]),
	...refusedAs(empty, ['', ' ', '\u00a0', null, undefined]),
];

/** All of them mean the same person. */
export const spellingsOfOnePerson: unknown[] = [
	...[person, '79161234567', 79161234567, '89161234567', '0079161234567', '79161234567.0', '79161234567,0'],
	...['89161234567.00', '+79161234567.0', '79161234567.0000', '+7 916 123-45-67', '8 (916) 123-45-67'],
	...[
		'+7\u00a0916\u00a0123\u201145\u201167',
		'8 916 123\u201345\u201367',
		'8\u2009916\u2009123\u2014\u200945\u200967',
	],
	...[
		"'+79161234567",
		'’+7 916 123 45 67',
		'`89161234567',
		'="+79161234567"',
		'"+7 (916) 123-45-67"',
		'«89161234567»',
	],
	...['tel:+79161234567', 'TEL: 8 916 123-45-67', 'tel://+79161234567', "'tel:+7-916-123-45-67"],
	...['\u202a+7 916 123-45-67\u202c', '\u200e+79161234567', '+7\u00ad9161234567', '\ufeff79161234567'],
	...[
		'(+7) 916 123-45-67',
		'+7(916)1234567',
		'+7-916-123-45-67',
		'7.916.123.45.67',
		'+7.9161234567',
		'8.916.123.45.67',
	],
	...['+7 916 123 - 45 - 67', ' +7 916 1234567\n', '+79161234567.', '8-916-1234567;'],
];

const phones: PastedInto['taken'] = [
	...spellingsOfOnePerson.map((spelling): [unknown, unknown] => [spelling, person]),
	// Russia and Kazakhstan.
	['8 (495) 123-45-67', '+74951234567'],
	['87011234567', '+77011234567'],
	['+7 701 123 45 67', '+77011234567'],
	// Other countries, with their codes.
	['+380 44 123-45-67', '+380441234567'],
	['+375 (29) 123-45-67', '+375291234567'],
	['00 49 170 1234567', '+491701234567'],
	['+49 (0)170 1234567', '+491701234567'],
	['+44\u00a0(0) 20\u00a07946\u00a00958', '+442079460958'],
	['+1.4155552671', '+14155552671'],
	['+8 916 123-45-67', '+89161234567'],
	// Without an unambiguous country code: unchanged.
	['84951234567', '84951234567'],
	['8 (029) 123-45-67', '8 (029) 123-45-67'],
	['80291234567', '80291234567'],
	['380441234567', '380441234567'],
	['9161234567', '9161234567'],
	['916\u00a0123\u201145\u201167', '916 123-45-67'],
	['123-45-67', '123-45-67'],
	['4155552671.0', '4155552671'],
];

const noPhones: PastedInto['refused'] = [
	// Dates, amounts, versions, addresses on the internet.
	...refusedAs(noPhone, [
		'22.11.2026',
		'2026-11-22',
		'1979-12-31 10',
		'31.12.1979',
		'2026.11.22',
		'22-11-2026',
	]),
	...refusedAs(noPhone, [
		'1-2-2026 11',
		'22.11.2026 10:15',
		'2026-11-22T10:15:00.000Z',
		new Date(0),
		'22/11/2026',
	]),
	...refusedAs(noPhone, [
		'1000000.50',
		'+1000000.50',
		1000000.5,
		'79161234567.5',
		79161234567.5,
		'7.9161234567',
		'1000000,50',
	]),
	...refusedAs(noPhone, [
		'1.234.567',
		'1.234.567.890',
		'79.161.234.567',
		'1.2.3.4.5.6.7',
		'7..916.123.45.67',
	]),
	...refusedAs(noPhone, [
		'192.168.100.200',
		'79.137.174.211',
		'415.555.2671',
		'.79161234567',
		'2.41.1.20261122',
	]),
	// What spreadsheets turn a number into.
	...refusedAs(noPhone, [
		'7,91612E+10',
		'7.91612E+10',
		7.91612e-10,
		1e21,
		'###########',
		'#Н/Д',
		'#ERROR!',
		'79161234567.000',
	]),
	// More or less than one number.
	...refusedAs(noPhone, [
		'+79161234567, +79161234568',
		'+7 916 123-45-67 / 68',
		'79161234567 79161234568',
		'8916',
	]),
	...refusedAs(noPhone, [
		'+7 916 123-45-67 доб. 5',
		'+7 916 123-45-67 #5',
		'+79161234567x5',
		'+',
		'-79161234567',
	]),
	...refusedAs(noPhone, [
		-79161234567,
		'+0 916 123-45-67',
		'++79161234567',
		'+7+9161234567',
		'нет',
		'Анна',
		true,
	]),
	...refusedAs(noPhone, [
		'anna@example.com',
		'@anna',
		'https://wa.me/79161234567',
		'79161234567@c.us',
		'-',
		'١٢٣٤٥٦٧',
	]),
	...refusedAs(noText, [[person], { phone: person }, NaN]),
	...refusedAs(empty, ['', '  ', null, undefined]),
];

/** Digits may be an ID, so nothing is added to them. */
const phonesOrIds: PastedInto['taken'] = [
	['284119035', '284119035'],
	[284119035, '284119035'],
	['284119035.0', '284119035'],
	['79161234567', '79161234567'],
	['79161234567.0', '79161234567'],
	["'79161234567", '79161234567'],
	['89161234567', '89161234567'],
	['-1001234567890', '-1001234567890'],
	['\u22121001234567890', '-1001234567890'],
	[' u7Qm1dXkPq0Zs3R8fT2yLw== ', 'u7Qm1dXkPq0Zs3R8fT2yLw=='],
	['+u7Qm1dXkPq0Zs3R8fT2yLw==', '+u7Qm1dXkPq0Zs3R8fT2yLw=='],
	['@anna', '@anna'],
	['id_284119035', 'id_284119035'],
	['79161234567@c.us', '79161234567@c.us'],
	[person, person],
	['+7\u00a0916\u00a0123\u201145\u201167', person],
	['8 (916) 123-45-67', person],
	["'+79161234567", person],
	['tel:+7-916-123-45-67', person],
	['9 161 234 567', '9 161 234 567'],
];

const noPhonesOrIds: PastedInto['refused'] = [
	...refusedAs(noPhone, [
		'22.11.2026',
		'2026-11-22',
		'284119035.5',
		284119035.5,
		'1.2.3.4.5.6.7',
		'79161234567, 284119035',
	]),
	...refusedAs(noPhone, ['192.168.100.200', '12 345', '+', '()', 'tel:Анна']),
	...refusedAs(noText, [['284119035'], {}]),
	...refusedAs(empty, ['', '\u00a0', null]),
];

const messengers: PastedInto['taken'] = [
	...[
		'telegram',
		'Telegram',
		'TELEGRAM',
		' telegram ',
		'"telegram"',
		'tg',
		'TG',
		'тг',
		'телеграм',
		'Телеграмм',
	].map((name): [unknown, unknown] => [name, 'telegram']),
	...['whatsapp', 'WhatsApp', 'whatsapp ', 'Whats App', 'whats-app', 'WA', 'ватсап', 'Вотсап', 'Вацап'].map(
		(name): [unknown, unknown] => [name, 'whatsapp'],
	),
	...['vk', 'VK', 'вк', 'ВК', 'ВКонтакте', 'vkontakte', '\u200bvk'].map((name): [unknown, unknown] => [
		name,
		'vk',
	]),
	...['viber', 'Viber\u00a0', 'вайбер'].map((name): [unknown, unknown] => [name, 'viber']),
	...['max', 'MAX', 'Макс'].map((name): [unknown, unknown] => [name, 'max']),
];

const noMessenger = 'must be one of';
const noMessengers: PastedInto['refused'] = [
	...refusedAs(noMessenger, [
		'instagram',
		'ok',
		'Одноклассники',
		'telegram, vk',
		'vk.com',
		'т',
		'w',
		'sms',
		'true',
		'1',
	]),
	...refusedAs(noMessenger, [1, true, ['telegram'], { value: 'telegram' }]),
];

const switches = (yes: unknown, no: unknown): PastedInto['taken'] => [
	...[
		true,
		'true',
		'TRUE',
		' True ',
		1,
		'1',
		'yes',
		'Yes',
		'Y',
		'on',
		'да',
		'ДА',
		'Истина',
		'"true"',
		"'TRUE",
	].map((value): [unknown, unknown] => [value, yes]),
	...[false, 'false', 'FALSE', 0, '0', 'no', 'N', 'off', 'нет', 'Нет\u00a0', 'ЛОЖЬ', '"false"'].map(
		(value): [unknown, unknown] => [value, no],
	),
];

const noSwitches = refusedAs(noSwitch, [
	2,
	-1,
	'может быть',
	'да/нет',
	'+',
	'x',
	'✓',
	[],
	[true],
	{},
	NaN,
	'1.5',
]);

const site = 'https://example.com';
const addresses: PastedInto['taken'] = [
	[`${site}/a.png`, `${site}/a.png`],
	[` ${site}/a.png\n`, `${site}/a.png`],
	[`${site}/мой кот.png`, `${site}/%D0%BC%D0%BE%D0%B9%20%D0%BA%D0%BE%D1%82.png`],
	[`${site}/50%.png`, `${site}/50%25.png`],
	['https://пример.рф/a.png', 'https://xn--e1afmkfd.xn--p1ai/a.png'],
];

const noAddresses: PastedInto['refused'] = [
	...refusedAs(noAddress, [
		'example.com/a.png',
		'/a.png',
		'ftp://example.com/a.png',
		'C:\\фото\\кот.png',
		5,
		[site],
	]),
	...refusedAs(noAddress, [
		'=IMAGE("https://example.com/a.png")',
		'data:image/png;base64,AAAA',
		'кот',
		'https://',
	]),
	...refusedAs('must be one URL', [`${site}/a.png\n${site}/b.png`, `${site}/a.png, ${site}/b.png`]),
];

const moment = '2026-11-22T10:15:00.000Z';
const texts: PastedInto['taken'] = [
	['Привет, Анна!', 'Привет, Анна!'],
	[' Привет\r\n\nАнна ', ' Привет\r\n\nАнна '],
	["'Привет", "'Привет"],
	['=Привет', '=Привет'],
	['79161234567.0', '79161234567.0'],
	['0', '0'],
	[0, '0'],
	[-1.5, '-1.5'],
	[79161234567.0, '79161234567'],
	[true, 'true'],
	[new Date(moment), moment],
	[evaluate(`={{ DateTime.fromISO('${moment}', { zone: 'utc' }) }}`), moment],
	['22.11.2026', '22.11.2026'],
	['👨‍👩‍👧', '👨‍👩‍👧'],
	['Привет 😀'.slice(0, -1).concat('!'), 'Привет \ufffd!'],
	['<b>Привет</b> & «Анна»', '<b>Привет</b> & «Анна»'],
];

const noTexts: PastedInto['refused'] = [
	...refusedAs(noText, [{ text: 'Привет' }, {}, ['Привет'], [], NaN, Infinity, new Date('вчера')]),
	...refusedAs(noText, [evaluate("={{ DateTime.fromISO('вчера') }}")]),
	...refusedAs('contains an object', ['Привет, [object Object]!']),
	...refusedAs(empty, ['', ' \n', null, undefined]),
];

const city = { name: 'Город', slug: 'city', type: 'string' };
const cityFields = { city };
const json: PastedInto['taken'] = [
	[JSON.stringify([city]), cityFields],
	[`\ufeff${JSON.stringify([city])}\n`, cityFields],
	[JSON.stringify(cityFields), cityFields],
	[[city], cityFields],
	[{ name: 'Заказы', fields: { city: { ...city, slug: undefined } } }, cityFields],
	[{ name: 'Заказы', fields: [] }, {}],
	[
		{ name: 'Заказы', fields: [{ name: 'Город', type: 'string' }] },
		{ 0: { name: 'Город', type: 'string', slug: '0' } },
	],
	['[]', {}],
	['{}', {}],
	[
		JSON.stringify([{ ...city, type: 'bool', is_required: 'ИСТИНА', is_hidden: 'нет', is_encryptable: 0 }]),
		{
			city: { ...city, type: 'boolean', is_required: true, is_hidden: false, is_encryptable: false },
		},
	],
];

const noJsons: PastedInto['refused'] = [
	...refusedAs(noJson, [
		'[{ name: "Город" }]',
		'[{“name”: “Город”}]',
		"[{'name': 'Город'}]",
		'[1, 2',
		'Город',
		'```json\n[]\n```',
	]),
	...refusedAs('must be a list of field definitions', ['5', 'null', 5, '"Город"', true]),
	...refusedAs('must be a field definition', [
		'[null]',
		[null],
		'["Город"]',
		{ city: null },
		{ name: 'Заказы', fields: [null] },
	]),
	...refusedAs('has an attribute that the service does not know', [[{ ...city, цвет: 'red' }]]),
	...refusedAs('must be one of', [[{ ...city, type: 'date' }], [{ ...city, type: 'строка' }]]),
	...refusedAs(noSwitch, [[{ ...city, is_hidden: 'скорее да' }]]),
	...refusedAs('repeats a slug', [[city, city]]),
];

/** The fields that accept pasted values, each with its accepted and refused values. */
export const pasted: PastedInto[] = [
	{ variant: 'tag/attach', field: 'contactId', label: 'Contact ID', taken: ids, refused: noIds },
	{ variant: 'message/sendToWhatsApp', field: 'botId', label: 'Bot ID', taken: ids, refused: noIds },
	{
		variant: 'contactVariable/delete by ID',
		field: 'variableId',
		label: 'Variable',
		taken: ids,
		refused: noIds,
	},
	{
		variant: 'message/sendToWhatsApp',
		field: 'phone',
		label: 'Phone Number',
		taken: phones,
		refused: noPhones,
	},
	{
		variant: 'message/send to an external ID',
		field: 'externalId',
		label: 'Phone Number or Messenger ID',
		taken: phonesOrIds,
		refused: noPhonesOrIds,
	},
	{
		variant: 'message/send to an external ID',
		field: 'messenger',
		label: 'Messenger',
		taken: messengers,
		refused: [...noMessengers, ...refusedAs(noMessenger, ['unknown']), ...refusedAs(empty, ['', null])],
	},
	{
		variant: 'message/send to a contact',
		field: 'contactMessenger',
		label: "Contact's Messenger",
		taken: [
			...messengers,
			...['', ' ', null, undefined, 'unknown', 'Unknown', 'Not Known', 'неизвестно'].map(
				(name): [unknown, unknown] => [name, 'unknown'],
			),
		],
		refused: noMessengers,
	},
	{
		variant: 'tag/getManyByBot',
		field: 'returnAll',
		label: 'Return All',
		taken: [...switches(undefined, 7), ['', 7], [null, 7], [undefined, 7]],
		refused: noSwitches,
	},
	{
		variant: 'tag/getManyByBot',
		field: 'limit',
		label: 'Limit',
		taken: [
			[7, 7],
			['7', 7],
			['7.0', 7],
			[' 7 ', 7],
		],
		refused: [...refusedAs(noNumber, [0, -1, 1.5, 'все', '7 штук']), ...refusedAs(empty, ['', null])],
	},
	{
		variant: 'listSchema/create with defined fields',
		field: 'showInMenu',
		label: 'Show in Menu',
		taken: switches(true, false),
		refused: noSwitches,
	},
	{
		variant: 'contactVariable/upsert',
		field: 'deletable',
		label: 'Remove After Request',
		taken: switches(1, 0),
		refused: noSwitches,
	},
	{
		variant: 'message/send to a contact',
		field: 'imageUrl',
		label: 'Image URL',
		taken: addresses,
		refused: noAddresses,
	},
	{
		variant: 'message/send to a contact',
		field: 'fileUrl',
		label: 'File URL',
		taken: addresses,
		refused: noAddresses,
	},
	{ variant: 'message/sendToWhatsApp', field: 'text', label: 'Text', taken: texts, refused: noTexts },
	{
		variant: 'contactVariable/upsert',
		field: 'variableValue',
		label: 'Value',
		taken: texts,
		refused: noTexts,
	},
	{
		variant: 'listSchema/create with fields as JSON',
		field: 'fieldsJson',
		label: 'Fields (JSON)',
		taken: json,
		refused: noJsons,
	},
];

/** Base URLs, and the resulting URL of the methods. */
export const pastedBaseUrls: Array<[received: string, read: string]> = [
	['https://app.example.ru', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/', 'https://app.example.ru/api/v1'],
	[' https://app.example.ru\n', 'https://app.example.ru/api/v1'],
	['"https://app.example.ru"', 'https://app.example.ru/api/v1'],
	['<https://app.example.ru>', 'https://app.example.ru/api/v1'],
	['\u200bhttps://app.example.ru\u200b', 'https://app.example.ru/api/v1'],
	['app.example.ru', 'https://app.example.ru/api/v1'],
	['//app.example.ru', 'https://app.example.ru/api/v1'],
	['app.example.ru:8443/', 'https://app.example.ru:8443/api/v1'],
	['http://localhost:8080', 'http://localhost:8080/api/v1'],
	['https://app.example.ru/api', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/api/v1', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/api/v1/getBotTags?api_token=x&bot_id=2048', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/api/v1//getBotTags', 'https://app.example.ru/api/v1'],
	// Pages of the service, from the address bar.
	['https://app.example.ru/bots/2048/schema/1', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/bots/2048/schema', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/bots/2048', 'https://app.example.ru/api/v1'],
	['app.example.ru/bots/2048/schema/1/', 'https://app.example.ru/api/v1'],
	['http://127.0.0.1:8080/bots/2048/schema/1?tab=1#block-7', 'http://127.0.0.1:8080/api/v1'],
	['https://app.example.ru//bots/2048', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/bots//2048', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/bots/2048/api-keys', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/account/api', 'https://app.example.ru/api/v1'],
	['https://app.example.ru//account/api', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/account//api', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/account/api/?tab=1', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/?tab=1', 'https://app.example.ru/api/v1'],
	['https://app.example.ru?tab=1', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/#/bots', 'https://app.example.ru/api/v1'],
	['https://app.example.ru/#/bots/2048/schema/1?tab=/api/v1', 'https://app.example.ru/api/v1'],
	// Services that are known to have no path.
	['https://watbot.ru/contacts/1048576', 'https://watbot.ru/api/v1'],
	['watbot.ru/dashboard', 'https://watbot.ru/api/v1'],
	['https://app.leadteh.ru/bots', 'https://app.leadteh.ru/api/v1'],
	['https://APP.ONEBOT.TECH/login?next=/bots', 'https://APP.ONEBOT.TECH/api/v1'],
	['https://watbot.ru.example.com/crm', 'https://watbot.ru.example.com/crm/api/v1'],
	// The path of a reverse proxy is part of the address.
	['https://proxy.example.com/chatbot', 'https://proxy.example.com/chatbot/api/v1'],
	['https://proxy.example.com/chatbot/api/v1/', 'https://proxy.example.com/chatbot/api/v1'],
	['https://proxy.example.com/chatbot/bots/2048/schema/1', 'https://proxy.example.com/chatbot/api/v1'],
	['https://proxy.example.com/chatbot/account/api', 'https://proxy.example.com/chatbot/api/v1'],
	['https://proxy.example.com/bots', 'https://proxy.example.com/bots/api/v1'],
	['https://proxy.example.com/bots/api/v1', 'https://proxy.example.com/bots/api/v1'],
	['https://proxy.example.com/bots/2048/api/v1', 'https://proxy.example.com/bots/2048/api/v1'],
	['https://proxy.example.com/bots/2048/api', 'https://proxy.example.com/bots/2048/api/v1'],
	['https://proxy.example.com/bots/2048abc', 'https://proxy.example.com/bots/2048abc/api/v1'],
	['https://proxy.example.com/account', 'https://proxy.example.com/account/api/v1'],
	['https://proxy.example.com/account/api/v1', 'https://proxy.example.com/account/api/v1'],
	['https://proxy.example.com/api/v1/chatbot', 'https://proxy.example.com/api/v1/chatbot/api/v1'],
	['https://proxy.example.com/api/v1/getBotTags/1', 'https://proxy.example.com/api/v1/getBotTags/1/api/v1'],
	['https://proxy.example.com/robots/2048', 'https://proxy.example.com/robots/2048/api/v1'],
	['http://bots/2048', 'http://bots/2048/api/v1'],
	['http://account/api', 'http://account/api/v1'],
	['https://anna:secret@proxy.example.com/chatbot', 'https://anna:secret@proxy.example.com/chatbot/api/v1'],
];

/** Texts that are not a base URL, and would send the token to somebody else. */
export const noBaseUrls: string[] = [
	...['', ' ', '/', 'https://', '/api/v1', '#/bots', '?tab=1', 'мой сервис', 'WatBot: https://watbot.ru'],
	...[
		'https//app.example.ru',
		'http/app.example.ru',
		'https:/app.example.ru',
		'http://https//app.example.ru',
		'ftp://app.example.ru',
		's3://app.example.ru',
		'file:///etc/passwd',
	],
	...[
		'anna@example.ru',
		'https://anna@example.ru',
		'http://anna@example.ru',
		'javascript:alert(1)',
		'https:///app.example.ru',
		'https://app example.ru',
	],
];

/** Values of 'Requests per Second', and the resulting limit of the account: requests per milliseconds. */
export const pastedPaces: Array<[received: unknown, count: number, windowMs: number]> = [
	[2, 2, 1000],
	['2', 2, 1000],
	['2.0', 2, 1000],
	[' 5 ', 5, 1000],
	['2,5', 1, 400],
	['2.5', 1, 400],
	['0,5', 1, 2000],
	['.5', 1, 2000],
	["'2", 2, 1000],
	['', 2, 1000],
	[' ', 2, 1000],
	[null, 2, 1000],
	[undefined, 2, 1000],
];

export const noPaces: unknown[] = [
	...[
		-1,
		'-1',
		-0.5,
		NaN,
		Infinity,
		'Infinity',
		'быстро',
		'2 в секунду',
		'2/s',
		'1.000,5',
		'1e3',
		'2,5,5',
		true,
		[2],
	],
	...[{}, '={{ $vars.pace }}', 'undefined', 'null'],
];
