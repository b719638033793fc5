import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { hostFolder } from '../../../sandbox/host';
import { examplesFolder } from '../../../sandbox/start/examples';
import { blocked, doneButNotSaid, openExample, refusal, reported } from '../support/examples';
import { type FormPage, leave, submitForm, submitPage } from '../support/pages';

/*
 * The example "Broadcast from a form" in Russian, as somebody in marketing uses it; at the end in English. That nobody confirms a broadcast is in
 * nightly/timeLimits.test.ts.
 */

const example = openExample('broadcast-from-form.json');
const {
	address,
	bench,
	changes,
	contact,
	delivered,
	ended,
	giveVariable,
	importAgain,
	publish,
	removeTestRun,
	requestsOf,
} = example;

/** A tag of the bot. */
const tag = 'Пробный урок';
/** Gets the report at the end. */
const manager = 5004;
/** What the report says of those who did not get the message. */
const told = () => delivered()[manager]!.join('\n').split('\n\n')[1]?.split('\n');

/** The last line of a report, if anyone was not reached. */
const nextStep = 'Исправьте список и отправьте форму с тем же названием: дважды никто сообщения не получит.';

const list = (content: string | Uint8Array<ArrayBuffer>, name = 'contacts.csv') => new File([content], name);

const upload = async (name: string, contacts: File, tagName = tag) =>
	await submitForm(address(), [contacts, name, tagName, 'Здравствуйте, {имя}!\nВ субботу открытый урок.']);

/** Confirms the broadcast, and waits for its end. */
async function confirm(page: FormPage) {
	const started = await submitPage(page, [['Да, всё верно']]);
	expect(started.title).toBe('Рассылка началась');
	await leave(started);
	return await ended(page);
}

const broadcast = async (...values: Parameters<typeof upload>) => await confirm(await upload(...values));

beforeAll(async () => {
	await importAgain('Russian');
	await removeTestRun();
	await publish();
});
// The n8n is shared.
afterAll(async () => await importAgain());

test('a list with bad rows is checked on a page before anything is sent, and every row is in the report', async () => {
	for (const id of [5007, 5008]) bench.service.faults.add(refusal('sendMessage', id));
	const page = await upload('Проверка', list(await readFile(join(examplesFolder, 'contacts.csv'), 'utf8')));
	expect(page.title).toBe('Рассылка «Проверка»');
	expect(page.message).toContain(
		'Получателей: 5. Не получат сообщения: 2 (нет такого контакта: 1, нет ни ID, ни телефона: 1). Повторов в списке: 1.',
	);
	expect(page.message).toContain('Кому рассылка с этим названием уже пришла, второй раз не придёт.');
	expect(page.message).toContain('Рассылка займёт около 1 мин.');
	expect(page.message).toContain('Здравствуйте, Анна!');
	expect(requestsOf('getContacts')).toHaveLength(1);
	expect(changes()).toEqual([]);

	const execution = await confirm(page);
	expect(reported(execution)).toEqual({
		5001: 'принято сервисом',
		5002: 'принято сервисом',
		5004: 'принято сервисом',
		5007: 'не отправлено',
		5008: 'не отправлено',
		'8 900 000-00-01': 'не отправлено',
		Пётр: 'не отправлено',
	});
	for (const id of [5001, 5002, 5004, 5007, 5008]) expect(contact(id).tags).toContain(tag);
	expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
	expect(delivered()[manager]!.at(-1)).toBe(
		[
			'Рассылка «Проверка»: итоги запуска',
			'принято сервисом: 3',
			'не отправлено: 4',
			'',
			`Наталья, 79990005007: сервис отклонил: ${blocked}`,
			`Артём, 999 000 50 08: сервис отклонил: ${blocked}`,
			'Виктор, 8 900 000-00-01: нет такого контакта',
			'Пётр: нет ни ID, ни телефона',
			'',
			nextStep,
		].join('\n'),
	);
});

test('everyone who was not reached is named to the manager in the order of the list, in as many messages as needed', async () => {
	const strangers = Array.from({ length: 200 }, (_, index) => `+7 900 000-${1000 + index}`);
	const rowsOfList = strangers.map((phone, index) => `${phone},Незнакомец № ${index + 1}`);
	await broadcast('Незнакомцы', list(['phone,name', '89161234567,Анна', ...rowsOfList].join('\n')));
	const messages = delivered()[manager]!;
	expect(messages.length).toBeGreaterThan(2);
	for (const message of messages) expect(message.length).toBeLessThan(4000);
	const lines = messages.flatMap((message, index) => {
		const [number, ...others] = message.split('\n');
		expect(number).toBe(`${index + 1}/${messages.length}`);
		return others;
	});
	expect(lines.slice(0, 4)).toEqual([
		'Рассылка «Незнакомцы»: итоги запуска',
		'принято сервисом: 1',
		'не отправлено: 200',
		'',
	]);
	expect(lines.slice(4)).toEqual([
		...strangers.map((phone, index) => `Незнакомец № ${index + 1}, ${phone}: нет такого контакта`),
		'',
		nextStep,
	]);
});

test('under the same name, only people who were not reached get the message', async () => {
	bench.service.faults.add(doneButNotSaid('sendMessage', 5007));
	bench.service.faults.add(refusal('sendMessage', 5008));
	const contacts = list('phone,name\n89161234567,Анна\n79990005007,Наталья\n79990005008,Артём');
	const first = await broadcast('Дважды', contacts);
	expect(reported(first)).toEqual({
		5001: 'принято сервисом',
		5007: 'неизвестно',
		5008: 'не отправлено',
	});
	expect(told()).toEqual([
		'Наталья, 79990005007: могло дойти, посмотрите в чат',
		`Артём, 79990005008: сервис отклонил: ${blocked}`,
	]);
	bench.service.faults.clear();

	expect(reported(await broadcast('Дважды', contacts))).toEqual({
		5001: 'принято раньше',
		5007: 'неизвестно',
		5008: 'принято сервисом',
	});
	for (const id of [5001, 5007, 5008]) expect(delivered()[id]).toHaveLength(1);
	expect(delivered()[manager]!.at(-1)).toMatch(/неизвестно: 1\n\nНаталья, 79990005007: могло дойти/);
});

test('people who have opted out get no message, also at a service that returns contacts without tags, and the report asks nobody to correct the list', async () => {
	bench.service.dialect.with = 'ignored';
	contact(5002).tags.push('не писать');
	giveVariable(5007, 'Не  писать', 'да');
	giveVariable(5008, 'Не писать', '');
	const execution = await broadcast('Отписались', list('contact_id\n5001\n5002\n5007\n5008'));
	const [wanted, unwanted] = ['', 'не хочет рассылок'];
	expect(reported(execution, 'reason')).toEqual({
		5001: wanted,
		5002: unwanted,
		5007: unwanted,
		5008: wanted,
	});
	expect(delivered()[manager]!.at(-1)).toMatch(/: не хочет рассылок$/);
});

test('a person whose number is on a list in several spellings gets one message; those with the opt-out tag, with several contacts or of another bot get neither tag nor message', async () => {
	contact(5002).tags.push('не писать ');
	const [twin] = addContacts(bench.service.data, 1);
	twin!.phone = contact(5007).phone;
	const { viber } = SEEDED.contacts;
	const others = [5002, 5007, twin!.id, viber];
	const before = others.map((id) => [...contact(id).tags]);
	const spellings = ['89161234567', '+7 (916) 123-45-67', '9161234567', '8(916)1234567', '7 916 123 45 67'];
	const phones = [...spellings, '79035550101', '79990005007'].map((phone) => `${phone},`);
	const contacts = list(['phone,contact_id', ...phones, ',5001', `,${viber}`].join('\n'));
	expect(reported(await broadcast('Не всем', contacts), 'reason')).toEqual({
		5001: '',
		5002: 'не хочет рассылок',
		79990005007: `несколько контактов: 5007 (telegram), ${twin!.id} (telegram)`,
		[viber]: 'нет такого контакта',
	});
	expect(Object.keys(delivered()).map(Number)).toEqual([manager, 5001].sort());
	expect(delivered()[5001]).toHaveLength(1);
	expect(others.map((id) => contact(id).tags)).toEqual(before);
});

const rowsOfExcel = 'ID;Город;Имя\r\n 5001 ;Казань; Анна \r\n5002;;Иван\r\n';
const windows1251 = Uint8Array.from(rowsOfExcel, (letter) => {
	const code = letter.charCodeAt(0);
	return code < 0x80 ? code : code - 0x350;
});

/** As Excel saves it, by the library that n8n itself contains. */
function workbook(cells: unknown[][]): Uint8Array<ArrayBuffer> {
	const { utils, write } = createRequire(join(hostFolder, 'package.json'))('@e965/xlsx') as {
		utils: { aoa_to_sheet(cells: unknown[][]): object };
		write(book: object, options: object): ArrayBuffer;
	};
	const book = { SheetNames: ['Лист1'], Sheets: { Лист1: utils.aoa_to_sheet(cells) } };
	return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }));
}

test('empty rows are left out, columns may be named in any case, and everyone reached needs no next step', async () => {
	const rowsOfList = 'имя; НОМЕР ТЕЛЕФОНА ;Комментарий\r\nАнна;8 916 123-45-67;\r\n;;\r\n;;\r\n';
	const page = await upload('Пустые строки', list(rowsOfList));
	expect(page.message).toMatch(/^Получателей: 1\. Не получат сообщения: 0\.<br/);
	expect(reported(await confirm(page))).toEqual({ 5001: 'принято сервисом' });
	expect(delivered()[manager]).toEqual(['Рассылка «Пустые строки»: итоги запуска\nпринято сервисом: 1']);
});

test.each([
	['with semicolons and a byte order mark', () => list(`\uFEFF${rowsOfExcel}`)],
	['with semicolons in Windows-1251', () => list(windows1251)],
	['with tabs, and an extension in capitals', () => list(rowsOfExcel.replaceAll(';', '\t'), 'СПИСОК.CSV')],
	[
		'in XLSX',
		() =>
			list(
				workbook([
					['ID', 'Город', 'Имя'],
					[5001, 'Казань', ' Анна '],
					[5002, '', 'Иван'],
				]),
				'список.XLSX',
			),
	],
	['with commas and quotes', () => list('Телефон,Имя\n"8 916 123-45-67","Анна"\n8 903 555-01-01,Иван')],
])('a list %s is read', async (_, make) => {
	const { message } = await upload('Чтение', make());
	expect(message).toContain('Получателей: 2. Не получат сообщения: 0.');
	expect(message).toContain('Здравствуйте, Анна!');
});

test.each<[string, File, string, () => void]>([
	['a file is no list', list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX', () => {}],
	['rows have different lengths', list('ID,Имя\n5001,Анна,1'), 'Файл не читается', () => {}],
	['no column has numbers', list('Тел.,ФИО\n89161234567,Анна'), 'нужен столбец «Телефон» или «ID»', () => {}],
	[
		'the contacts of the bot cannot be read',
		list('ID\n5001'),
		'Контакты бота не читаются',
		() => bench.service.faults.add(refusal('getContacts', undefined, 'Неверный бот.')),
	],
])('nothing is sent when %s, and a page says so', async (_, contacts, words, prepare) => {
	prepare();
	const page = await upload('Отказ', contacts);
	expect(page).toMatchObject({ title: 'Ничего не отправлено', message: expect.stringContaining(words) });
	await leave(page);
	expect((await ended(page)).status).toBe('success');
	expect(changes()).toEqual([]);
});

test('nobody gets a message when the bot does not have the tag', async () => {
	bench.service.dialect.newTag = 'refused';
	const execution = await broadcast('Без тега', list('ID\n5001\n5007'), 'Опечатка');
	expect(reported(execution)).toEqual({ 5001: 'не отправлено', 5007: 'не отправлено' });
	expect(Object.keys(delivered()).map(Number)).toEqual([manager]);
	expect(told()).toEqual([
		expect.stringMatching(/^ID 5001: .*тег/),
		expect.stringMatching(/^ID 5007: .*тег/),
	]);
});

test('in English, the pages and the report are English', async () => {
	await importAgain();
	await removeTestRun();
	await publish();
	bench.service.faults.add(refusal('sendMessage', 5007));
	const page = await upload(
		'Проверка 2',
		list('phone,name\n89161234567,Анна\n79990005007,Наталья\n123,Пётр'),
	);
	expect(page.title).toBe('Broadcast “Проверка 2”');
	expect(page.message).toContain('Recipients: 2. Will not get the message: 1 (no such contact: 1).');
	const started = await submitPage(page, [['Yes, all is correct']]);
	expect(started.title).toBe('The broadcast has started');
	await leave(started);
	await ended(page);
	expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
	expect(delivered()[manager]).toEqual([
		[
			'Broadcast “Проверка 2”: results of this run',
			'accepted: 1',
			'not reached: 2',
			'',
			`Наталья, 79990005007: the service rejected it: ${blocked}`,
			'Пётр, 123: no such contact',
			'',
			'Correct the list and send the form under the same name: no one gets the message twice.',
		].join('\n'),
	]);
});
