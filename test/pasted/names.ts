import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { readAs, refusedAs, saidOf, texts, unchanged, type PastedInto } from './table';

/* Names as spreadsheets, databases and programs write them: lists that have become texts, and words for nothing. */

const structure = saidOf(kinds.trimmedName, '{}');
const nothing = saidOf(kinds.trimmedName, 'null');

/** Each of them means these two tags, in any field that takes several. */
export const vipAndNew: unknown[] = [
	...texts(`["VIP","Новый"] | "VIP, Новый" | 'VIP, Новый' | "VIP","Новый" | "VIP"; "Новый" | 'VIP','Новый'`),
	...['["VIP", "Новый"]\n', 'VIP; Новый', 'VIP;Новый', ' VIP \nНовый', ['VIP', 'Новый'], '«VIP, Новый»'],
];

const tags: PastedInto['taken'] = [
	...readAs(['VIP', 'Новый'], [...vipAndNew, '["VIP","","Новый"]', 'VIP,;Новый;', ' VIP ,\nНовый\n']),
	...readAs(['VIP'], ['["VIP"]', '"VIP"', "'VIP'", 'VIP;', ['"VIP"'], ['VIP', '[]']]),
	...readAs(['Скидка 1,5 %'], ['["Скидка 1,5 %"]', ['Скидка 1,5 %']]),
	...texts(`Класс «А» | VIP "Gold" | "Ё" класс | [VIP] | О'Нил | Null | нет`).map(
		(tag): [string, string[]] => [tag, [tag]],
	),
	[
		['VIP', 5, ' '],
		['VIP', '5'],
	],
	...readAs(undefined, ['[]', '[ ]', '""', ' , ; ', [], [null, '']]),
];

/** Texts that are no name, and no list of names. */
const noNames: PastedInto['refused'] = [
	...refusedAs(structure, texts(`{} | {"name":"VIP"} | [{"name":"VIP"}] | ['VIP','Новый'] | ["VIP","Новый"`)),
	...refusedAs(structure, ['[["VIP"]]', '["VIP",null]', 'a:1:{i:0;s:3:"VIP";}']),
	...refusedAs(nothing, [...texts('null | undefined | NULL | NaN'), ' #ССЫЛКА!\n', '?', '???? ????????']),
	...refusedAs(nothing, 'N/A #N/A #SPILL! #REF! #VALUE! #NAME? #DIV/0! #NULL! #NUM! #ERROR!'.split(' ')),
	...refusedAs(nothing, '#Н/Д #ССЫЛКА! #ЗНАЧ! #ИМЯ? #ДЕЛ/0! #ПУСТО! #ЧИСЛО!'.split(' ')),
];

const names: PastedInto['taken'] = [
	...readAs('VIP', ['["VIP"]', '"VIP"', "'VIP'", '["VIP"]\n', ['VIP']]),
	...unchanged(texts(`VIP "Gold" | "Ё" класс | [VIP] Новый | О'Нил | VIP; Новый | VIP, Новый | «VIP»`)),
	...unchanged(texts('Мария Null | Null | Нан | #1 | Кто там???')),
];

/** A list of several is no name. */
const severalNames = refusedAs(saidOf(kinds.trimmedName, ['VIP', 'Новый']), [
	...['["VIP","Новый"]', ['VIP', 'Новый']],
]);

/** A username in Telegram, with what people write around it. */
const usernames: PastedInto['taken'] = [
	...readAs(undefined, ['@', 'https://t.me/']),
	...readAs('polina', texts('@polina | t.me/polina | https://telegram.me/polina | HTTP://T.ME/polina')),
	...readAs('polina', ['https://www.t.me/polina?start=1', 't.me/@polina', '"polina"', ['@polina']]),
	['tg://resolve?domain=polina&start=1', 'polina'],
];

const noUsernames: PastedInto['refused'] = [
	...[...noNames, ...severalNames],
	...refusedAs(
		saidOf(kinds.username, 'Анна'),
		texts('Анна Соколова | https://t.me/+79161234567 | VIP Gold | ann | anna@example.com | t.me/анна'),
	),
];

/** An address, with what mail programs and models write around it. */
const emails: PastedInto['taken'] = [
	...unchanged(texts('anna@example.com | Anna.Sokolova+n8n@EXAMPLE.com | анна@почта.рф | a@b')),
	...readAs(
		'anna@example.com',
		texts(`
			Анна <anna@example.com> | "Соколова, Анна" <anna@example.com>; | mailto:anna@example.com?subject=hi
			anna@example.com; | [anna@example.com](mailto:anna@example.com) | 'anna@example.com | anna@example.com.
		`),
	),
	...readAs('anna@example.com', [' anna@example.com\n', '\u200banna@example.com', ['anna@example.com']]),
];

const noEmails: PastedInto['refused'] = [
	...refusedAs(
		saidOf(kinds.emailAddress, 'нет'),
		texts(`
			нет | - | none@ | @example.com | anna | anna@@example.com | anna@example@com | +79161234567
			anna@example.com, boris@example.com | anna@example.com boris@example.com | anna sokolova@example.com
		`),
	),
	...refusedAs(nothing, ['null', 'undefined', '#Н/Д']),
	...refusedAs(structure, ['{"email":"anna@example.com"}']),
	...refusedAs(saidOf(kinds.trimmedName, [1, 2]), [['anna@example.com', 'boris@example.com']]),
	...refusedAs(saidOf(kinds.trimmedName, '{{ $json.email }}'), ['{{ $json.email }}']),
];

type Row = [variant: string, field: string, PastedInto['taken'], PastedInto['refused']];

const oneName = (variant: string, field: string): Row => {
	const taken = [...names, ...unchanged(['N/A клуб'])];
	return [variant, field, taken, [...noNames, ...severalNames]];
};

const upsert = 'contact/upsert in telegram';

/** The fields that take names. */
export const intoNames: Row[] = [
	[upsert, 'additionalFields.tags', tags, noNames],
	oneName(upsert, 'additionalFields.address'),
	[upsert, 'additionalFields.email', emails, noEmails],
	[upsert, 'additionalFields.telegramUsername', usernames, noUsernames],
	oneName(upsert, 'contactName'),
	oneName('contactVariable/upsert', 'variableName'),
	oneName('tag/attach', 'tagName'),
	oneName('tag/detach', 'tagName'),
];
