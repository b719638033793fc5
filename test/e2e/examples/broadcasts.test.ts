import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { chained, manualTrigger, ourNode } from '../../../sandbox/host';
import { examplesFolder } from '../../../sandbox/start/examples';
import {
	blocked,
	containing,
	doneButNotSaid,
	exampleIn,
	mayBeSent,
	mayBeSentAlready,
	openExamples,
	refusal,
	reported,
	russianExamplesFolder,
	serviceIn,
} from '../support/examples';
import { type FormPage, leave, submitForm, submitPage } from '../support/pages';

/*
 * The broadcasts of the examples: as imported, each only tests itself; without 'Test Run' it reaches everybody once and reports. The form is
 * in Russian here; list.xlsx has the rows of its lists as a workbook. What the code of their nodes says: description/examples.test.ts.
 */

const bench = openExamples();
const { changes, contact, delivered, giveVariable, requestsOf } = serviceIn(bench);

/** Gets the reports. */
const manager = 5004;
const people = [5001, 5002, 5007, 5008];

const leaveOnly = (ids: number[]) => {
	const { contacts } = bench.service.data;
	for (const id of [...contacts.keys()]) if (!ids.includes(id)) contacts.delete(id);
};

const segment = {
	title: 'a segment',
	example: exampleIn(bench, 'broadcast-to-segment.json'),
	name: 'Открытый урок, ноябрь',
};
const friday = {
	title: 'all on Friday',
	example: exampleIn(bench, 'broadcast-on-friday.json'),
	name: 'Скидка выходного дня, ноябрь',
};

test.each([segment, friday])('$title: tested, reached once, reported', async ({ example, name }) => {
	const { faults } = bench.service;
	const everybody = [...people, manager, 5009, 5010];
	leaveOnly(everybody);
	for (const id of everybody) giveVariable(id, 'Интерес', 'Разговорный английский');
	// They have opted out.
	for (const id of [manager, 5009]) contact(id).tags.push('Не писать');
	giveVariable(5010, 'Не писать', 'да');
	expect(reported(await example.run())).toEqual(Object.fromEntries(people.map((id) => [id, 'can be sent'])));
	expect(changes()).toEqual([]);

	// At any time of the day.
	await example.removeTestRun({ sendingHours: { values: { from: '00:00', until: '23:59' } } });
	faults.add(doneButNotSaid('sendMessage', 5007));
	// The service may use the same words as the node.
	const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
	faults.add(refusal('sendMessage', 5008, misleading));

	const first = await example.run();
	const outcomes = { 5001: 'accepted', 5002: 'accepted', 5007: 'unknown', 5008: 'not reached' };
	expect(reported(first)).toEqual(outcomes);
	const reasons = { 5001: '', 5002: '', 5007: containing(mayBeSent), 5008: containing(misleading) };
	expect(reported(first, 'reason')).toEqual(reasons);
	const nameOf = (id: number) => `${contact(id).name}, ${contact(id).phone ?? `ID ${id}`}`;
	expect(delivered()[manager]).toEqual([
		[
			`Broadcast “${name}”: results of this run`,
			'accepted: 2',
			'not reached: 1',
			'unknown: 1',
			'',
			`${nameOf(5007)}: may have arrived, look at the chat`,
			`${nameOf(5008)}: the service rejected it: ${misleading}`,
		].join('\n'),
	]);

	faults.clear();
	const before = { 5001: 'accepted before', 5002: 'accepted before' };
	expect(reported(await example.run())).toEqual({ ...before, 5007: 'unknown', 5008: 'accepted' });
	for (const id of people) expect(delivered()[id]).toHaveLength(1);
	for (const id of [5009, 5010]) expect(delivered()[id]).toBeUndefined();
});

const form = exampleIn(bench, 'broadcast-from-form.json', russianExamplesFolder);
const tag = 'Пробный урок';

const list = (content: string | Uint8Array<ArrayBuffer>, name = 'contacts.csv') => new File([content], name);

const upload = async (contacts: File) =>
	await submitForm(form.address(), [contacts, 'Проверка', tag, 'Здравствуйте, {имя}!\nДо субботы.']);

/** Confirms the broadcast. @returns the title of the last page, and the execution */
async function confirm(page: FormPage) {
	const last = await submitPage(page, [['Да, всё верно']]);
	await leave(last);
	return { title: last.title, execution: await form.ended(page) };
}

describe('the form', () => {
	beforeAll(async () => {
		await form.change();
		await form.publish();
	});

	test('as imported, it tells how it would be', async () => {
		const tested = await confirm(await upload(list('Телефон,Имя\n89161234567,Анна')));
		expect(tested.title).toBe('Это проверка');
		expect(reported(tested.execution)).toEqual({ 5001: 'можно отправить' });
		// Not even the report leaves.
		expect(changes()).toEqual([]);
	});

	test('a page checks the list, the report has every row', async () => {
		await form.removeTestRun();
		await form.publish();
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
		const file = readFileSync(join(examplesFolder, 'contacts.csv'), 'utf8');
		const contacts = list(`${file},Олег,5009\n,Игорь,${viber}\n`);
		const page = await upload(contacts);
		expect(page.title).toBe('Рассылка «Проверка»');
		for (const words of [
			'Получателей: 4. Не получат сообщения: 5 (несколько контактов: 1, не хочет рассылок: 1, нет такого контакта: 2, нет ни ID, ни телефона: 1). Повторов в списке: 1.',
			'Рассылка займёт около 1 мин.',
			'Здравствуйте, Анна!',
		])
			expect(page.message).toContain(words);
		expect(requestsOf('getContacts')).toHaveLength(1);
		expect(changes()).toEqual([]);

		const [accepted, before, left] = ['принято сервисом', 'принято раньше', 'не отправлено'];
		const strangers = ['+7 (903) 555-01-01', '8 900 000-00-01', 'Пётр', '5009', viber];
		const others = { 5007: 'неизвестно', ...Object.fromEntries(strangers.map((each) => [each, left])) };
		const { title, execution } = await confirm(page);
		expect(title).toBe('Рассылка началась');
		expect(reported(execution)).toEqual({ 5001: accepted, 5004: accepted, 5008: left, ...others });
		for (const id of [5001, 5004, 5007]) expect(contact(id).tags).toContain(tag);
		expect(untagged.map((id) => contact(id).tags)).toEqual(tagsBefore);
		expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nДо субботы.']);
		const report = delivered()[manager]!.at(-1);
		for (const line of [
			'принято сервисом: 2\nне отправлено: 6\nнеизвестно: 1\n',
			'Наталья, 79990005007: могло дойти, посмотрите в чат',
			`Артём, 999 000 50 08: сервис отклонил: ${blocked}`,
			`Иван, +7 (903) 555-01-01: несколько контактов: 5002 (whatsapp), ${twin!.id} (telegram)`,
			`Игорь, ID ${viber}: нет такого контакта`,
			'Исправьте список и отправьте форму с тем же названием',
		])
			expect(report).toContain(line);

		faults.clear();
		const again = reported((await confirm(await upload(contacts))).execution);
		expect(again).toEqual({ 5001: before, 5004: before, 5008: accepted, ...others });
		for (const id of [5001, 5007, 5008]) expect(delivered()[id]).toHaveLength(1);
	});

	const rowsOfExcel = 'ID;Город;Имя\r\n 5001 ;Казань; Анна \r\n5002;;Иван\r\n;;\r\n';
	const windows1251 = Uint8Array.from(rowsOfExcel, (letter) => {
		const code = letter.charCodeAt(0);
		return code < 0x80 ? code : code - 0x350;
	});

	test.each([
		['with semicolons and a byte order mark', list(`\uFEFF${rowsOfExcel}`)],
		['with semicolons in Windows-1251', list(windows1251)],
		['with tabs', list(rowsOfExcel.replaceAll(';', '\t'), 'СПИСОК.CSV')],
		['with commas and quotes', list(' НОМЕР ТЕЛЕФОНА,имя\n"8 916 123-45-67","Анна"\n8 903 555-01-01,Иван')],
		['in XLSX', list(readFileSync(join(__dirname, 'list.xlsx')), 'список.XLSX')],
	])('a list %s is read', async (_, contacts) => {
		const { message } = await upload(contacts);
		expect(message).toContain('Получателей: 2. Не получат сообщения: 0.');
		expect(message).toContain('Здравствуйте, Анна!');
	});

	test.each([
		['a file is no list', list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX'],
		['rows have different lengths', list('ID,Имя\n5001,Анна,1'), 'Файл не читается'],
		['no column has numbers', list('Тел.,ФИО\n89161234567,Анна'), 'нужен столбец «Телефон» или «ID»'],
		['the contacts of the bot cannot be read', list('ID\n5001'), 'Контакты бота не читаются'],
	])('nothing is sent when %s', async (_, contacts, words) => {
		if (words.startsWith('Контакты')) bench.service.faults.add(refusal('getContacts'));
		const page = await upload(contacts);
		expect(page).toMatchObject({ title: 'Ничего не отправлено', message: containing(words) });
		await leave(page);
		expect((await form.ended(page)).status).toBe('success');
		expect(changes()).toEqual([]);
	});

	test('what nobody confirms in time is not sent', async () => {
		// n8n looks once a minute for executions that have waited long enough.
		await form.change({ 'Check the broadcast': { resumeAmount: 0.02, resumeUnit: 'minutes' } });
		await form.publish();
		expect((await form.ended(await upload(list('ID\n5001')))).status).toBe('success');
		expect(changes()).toEqual([]);
	});
});

/* The recipe of examples/README.md for people who have blocked the bot: a broadcast marks them, and the next one leaves them out. */
test('who has blocked the bot is marked and left out', async () => {
	const { api, credential, service } = bench;
	const [anna, igor, other] = [5001, 5007, 5008];
	const mark = 'Заблокировал бота';
	const contacts = {
		...{ resource: 'contact', operation: 'getAll', returnAll: true },
		filters: { variables: { conditions: [{ name: mark, condition: 'notExists' }] } },
	};
	const isBlocked = {
		...{ id: 'blocked', leftValue: '={{ $json.error + $json.message }}', rightValue: 'заблокировал' },
		operator: { type: 'string', operation: 'contains' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const remember = {
		...{ resource: 'contactVariable', operation: 'upsert', contactId: '={{ $json.id }}' },
		...{ variableName: { __rl: true, mode: 'name', value: mark }, variableValue: 'да' },
	};
	const send = { resource: 'message', operation: 'send', contactId: '={{ $json.id }}', text: 'Новый курс' };
	const workflow = chained('Blocked', [
		manualTrigger,
		ourNode({ name: 'Contacts', parameters: contacts }, credential),
		ourNode({ name: 'Send', onError: 'continueErrorOutput', parameters: send }, credential),
		{
			...{ name: 'Blocked?', type: 'n8n-nodes-base.if', typeVersion: 2.2 },
			parameters: { conditions: { options, conditions: [isBlocked], combinator: 'and' } },
		},
		ourNode({ name: 'Remember', parameters: remember }, credential),
	]);
	workflow.connections.Send = { main: [[], [{ node: 'Blocked?', type: 'main', index: 0 }]] };
	const { id } = await api.createWorkflow(workflow);
	leaveOnly([anna, igor, other]);
	service.faults.add(refusal('sendMessage', igor));
	service.faults.add(refusal('sendMessage', other, 'Попробуйте позже.'));
	const reached = async () => {
		const before = requestsOf('sendMessage').length;
		expect((await api.runWorkflow(id)).status).toBe('success');
		return requestsOf('sendMessage')
			.slice(before)
			.map(({ input }) => Number(input.contact_id))
			.sort();
	};

	expect(await reached()).toEqual([anna, igor, other]);
	const isMarked = (each: number) => contact(each).variables.some(({ name }) => name === mark);
	expect([anna, igor, other].filter(isMarked)).toEqual([igor]);
	expect(await reached()).toEqual([anna, other]);
});
