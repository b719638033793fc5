import { contactMessengers } from '../../../nodes/ChatbotService/resources/choices';
import { messageLimits } from '../../../nodes/ChatbotService/resources/message/limits';
import { addContacts } from '../../../sandbox/emulator';
import { file, formOf, list, outcomes, small } from '../support/broadcastForm';
import { openExamples, parametersOf, refusal } from '../support/examples';
import { leave } from '../support/form';

/* Which lists the example "Broadcast from a form" reads, and what its page says about them. */

const examples = openExamples();
const { bench, delivered } = examples;
const { broadcast, publish, upload } = formOf(examples);

beforeAll(publish);

const columns = 'contact_id,name';
const rowsOfExcel = `${columns.replaceAll(',', ';')}\r\n5001;Анна\r\n5002;Иван\r\n`;
const windows1251 = (text: string) =>
	Uint8Array.from(text, (letter) => {
		const code = letter.charCodeAt(0);
		return code < 0x80 ? code : code - 0x350;
	});

test.each([
	['semicolons and a byte order mark', () => list(`\uFEFF${rowsOfExcel}`)],
	['semicolons in Windows-1251', () => list(windows1251(rowsOfExcel))],
	['tabs', () => list(rowsOfExcel.replaceAll(';', '\t'))],
	['quotes', () => list(`${columns}\n"5001","Анна"\n5002,Иван`)],
	['an extension in capitals', () => list(rowsOfExcel, 'СПИСОК.CSV')],
	['other columns and blanks', () => list('ID;Город;name\n 5001 ;Казань; Анна \n5002;;Иван')],
	['Russian columns', () => list('Имя;Телефон\nАнна;8 916 123-45-67\nИван;8 903 555-01-01')],
])('a list with %s is read', async (_, make) => {
	const { message } = await upload('Чтение', make());
	expect(message).toContain('Получателей: 2. Не получат сообщения: 0.');
	expect(message).toContain('Здравствуйте, Анна!');
});

test('a report is a list itself', async () => {
	const contacts = list('phone,name\n89161234567,Анна\n79035550101,Иван\n89000000001,Виктор');
	const execution = await broadcast('Отчёт', contacts);
	const [{ binary }] = execution.output('Report for Excel') as unknown as [
		{ binary: { data: { id: string } } },
	];
	const response = await fetch(
		`${bench.host.url}/rest/binary-data?id=${encodeURIComponent(binary.data.id)}&action=download`,
		{ headers: bench.api.login },
	);
	const report = list(new Uint8Array(await response.arrayBuffer()), 'broadcast-report.xlsx');
	expect(outcomes(await broadcast('Отчёт', report))).toEqual({
		5001: 'accepted before',
		5002: 'accepted before',
		89000000001: 'not reached',
	});
});

test.each([
	['an empty file', () => list(''), 'нужен столбец phone или contact_id'],
	['a list without rows', () => list(columns), 'нужен столбец phone или contact_id'],
	['a list without the column', () => list('mail\nanna@example.com'), 'нужен столбец phone или contact_id'],
	['another type of file', () => list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX'],
	[
		'a text with the extension of a workbook',
		() => list('contact_id', 'list.xlsx'),
		'нужен столбец phone или contact_id',
	],
	['rows of different lengths', () => list(`${columns}\n5001,Анна,telegram,1`), 'Файл не читается'],
	['a list of strangers', () => list('phone\n89000000001'), 'нет такого контакта: 1'],
])('%s is refused on a page, and nothing is sent', async (_, make, words) => {
	await refused(make(), words);
});

test('nothing is sent when the contacts of the bot cannot be read', async () => {
	bench.service.faults.add(refusal('getContacts', 'Неверный бот.'));
	await refused(small, 'Контакты бота не читаются');
});

test('nothing is sent when the service does not say who has the opt-out tag', async () => {
	bench.service.dialect.with = 'ignored';
	await refused(small, 'неизвестно, кто не хочет рассылок');
});

async function refused(contacts: File, words: string): Promise<void> {
	const page = await upload('Отказ', contacts);
	expect(page).toMatchObject({
		title: 'Ничего не отправлено',
		message: expect.stringContaining(words),
	});
	await leave(page);
	expect((await bench.api.waitForExecution(page.executionId)).status).toBe('success');
	expect(bench.service.requests.filter(({ operation }) => operation !== 'getContacts')).toEqual([]);
	expect(delivered()).toEqual({});
}

test.each([
	['telegram', '1 ч 15 мин'],
	['whatsapp', '8 ч 45 мин'],
] as const)('the page says how long 3,000 contacts in %s take', async (messenger, time) => {
	const { data } = bench.service;
	const added = addContacts(data, 3000, { messenger });
	const { message } = await upload('Три тысячи', list(['ID', ...added.map(({ id }) => id)].join('\n')));
	expect(message).toContain('Получателей: 3000.');
	expect(message).toContain(time);
});

test('the page knows each messenger by every name that the node knows, and how long its messages take', () => {
	for (const { value, aliases = [] } of contactMessengers) {
		const names = [value, ...aliases].flatMap((name) => [name, ` ${name.toUpperCase()} `]);
		const people = Array.from({ length: 1200 }, (_, index) => ({ messenger: names[index % names.length] }));
		const [limit] = Object.values(messageLimits(value));
		const secondsEach = limit ? limit.windowMs / limit.count / 1000 : 0.5;
		const minutes = (people.length * (0.5 + secondsEach)) / 60;
		expect([value, timeFor(people)]).toEqual([
			value,
			minutes < 60 ? `${minutes} мин` : `${Math.floor(minutes / 60)} ч ${minutes % 60} мин`,
		]);
	}
});

/** What the example's code says about the time for these people. */
function timeFor(people: Array<{ messenger?: string }>): string {
	const items = people.map((person) => ({ json: { ...person, reason: '' } }));
	const nodes: Record<string, object> = {
		'People of the list': { first: () => ({ json: { problem: '' } }) },
		'Contacts of the bot': { all: () => [{ json: { tags: [] } }] },
	};
	const code = new Function('$input', '$', String(parametersOf(file, 'The list').jsCode));
	const [{ json }] = code({ all: () => items }, (name: string) => nodes[name]) as [{ json: { time: string } }];
	return json.time;
}
