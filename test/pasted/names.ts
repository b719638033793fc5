import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { readAs, refusedAs, saidOf, texts, unchanged, type PastedInto } from './table';

/* Names as spreadsheets, databases and programs write them: lists that have become texts, and words for nothing. */

const structure = saidOf(kinds.trimmedName, '{}');
const nothing = saidOf(kinds.trimmedName, 'null');

/** Each of them means these two tags, in any field that takes several. */
export const vipAndNew: unknown[] = [
	...texts(`["VIP","Новый"] | "VIP, Новый" | 'VIP, Новый' | "VIP","Новый" | "VIP"; "Новый" | 'VIP','Новый'`),
	...['“VIP, Новый”', '["VIP", "Новый"]\n', 'VIP; Новый', 'VIP;Новый', ' VIP \nНовый', ['VIP', 'Новый']],
];

const tags: PastedInto['taken'] = [
	...readAs(['VIP', 'Новый'], [...vipAndNew, '["VIP","","Новый"]', 'VIP,;Новый;', ' VIP ,\nНовый\n']),
	...readAs(['VIP'], ['["VIP"]', '"VIP"', "'VIP'", 'VIP;', ['"VIP"'], ['VIP', '[]']]),
	...readAs(['Скидка 1,5 %'], ['["Скидка 1,5 %"]', ['Скидка 1,5 %']]),
	...texts(`Класс «А» | VIP "Gold" | "Ё" класс | [VIP] | (VIP) | О'Нил | Null | нет`).map(
		(tag): [string, string[]] => [tag, [tag]],
	),
	...readAs(undefined, ['[]', '[ ]', '""', ' , ; ', []]),
];

/** Texts that are no name, and no list of names. */
const noNames: PastedInto['refused'] = [
	...refusedAs(
		structure,
		texts(`{} | {"name":"VIP"} | [{"name":"VIP"}] | ['VIP','Новый'] | ["VIP","Новый" | [["VIP"]]`),
	),
	...refusedAs(structure, ['{"VIP":true}', '["VIP",null]', '{VIP}']),
	...refusedAs(nothing, [...texts('null | undefined | NULL | NaN'), ' #ССЫЛКА!\n']),
	...refusedAs(nothing, [...'N/A #N/A #SPILL! #REF! #VALUE! #NAME? #DIV/0! #NULL! #NUM! #ERROR!'.split(' ')]),
	...refusedAs(nothing, [...'#Н/Д #ССЫЛКА! #ЗНАЧ! #ИМЯ? #ДЕЛ/0! #ПУСТО! #ЧИСЛО!'.split(' ')]),
	...refusedAs(nothing, ['?', '???? ????????']),
];

const names: PastedInto['taken'] = [
	...readAs('VIP', ['["VIP"]', '"VIP"', "'VIP'", '["VIP"]\n', ['VIP']]),
	...readAs('VIP 2', ['VIP\u00a02', 'VIP\u202f2']),
	...unchanged(
		texts(`
			VIP "Gold" | "Ё" класс | [VIP] Новый | О'Нил | Null | VIP; Новый | VIP, Новый | «VIP»
			Мария Null | Нан | Андрей Undefined | #1 | Кто там???
		`),
	),
];

/** A list of several is no name. */
const severalNames = refusedAs(saidOf(kinds.trimmedName, ['VIP', 'Новый']), [
	'["VIP","Новый"]',
	['VIP', 'Новый'],
]);

/** A username in Telegram, with what people write around it. */
const usernames: PastedInto['taken'] = [
	...readAs(undefined, ['@', 'https://t.me/']),
	...readAs('polina', texts('@polina | t.me/polina | https://telegram.me/polina | HTTP://T.ME/polina')),
	...readAs('polina', ['https://www.t.me/polina?start=1', ' @polina ', 't.me/@polina']),
	...readAs('polina', ['tg://resolve?domain=polina&start=1', '"polina"', ['@polina']]),
];

const noUsernames = refusedAs(
	saidOf(kinds.username, 'Анна'),
	texts('Анна Соколова | https://t.me/+79161234567 | VIP Gold | ann | anna@example.com | t.me/анна'),
);

/** An address, with what mail programs and models write around it. */
const emails: PastedInto['taken'] = [
	...unchanged(texts('anna@example.com | Anna.Sokolova+n8n@EXAMPLE.com | анна@почта.рф | a@b')),
	...readAs(
		'anna@example.com',
		texts(`
			Анна Соколова <anna@example.com> | "Соколова, Анна" <anna@example.com>; | mailto:anna@example.com?subject=hi
			anna@example.com; | <anna@example.com> | [anna@example.com](mailto:anna@example.com) | 'anna@example.com
			anna@example.com.
		`),
	),
	...readAs('anna@example.com', [' anna@example.com\n', '\u200banna@example.com', ['anna@example.com']]),
];

const noEmails: PastedInto['refused'] = [
	...refusedAs(
		saidOf(kinds.emailAddress, 'нет'),
		texts(`
			нет | - | no | none@ | @example.com | anna | anna@@example.com | anna@example@com | +79161234567
			anna@example.com, boris@example.com | anna@example.com boris@example.com | anna sokolova@example.com
		`),
	),
	...refusedAs(nothing, ['null', 'undefined', '#Н/Д']),
	...refusedAs(structure, ['{"email":"anna@example.com"}']),
	...refusedAs(saidOf(kinds.trimmedName, [1, 2]), [['anna@example.com', 'boris@example.com']]),
	...refusedAs(saidOf(kinds.trimmedName, '{{ $json.email }}'), ['{{ $json.email }}']),
];

type Row = [variant: string, field: string, PastedInto['taken'], PastedInto['refused']];

const oneName = (variant: string, field: string): Row => [
	variant,
	field,
	[...names, ...unchanged(['N/A клуб'])],
	[...noNames, ...severalNames],
];

/** The fields that take names. */
export const intoNames: Row[] = [
	['contact/upsert in telegram', 'additionalFields.tags', tags, noNames],
	oneName('contact/upsert in telegram', 'additionalFields.address'),
	['contact/upsert in telegram', 'additionalFields.email', emails, noEmails],
	[
		...(['contact/upsert in telegram', 'additionalFields.telegramUsername'] as const),
		usernames,
		[...noNames, ...severalNames, ...noUsernames],
	],
	oneName('contact/upsert in telegram', 'contactName'),
	oneName('contactVariable/upsert', 'variableName'),
	oneName('tag/attach', 'tagName'),
	oneName('tag/detach', 'tagName'),
];
