import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { examplesFolder } from '../../../sandbox/start/examples';
import { doneButNotSaid, openExample, refusal, reported } from '../support/examples';
import { type FormPage, leave, submitForm, submitPage } from '../support/pages';

/*
 * The example "Broadcast from a form", as somebody in marketing uses it. That nobody confirms a broadcast is in
 * nightly/timeLimits.test.ts.
 */

const { address, bench, contact, delivered, ended, publish } = openExample('broadcast-from-form.json');

/** A tag of the bot. */
const tag = 'Пробный урок';
/** Gets the numbers at the end. */
const manager = 5004;

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

beforeAll(publish);

test('a list with bad rows is checked on a page before anything is sent, and every row is in the report', async () => {
	for (const id of [5007, 5008]) bench.service.faults.add(refusal('sendMessage', id));
	const page = await upload('Проверка', list(await readFile(join(examplesFolder, 'contacts.csv'), 'utf8')));
	expect(page.title).toBe('Рассылка «Проверка»');
	expect(page.message).toContain(
		'Получателей: 5. Не получат сообщения: 2 (нет такого контакта: 1, нет ни ID, ни телефона: 1).',
	);
	expect(page.message).toContain('Рассылка займёт около 1 мин.');
	expect(page.message).toContain('Здравствуйте, Анна!');
	expect(bench.service.requests.map(({ operation }) => operation)).toEqual(['getContacts']);

	const execution = await confirm(page);
	expect(reported(execution)).toEqual({
		5001: 'accepted',
		5002: 'accepted',
		5004: 'accepted',
		5007: 'not reached',
		5008: 'not reached',
		'8 900 000-00-01': 'not reached',
		Пётр: 'not reached',
	});
	expect(reported(execution, 'reason')).toMatchObject({
		5007: expect.stringContaining('заблокировал'),
		'8 900 000-00-01': 'нет такого контакта',
		Пётр: 'нет ни ID, ни телефона',
	});
	for (const id of [5001, 5002, 5004, 5007, 5008]) expect(contact(id).tags).toContain(tag);
	expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
	expect(delivered()[manager]!.at(-1)).toMatch(
		/«Проверка» закончена\.\nпринято сервисом: 3\nне отправлено: 4\n2 × .*Контакт заблокировал бота/,
	);
});

test('the report is a list itself: under the same name, only people who were not reached get the message', async () => {
	bench.service.faults.add(doneButNotSaid('sendMessage', 5007));
	bench.service.faults.add(refusal('sendMessage', 5008));
	const contacts = list('phone,name\n89161234567,Анна\n79990005007,Наталья\n79990005008,Артём');
	const first = await broadcast('Дважды', contacts);
	expect(reported(first)).toEqual({ 5001: 'accepted', 5007: 'unknown', 5008: 'not reached' });
	bench.service.faults.clear();

	const [{ binary }] = first.output('Report for Excel') as unknown as [{ binary: { data: { id: string } } }];
	const report = await fetch(
		`${bench.host.url}/rest/binary-data?id=${encodeURIComponent(binary.data.id)}&action=download`,
		{ headers: bench.api.login },
	);
	const again = list(new Uint8Array(await report.arrayBuffer()), 'broadcast-report.xlsx');
	expect(reported(await broadcast('Дважды', again))).toEqual({
		5001: 'accepted before',
		5007: 'unknown',
		5008: 'accepted',
	});
	for (const id of [5001, 5007, 5008]) expect(delivered()[id]).toHaveLength(1);
	expect(delivered()[manager]!.at(-1)).toContain('неизвестно, посмотрите в чат: 1');
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

test.each([
	['with semicolons and a byte order mark', () => list(`\uFEFF${rowsOfExcel}`)],
	['with semicolons in Windows-1251', () => list(windows1251)],
	['with tabs, and an extension in capitals', () => list(rowsOfExcel.replaceAll(';', '\t'), 'СПИСОК.CSV')],
	['with commas and quotes', () => list('Телефон,Имя\n"8 916 123-45-67","Анна"\n8 903 555-01-01,Иван')],
])('a list %s is read', async (_, make) => {
	const { message } = await upload('Чтение', make());
	expect(message).toContain('Получателей: 2. Не получат сообщения: 0.');
	expect(message).toContain('Здравствуйте, Анна!');
});

test.each<[string, File, string, () => void]>([
	['a file is no list', list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX', () => {}],
	['rows have different lengths', list('ID,Имя\n5001,Анна,1'), 'Файл не читается', () => {}],
	[
		'the contacts of the bot cannot be read',
		list('ID\n5001'),
		'Контакты бота не читаются',
		() => bench.service.faults.add(refusal('getContacts', undefined, 'Неверный бот.')),
	],
	[
		'the service does not say who has the opt-out tag',
		list('ID\n5001'),
		'неизвестно, кто не хочет рассылок',
		() => void (bench.service.dialect.with = 'ignored'),
	],
])('nothing is sent when %s, and a page says so', async (_, contacts, words, prepare) => {
	prepare();
	const page = await upload('Отказ', contacts);
	expect(page).toMatchObject({ title: 'Ничего не отправлено', message: expect.stringContaining(words) });
	await leave(page);
	expect((await ended(page)).status).toBe('success');
	expect(bench.service.requests.filter(({ operation }) => operation !== 'getContacts')).toEqual([]);
});

test('nobody gets a message when the bot does not have the tag', async () => {
	const execution = await broadcast('Без тега', list('ID\n5001\n5007'), 'Опечатка');
	expect(reported(execution)).toEqual({ 5001: 'not reached', 5007: 'not reached' });
	expect(Object.keys(delivered()).map(Number)).toEqual([manager]);
});
