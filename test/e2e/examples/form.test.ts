import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { hostFolder } from '../../../sandbox/host';
import { examplesFolder } from '../../../sandbox/start/examples';
import {
	blocked,
	doneButNotSaid,
	exampleIn,
	openExamples,
	refusal,
	reported,
	russianExamplesFolder,
	serviceIn,
} from '../support/examples';
import { type FormPage, leave, submitForm, submitPage } from '../support/pages';

/* The example "Broadcast from a form" in Russian, as somebody in marketing uses it. As imported and in English: broadcasts.test.ts. */

const bench = openExamples();
const { changes, contact, delivered, requestsOf } = serviceIn(bench);
const { address, ended, importAgain, publish, removeTestRun } = exampleIn(bench, 'broadcast-from-form.json');

const tag = 'Пробный урок';
/** Gets the report at the end. */
const manager = 5004;

const list = (content: string | Uint8Array<ArrayBuffer>, name = 'contacts.csv') => new File([content], name);

const upload = async (name: string, contacts: File) =>
	await submitForm(address(), [contacts, name, tag, 'Здравствуйте, {имя}!\nВ субботу открытый урок.']);

/** Confirms the broadcast, and waits for its end. */
async function confirm(page: FormPage) {
	const started = await submitPage(page, [['Да, всё верно']]);
	expect(started.title).toBe('Рассылка началась');
	await leave(started);
	return await ended(page);
}

const broadcast = async (name: string, contacts: File) => await confirm(await upload(name, contacts));

beforeAll(async () => {
	await importAgain(russianExamplesFolder);
	await removeTestRun();
	await publish();
});

test('a page checks the list, the report has every row', async () => {
	const { data, faults } = bench.service;
	faults.add(doneButNotSaid('sendMessage', 5007));
	faults.add(refusal('attachTagToContact', 5008));
	// The second contact with this phone number, one who has opted out, and one of another bot.
	const [twin] = addContacts(data, 1);
	twin!.phone = contact(5002).phone;
	contact(5009).tags.push('не  писать ');
	const { viber } = SEEDED.contacts;
	const untagged = [5002, twin!.id, 5008, 5009, viber];
	const tagsBefore = untagged.map((id) => [...contact(id).tags]);
	const file = await readFile(join(examplesFolder, 'contacts.csv'), 'utf8');
	const contacts = list(`${file},Олег,5009\n,Игорь,${viber}\n`);
	const page = await upload('Проверка', contacts);
	expect(page.title).toBe('Рассылка «Проверка»');
	for (const words of [
		'Получателей: 4. Не получат сообщения: 5 (несколько контактов: 1, не хочет рассылок: 1, нет такого контакта: 2, нет ни ID, ни телефона: 1). Повторов в списке: 1.',
		'Кому рассылка с этим названием уже пришла, второй раз не придёт.',
		'Рассылка займёт около 1 мин.',
		'Здравствуйте, Анна!',
	])
		expect(page.message).toContain(words);
	expect(requestsOf('getContacts')).toHaveLength(1);
	expect(changes()).toEqual([]);

	const [accepted, before, left] = ['принято сервисом', 'принято раньше', 'не отправлено'];
	const strangers = ['+7 (903) 555-01-01', '8 900 000-00-01', 'Пётр', '5009', viber];
	const others = { 5007: 'неизвестно', ...Object.fromEntries(strangers.map((each) => [each, left])) };
	const outcomes = reported(await confirm(page));
	expect(outcomes).toEqual({ 5001: accepted, 5004: accepted, 5008: left, ...others });
	for (const id of [5001, 5004, 5007]) expect(contact(id).tags).toContain(tag);
	expect(untagged.map((id) => contact(id).tags)).toEqual(tagsBefore);
	expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
	expect(delivered()[manager]!.at(-1)).toBe(
		[
			'Рассылка «Проверка»: итоги запуска',
			'принято сервисом: 2',
			'не отправлено: 6',
			'неизвестно: 1',
			'',
			'Наталья, 79990005007: могло дойти, посмотрите в чат',
			`Артём, 999 000 50 08: сервис отклонил: ${blocked}`,
			`Иван, +7 (903) 555-01-01: несколько контактов: 5002 (whatsapp), ${twin!.id} (telegram)`,
			'Олег, ID 5009: не хочет рассылок',
			'Виктор, 8 900 000-00-01: нет такого контакта',
			'Пётр: нет ни ID, ни телефона',
			`Игорь, ID ${viber}: нет такого контакта`,
			'',
			'Исправьте список и отправьте форму с тем же названием: дважды никто сообщения не получит.',
		].join('\n'),
	);

	faults.clear();
	const again = reported(await broadcast('Проверка', contacts));
	expect(again).toEqual({ 5001: before, 5004: before, 5008: accepted, ...others });
	for (const id of [5001, 5007, 5008]) expect(delivered()[id]).toHaveLength(1);
});

const rowsOfExcel = 'ID;Город;Имя\r\n 5001 ;Казань; Анна \r\n5002;;Иван\r\n;;\r\n';
const windows1251 = Uint8Array.from(rowsOfExcel, (letter) => {
	const code = letter.charCodeAt(0);
	return code < 0x80 ? code : code - 0x350;
});

/** As Excel saves it, by the library that n8n itself contains. */
function workbook(): Uint8Array<ArrayBuffer> {
	const { utils, write } = createRequire(join(hostFolder, 'package.json'))('@e965/xlsx') as {
		utils: { aoa_to_sheet(cells: unknown[][]): object };
		write(book: object, options: object): ArrayBuffer;
	};
	const cells = rowsOfExcel.split('\r\n').map((row) => row.split(';'));
	const book = { SheetNames: ['Лист1'], Sheets: { Лист1: utils.aoa_to_sheet(cells) } };
	return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }));
}

test.each([
	['with semicolons and a byte order mark', () => list(`\uFEFF${rowsOfExcel}`)],
	['with semicolons in Windows-1251', () => list(windows1251)],
	['with tabs, and an extension in capitals', () => list(rowsOfExcel.replaceAll(';', '\t'), 'СПИСОК.CSV')],
	['in XLSX', () => list(workbook(), 'список.XLSX')],
	[
		'with commas and quotes',
		() => list(' НОМЕР ТЕЛЕФОНА,имя\n"8 916 123-45-67","Анна"\n8 903 555-01-01,Иван'),
	],
])('a list %s is read', async (_, make) => {
	const { message } = await upload('Чтение', make());
	expect(message).toContain('Получателей: 2. Не получат сообщения: 0.');
	expect(message).toContain('Здравствуйте, Анна!');
});

test.each([
	['a file is no list', list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX'],
	['rows have different lengths', list('ID,Имя\n5001,Анна,1'), 'Файл не читается'],
	['no column has numbers', list('Тел.,ФИО\n89161234567,Анна'), 'нужен столбец «Телефон» или «ID»'],
	['the contacts of the bot cannot be read', list('ID\n5001'), 'Контакты бота не читаются'],
])('a page says that nothing is sent when %s', async (_, contacts, words) => {
	if (words.startsWith('Контакты')) bench.service.faults.add(refusal('getContacts'));
	const page = await upload('Отказ', contacts);
	expect(page).toMatchObject({ title: 'Ничего не отправлено', message: expect.stringContaining(words) });
	await leave(page);
	expect((await ended(page)).status).toBe('success');
	expect(changes()).toEqual([]);
});
