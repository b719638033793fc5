import type { IDataObject } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { partCases } from '../cases/partCases';
import { textFields, writtenByCode } from '../cases/spoiledCases';
import { parametersOf, variants } from '../operations';
import { wordsOf } from '../operations/words';
import { scene, usual } from './scene';

/*
 * What the code of an expression writes is not always what was meant: a word for a value that is missing, or a name without a part of
 * it. Words that a person has typed, and those of the data, are meant. Messages, names and parts that do not leave: cases/wordCases.ts,
 * spoiledCases.ts and partCases.ts.
 */

const contactId = String(SEEDED.contacts.vk);
const { service, run } = scene(usual('message/send', { contactId, content: ['text'] }));
const received = () => service.requests.map(({ input }) => input);

/** Each field that travels, and that n8n evaluates. */
const sent = variants.flatMap((variant) =>
	variant.fields
		.filter(({ wire, value, decides }) => wire && typeof value === 'string' && !decides)
		.map(({ name, label, value }) => [variant.title, label, name, String(value)] as const),
);

test.each(sent)('%s: %s with a word of code leaves nothing', async (title, label, name, value) => {
	const variant = variants.find((each) => each.title === title)!;
	const code = `={{ ${JSON.stringify(value)} + $json.missing }}`;
	const { error } = await run({ parameters: parametersOf(variant, { [name]: code }) });
	expect(error?.message).toContain(`'${label}`);
	expect(service.requests).toEqual([]);
});

test.each<[text: string, item: object]>([
	['undefined is not a function', {}],
	['={{ $json.t }}', { t: 'Ошибка: undefined is not a function' }],
	["={{ $json.t.toLowerCase() + '!' }}", { t: 'Андрей UNDEFINED' }],
	['={{ $json["t"].split(",").map((each) => each + "!").join() }}', { t: 'null,NaN' }],
	['={{ $("Start").item.json.t + "!" }}', { t: 'Infinity' }],
	["={{ 'Заявка: ' + JSON.stringify($json) }}", { name: null }],
	["={{ $json.t.base64Encode() + 'xNaNx' + 'anullb' }}", { t: 'я' }],
	['=Номер {{ $json.none }}', {}],
	['=Infinity Club ждёт {{ $json.name }}', { name: 'Анну' }],
])('a message %j leaves for an item %j', async (text, item) => {
	expect((await run({ with: { text }, items: [item as IDataObject] })).error).toBeUndefined();
	expect(service.deliveries()).toHaveLength(1);
});

/** Fields that a person types texts and names into: those without a type of their own, and one of each kind. */
const typedInto = textFields.filter((_, place) => [0, 2, 7, 8, 10].includes(place));

test.each(writtenByCode.flatMap(([, words]) => words))('the words %j are sent as typed', async (words) => {
	for (const [operation, , changes] of typedInto) {
		const typed = [words, `=Анна, ${words}`, `=${words}: {{ $json.name }}`][service.requests.length % 3]!;
		const parameters = usual(operation, changes(typed));
		expect((await run({ parameters, items: [{ name: 'Анна' }] })).error).toBeUndefined();
		expect(JSON.stringify(received().at(-1))).toContain(JSON.stringify(words).slice(1, -1));
	}
});

test('texts of all languages leave as they are', async () => {
	const texts = [
		...['Ёлка — 5 °C, «Роза», №7…', 'С… С… Сергей? РСС»', 'СІРІ ШТАНИ, їжак і ґудзик', 'jäääär ja öö'],
		...['Señor Núñez, été, Ñandú, ÐÑ, Ñ½', 'Þórður Ðað “Ísafjörður”, blóðþáttum', 'Что??? Где?!'],
		...['Où êtes-vous, là-bas ? Noël, créée', 'Größe: 10 × 20 äöüß', 'Đặng Thị Ước', 'СКИДКА ДНЯ'],
		...['зДРАВСТВУЙТЕ, аННА! вАШ ЗАКАЗ ГОТОВ', 'мРНК и еГАИС', '©\u00a0ООО «Роза»\u00a0®, §\u00a05…'],
		...['Заўважыў воўка\u00a0ў лесе', 'Їжак з’їв\u00a0ґрунт', '……………, \u00a0\u00a0\u00a0\u00a0да'],
		...['Ђорђе Џајић, срџба', '👩‍👩‍👧 ok', '日本語 العربية हिन्दी'],
		...['Строка\tс табуляцией\r\nи\u00a0пробелом\u200b', 'Скидка \ud83d', 'Скидка \ufffd'],
		'\udc00 или \ud83d',
	];
	await run({ with: { text: '={{ $json.text }}' }, items: texts.map((text) => ({ text })) });
	const wellFormed = texts.map((text) => Buffer.from(text).toString());
	expect(service.deliveries().map(({ text }) => text)).toEqual(wellFormed);
});

test('a typed name is sent without what nobody sees', async () => {
	const unseen = '\u200bГо\u00adрод\ufeff';
	const family = 'Семья 👨‍👩‍👧 🏳️‍🌈';
	for (const [mode, value, name] of [
		['name', unseen, 'Город'],
		['name', family, family],
		['list', '={{ $json.name }}', 'Город'],
		['list', unseen, unseen],
		['list', '=VIP', '=VIP'],
	]) {
		const variableName = { __rl: true, mode, value };
		const parameters = usual('contactVariable/upsert', { variableName });
		await run({ parameters, items: [{ name: unseen }] });
		expect([value, received().at(-1)!.name]).toEqual([value, name]);
	}
});

test.each(partCases)('a name leaves with the part of an expression: %s', async (operation, changes) => {
	await run({ parameters: usual(operation, changes as object), items: [{ value: '7' }] });
	expect(service.requests.length).toBeGreaterThan(0);
});

const variables = { variable: [{ name: '=Тип {{ $json.word }}', value: 'x' }] };

test.each<[string, string, object, object]>([
	['a tag', 'contact/upsert', { additionalFields: { tags: '=VIP, {{ $json.n }}' } }, { tags: ['VIP'] }],
	['the last name', 'contact/upsert', { contactName: '=Анна {{ $json.n }}' }, { name: 'Анна ' }],
	['nothing that is a word', 'contactVariable/upsertMany', { variables }, { name: 'Тип null' }],
])('%s may be left out', async (_, operation, changes, expected) => {
	const { error } = await run({ parameters: usual(operation, changes), items: [{ word: 'null' }] });
	expect([error, received()]).toMatchObject([undefined, [expected]]);
});

const value = '={{ $json.value }}';
const whatsApp = wordsOf('message/sendToWhatsApp').label;

test.each<[operation: string, changes: object, value: unknown, advice: string]>([
	['contactVariable/upsert', { variableValue: value }, ['йога', 'бег'], "join(', ')"],
	['message/send', { text: value }, [{ ID: 7, VALUE: '+7' }], '[0].VALUE'],
	['api/request', { endpoint: value }, 'sendMessageToWhatsApp', `'${whatsApp}'`],
])('the advice for %s fits: %j', async (operation, changes, given, advice) => {
	const { error } = await run({ parameters: usual(operation, changes), items: [{ value: given }] as never });
	expect(error?.description).toContain(advice);
	expect(service.requests).toEqual([]);
});
