import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';

import { ofReading } from '../../nodes/ChatbotService/client/advice';
import { inDoubt, type Problem, unknownEndpoint } from '../../nodes/ChatbotService/client/failure';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { type Execution, ownConnection, poll, until, type WorkflowNode } from '../../sandbox/host';
import { addContacts, DEFAULT_TOKEN, SEEDED, type Fault } from '../../sandbox/emulator';
import { examplesFolder, withService } from '../../sandbox/start/examples';
import { linkIn } from '../operations/link';
import { labelOf, wordsOf } from '../operations/words';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import {
	boldIn,
	descriptionOf,
	exampleFiles,
	isNote,
	isOurs,
	issuesOf,
	keptParameters,
	sectionOf,
} from './support/exampleFiles';
import { type FormPage, leave, openForm, submitForm, submitPage, untilFormIsThere } from './support/form';
import { answer } from './support/question';
import { isRegistered, post, webhookUrl } from './support/webhook';
import { unknownBy } from './support/words';

const bench = duringTests(openBench);
let nodeTypes: INodeTypeDescription[];

beforeAll(async () => {
	nodeTypes = (await bench.api.nodeTypes()) as unknown as INodeTypeDescription[];
});

beforeEach(() => bench.service.reset());

afterEach(() => bench.service.assertContract());

const mayBeSent = wordsOf('message/send').unknown!;
const mayBeSentAlready = inDoubt('', '').message;
const unknownContact = unknownBy('message/send', 'contactId');
const contactLabel = labelOf('message/send', 'contactId');
const [notANumber] = (kinds.contactId('Анна', contactLabel) as { problems: Problem[] }).problems;

const files = exampleFiles();
const idOf = (file: string) => bench.examples.get(file)!;
const run = async (file: string) => await bench.api.runWorkflow(idOf(file));
const rows = (execution: Execution, node: string) => execution.output(node).map(({ json }) => json);
const contact = (id: number) => bench.service.data.contacts.get(id)!;
const variablesOf = (id: number) =>
	Object.fromEntries(contact(id).variables.map(({ name, value }) => [name, value]));

/** Which message the service delivered to whom, and how often. */
const delivered = (): Record<number, Array<string | undefined>> => {
	const texts: Record<number, Array<string | undefined>> = {};
	for (const { contactId, text } of bench.service.deliveries()) (texts[contactId] ??= []).push(text);
	return texts;
};

/** The service processed the request, and failed before it answered. */
const doneButNotSaid = (path: string, recipient?: number | string): Fault => ({
	kind: 'server error',
	when: 'after',
	match: { path, recipient },
});

const refusal = (path: string, words: string, recipient?: number | string): Fault => ({
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.', errors: { contact_id: [words] } },
	match: { path, recipient },
});

/** Changes nodes of a stored workflow, like a person in the editor. */
async function change(file: string, changes: Record<string, Partial<WorkflowNode>>): Promise<void> {
	const workflow = await bench.api.workflow(idOf(file));
	const nodes = workflow.nodes.map((node) => ({ ...node, ...changes[node.name] }));
	expect(Object.keys(changes).filter((name) => !nodes.some((node) => node.name === name))).toEqual([]);
	await bench.api.updateWorkflow(idOf(file), { ...workflow, nodes });
}

async function putBack(file: string): Promise<void> {
	const { workflow } = files.find((each) => each.file === file)!;
	const ready = withService(workflow, bench.credential, bench.service.url);
	await bench.api.updateWorkflow(idOf(file), ready as never);
}

describe.each(files.map((each) => [each.file, each] as const))('%s', (file, { text, workflow }) => {
	const notes = workflow.nodes.filter(isNote);
	const others = workflow.nodes.filter((node) => !isNote(node));

	test('the example is described in the README, under the names of its nodes, and by notes on the canvas', () => {
		const section = sectionOf(file);
		expect(section.length).toBeGreaterThan(300);
		expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(boldIn(section)));
		const [about] = notes;
		expect(about?.parameters.content).toMatch(new RegExp(`^## ${workflow.name}\n`));
		for (const { parameters } of notes) expect(parameters.content).toMatch(/^##/);
	});

	test('the example contains no account data and is not active', () => {
		for (const node of workflow.nodes) {
			for (const { id } of Object.values(node.credentials ?? {})) expect(id).toBeNull();
			if (isOurs(node))
				expect(node.credentials).toEqual({ chatbotServiceApi: { id: null, name: 'Chatbot Service' } });
		}
		expect(text).not.toContain(DEFAULT_TOKEN);
		expect(text).not.toMatch(/localhost|127\.0\.0\.1|instanceId/);
		expect(Object.keys(workflow).sort()).toEqual(['connections', 'name', 'nodes', 'pinData', 'settings']);
		expect(workflow.pinData).toEqual({});
	});

	test('the example uses node types and values that the pinned n8n knows, and loses no refused item', () => {
		for (const node of workflow.nodes) {
			const { name, type, onError } = node;
			const description = descriptionOf(node, nodeTypes);
			expect([name, description?.name]).toEqual([name, type]);
			expect([name, issuesOf(node, description!)]).toEqual([name, {}]);
			if (!isOurs(node)) continue;
			// What the editor does not show is lost when it saves the workflow.
			const kept = keptParameters(node, description!);
			expect([name, kept]).toEqual([name, expect.objectContaining(node.parameters)]);
			if (!type.endsWith('Tool')) expect([name, onError]).toEqual([name, expect.stringMatching(/^continue/)]);
		}
	});

	test('the example has an ID and a name for each node, and no overlapping nodes', () => {
		expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(workflow.nodes.length);
		expect(new Set(workflow.nodes.map(({ name }) => name)).size).toBe(workflow.nodes.length);
		const places = others.map(({ position }) => position as [number, number]);
		const overlapping = places.flatMap(([x, y], index) =>
			places.slice(index + 1).filter(([a, b]) => Math.abs(a - x) < 120 && Math.abs(b - y) < 120),
		);
		expect(overlapping).toEqual([]);
	});
});

describe('"Welcome a lead from a form"', () => {
	const file = 'welcome-form-lead.json';
	const manager = 5004;
	const consent = ['Можно писать мне в WhatsApp'];
	const submit = async (name: string, phone: string) =>
		await submitForm(`${bench.host.url}/form/trial-lesson`, [name, phone, 'Подготовка к ЕГЭ', consent]);
	const finish = async ({ executionId }: { executionId: string }) =>
		await bench.api.waitForExecution(executionId);
	const phonesGreeted = () =>
		bench.service
			.deliveries()
			.filter(({ contactId }) => contactId !== manager)
			.map(({ recipient }) => recipient);

	beforeAll(async () => {
		await bench.api.activateWorkflow(idOf(file));
		await untilFormIsThere(`${bench.host.url}/form/trial-lesson`);
	});

	test('a submitted form greets the lead, notifies the manager and shows thanks', async () => {
		const ending = await submit('Ольга Белова', '8 (921) 700-12-34');
		expect(ending).toMatchObject({ title: 'Спасибо!', message: expect.stringContaining('+79217001234') });
		expect((await finish(ending)).status).toBe('success');
		expect(phonesGreeted()).toEqual(['+79217001234']);
		expect(bench.service.deliveries()[0]!.text).toMatch(/Ольга Белова.*Подготовка к ЕГЭ/);
		expect(delivered()[manager]).toEqual([expect.stringMatching(/Ольга Белова, \+79217001234.*отправлено/)]);
	});

	test('a form that is submitted twice sends one greeting, in any spelling of the number', async () => {
		const first = await submit('Тимур', '+7 937 480-56-78');
		await finish(first);
		const second = await submit('тимур ', '8 937 480 56 78');
		expect(second.title).toBe('Ваша заявка уже у нас');
		expect((await finish(second)).status).toBe('success');
		expect(phonesGreeted()).toEqual(['+79374805678']);
		expect(delivered()[manager]).toHaveLength(1);
	});

	test('a lead with an invalid number reads that it is invalid, and the manager is asked to call', async () => {
		const ending = await submit('Пётр', 'нет');
		expect(ending.title).toBe('Заявка принята');
		expect(ending.message).toContain('нет');
		const [failed] = (await finish(ending)).output('Greet in WhatsApp', 1);
		const label = labelOf('message/sendToWhatsApp', 'phone');
		expect(failed?.json).toMatchObject({ error: expect.stringContaining(`'${label}'`) });
		expect(phonesGreeted()).toEqual([]);
		expect(delivered()[manager]).toEqual([expect.stringMatching(`позвоните: Пётр, нет.*'${label}'`)]);
	});

	test('a greeting whose outcome is unknown is not repeated, and the manager is notified', async () => {
		bench.service.faults.add(doneButNotSaid('sendMessageToWhatsApp'));
		const ending = await submit('Алла', '+79161112233');
		await finish(ending);
		expect(ending.title).toBe('Заявка принята');
		expect(phonesGreeted()).toEqual(['+79161112233']);
		expect(delivered()[manager]).toEqual([expect.stringMatching(`Алла.*${mayBeSent}`)]);

		bench.service.faults.clear();
		await finish(await submit('Алла', '+79161112233'));
		expect(phonesGreeted()).toEqual(['+79161112233']);
		expect(delivered()[manager]).toEqual([
			expect.anything(),
			expect.stringMatching(`Алла.*${mayBeSentAlready}`),
		]);
	});

	test('a lead who could not be greeted can submit the form again', async () => {
		bench.service.faults.add(refusal('sendMessageToWhatsApp', 'Сервис WhatsApp недоступен.'));
		expect((await submit('Лев', '+79163334455')).title).toBe('Заявка принята');
		bench.service.faults.clear();
		const second = await submit('Лев', '+79163334455');
		expect(second.title).toBe('Спасибо!');
		await finish(second);
		expect(phonesGreeted()).toEqual(['+79163334455']);
	});

	test('the lead sees the right page although the manager cannot be notified', async () => {
		bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.'));
		const ending = await submit('Вера', '+79164445566');
		expect(ending.title).toBe('Спасибо!');
		expect((await finish(ending)).status).toBe('success');
	});
});

describe('"Broadcast to a segment"', () => {
	const file = 'broadcast-to-segment.json';
	const tag = 'Пробный урок';
	const blocked = 'Контакт заблокировал бота.';
	const withoutContact = (path: string, recipient: number): Fault => ({
		kind: 'answer',
		status: 404,
		body: { message: 'Контакт не найден' },
		match: { path, recipient },
	});
	const pages = () => bench.service.requests.filter(({ operation }) => operation === 'getContacts');
	const settings = (broadcast: string) => ({
		assignments: {
			assignments: [
				{ id: '1', name: 'base_url', value: bench.service.url, type: 'string' },
				{ id: '2', name: 'bot_id', value: String(SEEDED.bots.school), type: 'string' },
				{ id: '3', name: 'broadcast', value: broadcast, type: 'string' },
				{ id: '4', name: 'tag', value: tag, type: 'string' },
			],
		},
		options: {},
	});
	/** A column of the report, by contact. */
	const reported = (execution: Execution, column: 'outcome' | 'reason') =>
		Object.fromEntries(rows(execution, 'Report').map((row) => [row.contact_id, row[column]]));
	const outcomes = (execution: Execution) => reported(execution, 'outcome');
	const reasons = (execution: Execution) => reported(execution, 'reason');
	const countsDelivered = () => Object.entries(delivered()).map(([id, texts]) => [Number(id), texts.length]);

	afterEach(async () => await putBack(file));

	test('a broadcast reaches the segment once and reports who was not reached and why; a second run sends only to these', async () => {
		const { service } = bench;
		for (const id of [5002, 5004, 5008]) contact(id).tags.push(tag);
		service.faults.add(doneButNotSaid('sendMessage', 5004));
		service.faults.add(refusal('sendMessage', blocked, 5008));
		service.faults.add(withoutContact('getContactTags', 5011));

		const first = await run(file);
		expect(first.status).toBe('success');
		expect(outcomes(first)).toEqual({
			5001: 'sent',
			5002: 'sent',
			5004: 'unknown',
			5008: 'not reached',
			5011: 'not reached',
		});
		expect(reasons(first)).toMatchObject({
			5001: '',
			5004: expect.stringContaining(mayBeSent),
			5008: expect.stringContaining(blocked),
			5011: expect.stringContaining(unknownContact),
		});
		expect(rows(first, 'How many of each outcome')).toEqual(
			expect.arrayContaining([
				{ outcome: 'sent', count_contact_id: 2 },
				{ outcome: 'not reached', count_contact_id: 2 },
				{ outcome: 'unknown', count_contact_id: 1 },
			]),
		);
		expect(first.output('Report for Excel')).toEqual([
			expect.objectContaining({
				binary: { data: expect.objectContaining({ fileName: 'broadcast-report.xlsx' }) },
			}),
		]);
		expect(Object.keys(delivered()).map(Number)).toEqual([5001, 5002, 5004]);
		expect(delivered()[5001]).toEqual([expect.stringContaining('Здравствуйте, Анна Соколова!')]);
		expect(service.requests.filter(({ operation }) => operation === 'sendMessage')).toHaveLength(4);

		service.faults.clear();
		service.faults.add(withoutContact('getContactTags', 5011));
		const second = await run(file);
		expect(outcomes(second)).toEqual({
			...outcomes(first),
			5001: 'sent before',
			5002: 'sent before',
			5008: 'sent',
		});
		expect(reasons(second)).toMatchObject({
			5001: '',
			5004: expect.stringContaining(mayBeSentAlready),
		});
		expect(countsDelivered()).toEqual([5001, 5002, 5004, 5008].map((id) => [id, 1]));
	});

	test('neither texts of the service nor an unanswered question make the outcome of a broadcast unknown', async () => {
		const { service } = bench;
		const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
		contact(5002).tags.push(tag);
		service.faults.add(refusal('sendMessage', misleading, 5001));
		service.faults.add({ kind: 'server error', match: { path: 'getContactTags', recipient: 5002 } });
		await change(file, { 'What to send': { parameters: settings('Слова') } });
		const execution = await run(file);
		expect(reasons(execution)[5001]).toContain(misleading);
		expect(reasons(execution)[5002]).toContain(ofReading);
		expect(outcomes(execution)).toMatchObject({ 5001: 'not reached', 5002: 'not reached' });
	});

	test('a broadcast that is interrupted after the messages sends to nobody twice when it runs again', async () => {
		await change(file, {
			'What to send': { parameters: settings('Обрыв') },
			Report: {
				type: 'n8n-nodes-base.stopAndError',
				typeVersion: 1,
				parameters: { errorMessage: 'Broken off' },
			},
		});
		expect((await run(file)).status).toBe('error');
		expect(countsDelivered()).toEqual([[5001, 1]]);

		await putBack(file);
		await change(file, { 'What to send': { parameters: settings('Обрыв') } });
		expect(outcomes(await run(file))).toMatchObject({ 5001: 'sent before' });
		expect(countsDelivered()).toEqual([[5001, 1]]);
	});

	test('a broadcast reads all contacts of the bot, page by page, at most one page per second', async () => {
		const added = addContacts(bench.service.data, 1200);
		added.at(-1)!.tags.push(tag);
		addContacts(bench.service.data, 1, { botId: SEEDED.bots.flowers })[0]!.tags.push(tag);
		await change(file, { 'What to send': { parameters: settings('Страницы') } });
		const execution = await run(file);
		expect(Object.keys(outcomes(execution)).map(Number)).toEqual([5001, added.at(-1)!.id]);
		expect(pages().map(({ query }) => [query.page, query.count])).toEqual(
			['1', '2', '3', '4'].map((page) => [page, '500']),
		);
		const times = pages().map(({ arrivedAt }) => arrivedAt);
		for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeGreaterThan(950);
		expect(JSON.stringify(execution.output('Each contact'))).not.toContain(DEFAULT_TOKEN);
	});

	test('a broadcast reads the contacts again after a refused page', async () => {
		bench.service.faults.add({ kind: 'too many', match: { path: 'getContacts', times: 1 } });
		await change(file, { 'What to send': { parameters: settings('Повтор') } });
		expect(outcomes(await run(file))).toEqual({ 5001: 'sent' });
	});

	test.each([
		['refuses them', refusal('getContacts', 'Неверный бот.'), ''],
		[
			'refuses the second page',
			{ ...refusal('getContacts', 'Слишком часто.'), match: { path: 'getContacts', nth: 2 } } as Fault,
			'',
		],
		[
			'ignores the number of the page',
			{
				kind: 'answer',
				status: 200,
				body: { data: [{ id: 5001 }] },
				match: { path: 'getContacts' },
			} as Fault,
			'identical',
		],
		[
			'answers without contacts',
			{ kind: 'answer', status: 200, body: {}, match: { path: 'getContacts' } } as Fault,
			'identical',
		],
	])('a broadcast fails before it sends anything when the service %s', async (_, fault, words) => {
		bench.service.faults.add(fault);
		await change(file, {
			'What to send': { parameters: settings('Отказ') },
			'Pages of contacts': { retryOnFail: false },
		});
		const execution = await run(file);
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toContain(words);
		expect(delivered()).toEqual({});
	});
});

describe('"Broadcast from a form"', () => {
	const file = 'broadcast-from-form.json';
	const tag = 'Пробный урок';
	const manager = 5004;
	const address = () => `${bench.host.url}/form/broadcast`;
	const greeting = 'Здравствуйте, {имя}!\nВ субботу открытый урок.';
	const list = (content: string | Uint8Array<ArrayBuffer>, name = 'contacts.csv') =>
		new File([content], name);
	const columns = 'contact_id,name,messenger';
	const small = list(`${columns}\n5001,Анна,telegram\n5002,Иван,whatsapp`);
	let sampleList: File;

	const upload = async (name: string, contacts: File, text = greeting, tagName = tag) =>
		await openForm(address(), [contacts, name, tagName, text]);

	/** Confirms the broadcast, and waits for its end. */
	async function confirm(page: FormPage): Promise<{ started: FormPage; execution: Execution }> {
		const started = await submitPage(page, [['Да, всё верно']]);
		await leave(started);
		return { started, execution: await bench.api.waitForExecution(page.executionId) };
	}
	const broadcast = async (...values: Parameters<typeof upload>) =>
		(await confirm(await upload(...values))).execution;
	const outcomes = (execution: Execution) =>
		Object.fromEntries(rows(execution, 'Report').map(({ contact_id, outcome }) => [contact_id, outcome]));
	async function publish() {
		await bench.api.activateWorkflow(idOf(file));
		await until(async () => await bench.api.isPublished(idOf(file)));
		await untilFormIsThere(address());
	}

	beforeAll(async () => {
		sampleList = list(await readFile(join(examplesFolder, 'contacts.csv'), 'utf8'));
		await publish();
	});

	test('a list with bad rows is checked on a page before anything is sent, and every row is in the report', async () => {
		for (const id of [5007, 5008])
			bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', id));
		const page = await upload('Проверка', sampleList);
		expect(page.title).toBe('Рассылка «Проверка»');
		expect(page.message).toContain('Получателей: 6. Строк без ID контакта: 1.');
		expect(page.message).toContain('Здравствуйте, Анна!');
		expect(bench.service.requests).toEqual([]);

		const { started, execution } = await confirm(page);
		expect(started.title).toBe('Рассылка началась');
		expect(execution.status).toBe('success');
		expect(outcomes(execution)).toEqual({
			5001: 'sent',
			5002: 'sent',
			5004: 'sent',
			5007: 'not reached',
			5008: 'not reached',
			49999: 'not reached',
			'нет ID: Пётр': 'not reached',
		});
		for (const id of [5001, 5002, 5004, 5007, 5008]) expect(contact(id).tags).toContain(tag);
		expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
		expect(delivered()[manager]!.at(-1)).toMatch(
			/«Проверка» закончена\.\nотправлено: 3\nне отправлено: 4\n2 × .*Контакт заблокировал бота/,
		);
		expect(execution.output('Report for Excel')).toEqual([
			expect.objectContaining({
				binary: { data: expect.objectContaining({ fileName: 'broadcast-report.xlsx' }) },
			}),
		]);
	});

	test('the same list under the same name sends only to people who were not reached', async () => {
		bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', 5002));
		expect(outcomes(await broadcast('Дважды', small))).toEqual({ 5001: 'sent', 5002: 'not reached' });
		bench.service.faults.clear();
		const second = await broadcast('Дважды', small);
		expect(outcomes(second)).toEqual({ 5001: 'sent before', 5002: 'sent' });
		expect(outcomes(await broadcast('Дважды', small))).toEqual({ 5001: 'sent before', 5002: 'sent before' });
		expect([delivered()[5001], delivered()[5002]].map((texts) => texts?.length)).toEqual([1, 1]);
	});

	test('a message whose outcome is unknown is reported as unknown, and not sent again', async () => {
		bench.service.faults.add(doneButNotSaid('sendMessage', 5001));
		expect(outcomes(await broadcast('Неизвестно', small))).toEqual({ 5001: 'unknown', 5002: 'sent' });
		bench.service.faults.clear();
		expect(outcomes(await broadcast('Неизвестно', small))).toEqual({ 5001: 'unknown', 5002: 'sent before' });
		expect(delivered()[5001]).toHaveLength(1);
		expect(delivered()[manager]!.at(-1)).toContain('неизвестно, посмотрите в чат: 1');
	});

	test('nobody gets a message when the bot does not have the tag', async () => {
		const execution = await broadcast('Без тега', small, greeting, 'Опечатка');
		expect(outcomes(execution)).toEqual({ 5001: 'not reached', 5002: 'not reached' });
		expect(Object.keys(delivered()).map(Number)).toEqual([manager]);
	});

	const rowsOfExcel = `${columns.replaceAll(',', ';')}\r\n5001;Анна;telegram\r\n5002;Иван;\r\n`;
	const windows1251 = (text: string) =>
		Uint8Array.from(text, (letter) => {
			const code = letter.charCodeAt(0);
			return code < 0x80 ? code : code - 0x350;
		});

	test.each([
		['semicolons and a byte order mark', () => list(`\uFEFF${rowsOfExcel}`)],
		['semicolons in Windows-1251', () => list(windows1251(rowsOfExcel))],
		['tabs', () => list(rowsOfExcel.replaceAll(';', '\t'))],
		['quotes', () => list(`${columns}\n"5001","Анна","telegram"\n5002,Иван,`)],
		['an extension in capitals', () => list(rowsOfExcel, 'СПИСОК.CSV')],
		['other columns and blanks', () => list('ID;Город;name\n 5001 ;Казань; Анна \n5002;;Иван')],
	])('a list with %s is read', async (_, make) => {
		const { message } = await upload('Чтение', make());
		expect(message).toContain('Получателей: 2. Строк без ID контакта: 0.');
		expect(message).toContain('Здравствуйте, Анна!');
	});

	test('a report is a list itself', async () => {
		const execution = await broadcast('Отчёт', small);
		const [{ binary }] = execution.output('Report for Excel') as unknown as [
			{ binary: { data: { id: string } } },
		];
		const response = await fetch(
			`${bench.host.url}/rest/binary-data?id=${encodeURIComponent(binary.data.id)}&action=download`,
			{ headers: { cookie: bench.api.login } },
		);
		const report = list(new Uint8Array(await response.arrayBuffer()), 'broadcast-report.xlsx');
		expect(outcomes(await broadcast('Отчёт', report))).toEqual({ 5001: 'sent before', 5002: 'sent before' });
	});

	test.each([
		['an empty file', () => list(''), 'ни одного ID контакта'],
		['a list without rows', () => list(columns), 'ни одного ID контакта'],
		['a list without the column', () => list('phone\n79161234567'), 'ни одного ID контакта'],
		['another type of file', () => list('%PDF-1.7', 'list.pdf'), 'Нужен файл CSV или XLSX'],
		[
			'a text with the extension of a workbook',
			() => list('contact_id', 'list.xlsx'),
			'ни одного ID контакта',
		],
		['rows of different lengths', () => list(`${columns}\n5001,Анна,telegram,1`), 'Файл не читается'],
	])('%s is refused on a page, and nothing is sent', async (_, make, words) => {
		const page = await upload('Отказ', make());
		expect(page).toMatchObject({
			title: 'Ничего не отправлено',
			message: expect.stringContaining(words),
		});
		await leave(page);
		expect((await bench.api.waitForExecution(page.executionId)).status).toBe('success');
		expect(bench.service.requests).toEqual([]);
	});

	test.each([
		['telegram', '1 ч 15 мин'],
		['whatsapp', '8 ч 45 мин'],
	])('the page says how long 3,000 contacts in %s take', async (messenger, time) => {
		const contacts = Array.from({ length: 3000 }, (_, index) => `${5001 + index},Анна,${messenger}`);
		const { message } = await upload('Три тысячи', list([columns, ...contacts].join('\n')));
		expect(message).toContain('Получателей: 3000.');
		expect(message).toContain(time);
	});

	test('nothing is sent when nobody confirms the broadcast in time', async () => {
		const { parameters } = files
			.find((each) => each.file === file)!
			.workflow.nodes.find(({ name }) => name === 'Check the broadcast')!;
		const shorter = { ...parameters, resumeAmount: 0.05, resumeUnit: 'minutes' };
		await change(file, { 'Check the broadcast': { parameters: shorter } });
		await publish();
		const { executionId } = await upload('Без ответа', small);
		expect((await bench.api.waitForExecution(executionId)).status).toBe('success');
		expect(bench.service.requests).toEqual([]);
	});
});

describe('"CRM fields and contact variables"', () => {
	const file = 'sync-crm-fields.json';

	test('CRM fields become contact variables, and the answers are returned as a row for each customer', async () => {
		const before = variablesOf(5001);
		contact(5002).variables.push(
			{ id: 1, name: 'Интерес', value: 'Подготовка к IELTS', deletable: false },
			{ id: 2, name: 'Комментарий к заявке', value: 'По субботам', deletable: true },
		);

		const execution = await run(file);
		expect(execution.status).toBe('success');
		expect(variablesOf(5001)).toEqual({ ...before, Город: 'Казань', Уровень: 'B2', Менеджер: 'Ольга' });
		expect(variablesOf(5004)).toEqual({ Город: 'Екатеринбург', Менеджер: 'Павел' });
		expect(rows(execution, 'Written')).toHaveLength(8);
		expect(rows(execution, 'Update the CRM')).toEqual([
			{ crm_id: 'C-101', contact_id: '5001', wish: 'Удобно после 18:00' },
			{ crm_id: 'C-102', contact_id: '5002', interest: 'Подготовка к IELTS', wish: 'По субботам' },
		]);
	});

	test('the example with CRM fields reports customers that were not written, not read or not in the bot, and a second run writes the same', async () => {
		const first = await run(file);
		const gone = {
			crm_id: 'C-105',
			contact_id: '49999',
			reason: expect.stringContaining(unknownContact),
		};
		expect(rows(first, 'Not written')).toEqual([expect.objectContaining({ ...gone, variable: 'Город' })]);
		expect(rows(first, 'Not read')).toEqual([expect.objectContaining(gone)]);
		expect(rows(first, 'Invite them to the bot')).toEqual([expect.objectContaining({ crm_id: 'C-104' })]);

		const variables = variablesOf(5001);
		const second = await run(file);
		expect(variablesOf(5001)).toEqual(variables);
		expect(rows(second, 'Update the CRM')).toEqual(rows(first, 'Update the CRM'));
	});
});

describe('"Copy a list to another bot"', () => {
	const file = 'copy-list.json';
	const name = 'Заявки на доставку';
	const named = () => [...bench.service.data.listSchemas.values()].filter((list) => list.name === name);
	const { orders } = SEEDED.schemas;

	test('a copied list is the same for the other bot, and a second run creates no second copy', async () => {
		const original = structuredClone(bench.service.data.listSchemas.get(orders)!);
		const first = await run(file);
		expect(first.status).toBe('success');
		const [copy, ...more] = named();
		expect(more).toEqual([]);
		expect(copy).toMatchObject({ fields: original.fields, is_menu: original.is_menu });
		expect(rows(first, 'Copied')).toEqual([
			{ name, bot_id: '102', id: copy!.id, fields: Object.keys(original.fields).join(', ') },
		]);
		const created = bench.service.requests.filter(({ operation }) => operation === 'createListSchema');
		expect(created.map(({ body }) => body)).toEqual([
			expect.objectContaining({ name, bot_id: SEEDED.bots.flowers }),
		]);

		const second = await run(file);
		expect(rows(second, 'Nothing to do')).toEqual([
			{ name, reason: expect.stringContaining('is there already') },
		]);
		expect(named()).toHaveLength(1);
		expect(bench.service.data.listSchemas.get(orders)).toEqual(original);
	});

	test('the next run finds a copied list whose outcome was unknown', async () => {
		bench.service.faults.add(doneButNotSaid('createListSchema'));
		const first = await run(file);
		expect(rows(first, 'Not copied')).toEqual([
			expect.objectContaining({
				name,
				details: expect.stringContaining(wordsOf('listSchema/create').unknown!),
			}),
		]);
		const second = await run(file);
		expect(second.nodes).toContain('Nothing to do');
		expect(named()).toHaveLength(1);
	});

	test.each([
		['getListSchemas', unknownEndpoint(404, []).message],
		['getListSchema', unknownBy('listSchema/get', 'schemaId')],
	])('copying a list reports the reason when %s is refused', async (path, reason) => {
		const body = { message: 'Список не найден' };
		bench.service.faults.add({ kind: 'answer', status: 404, body, match: { path } });
		const execution = await run(file);
		expect(rows(execution, 'Not copied')).toEqual([
			expect.objectContaining({ reason: expect.stringContaining(reason) }),
		]);
		expect(named()).toEqual([]);
	});
});

describe('"Hand over to an operator"', () => {
	const file = 'hand-over-to-operator.json';
	const operator = 5004;
	const { telegram: asking } = SEEDED.contacts;
	const question = 'Позовите оператора: не приходит ссылка на урок';
	const nothing = { status: 200, body: '' };
	const address = () => webhookUrl(bench.host.url, 'hand-over-to-operator');
	const latest = async () => (await bench.api.executions(idOf(file)))[0]?.id;

	/** Calls the webhook, and waits for the end of the run. @returns the immediate answer, and the run */
	async function tell(body: Record<string, unknown> | URLSearchParams, query = '') {
		const earlier = await latest();
		const response =
			body instanceof URLSearchParams
				? await fetch(address(), { method: 'POST', headers: ownConnection, body })
				: await post(`${address()}${query}`, body);
		const answer = { status: response.status, body: await response.text() };
		const answeredBefore = bench.service.requests.filter(({ answeredAt }) => answeredAt !== undefined);
		await until(async () => (await latest()) !== earlier);
		const execution = await bench.api.waitForExecution((await latest())!);
		return { answer, answeredBefore, execution };
	}

	beforeAll(async () => {
		await bench.api.activateWorkflow(idOf(file));
		await until(async () => await isRegistered(address()));
	});

	test('the hand-over answers the bot before the service answers, without a text for the bot to show', async () => {
		bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags' } });
		const { answer, answeredBefore, execution } = await tell({ contact_id: asking, text: question });
		expect(answer).toEqual(nothing);
		expect(answeredBefore).toEqual([]);
		expect(execution.nodes).toContain('Promise an operator');
		expect(delivered()[asking]).toEqual([expect.stringContaining('Передали ваш вопрос')]);
	});

	test('a message that does not ask for a human is left to the bot, without a request to the service', async () => {
		const { answer } = await tell({ contact_id: asking, text: 'Сколько стоит курс?' });
		expect(answer).toEqual(nothing);
		expect(bench.service.requests).toEqual([]);
	});

	test('a question is handed over to an operator once, and returned once', async () => {
		const tags = [...contact(asking).tags];
		await tell({ contact_id: asking, text: question });
		expect(contact(asking).tags).toEqual([...tags, 'Оператор']);
		expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': question });
		expect(delivered()).toEqual({
			[operator]: [expect.stringContaining(question)],
			[asking]: [expect.stringContaining('Передали ваш вопрос')],
		});

		await tell({ contact_id: asking, event: 'human' });
		expect(delivered()[operator]).toHaveLength(1);
		expect(delivered()[asking]).toEqual([expect.anything(), expect.stringContaining('уже знает')]);

		await tell({ contact_id: asking, event: 'closed' });
		expect(contact(asking).tags).toEqual(tags);
		expect(variablesOf(asking)).not.toHaveProperty('Вопрос оператору');
		expect(delivered()[asking]).toHaveLength(3);

		await tell({ contact_id: asking, event: 'closed' });
		expect(delivered()[asking]).toHaveLength(3);
	});

	test('the hand-over reads contact and text from the query too', async () => {
		const query = new URLSearchParams({ contact_id: String(asking), text: question });
		const { answer } = await tell({ variables: [], contact: { name: 'Анна' } }, `?${String(query)}`);
		expect(answer).toEqual(nothing);
		expect(delivered()[operator]).toEqual([expect.stringContaining(question)]);
	});

	test('the hand-over reads a form: the ID as text, the words with quotation marks and line breaks', async () => {
		const words = 'Позовите оператора:\n"Урок" & <ссылка>';
		const { answer } = await tell(new URLSearchParams({ contact_id: String(asking), text: words }));
		expect(answer).toEqual(nothing);
		expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
	});

	test('n8n answers JSON that it cannot read with 422, and starts nothing', async () => {
		const earlier = await latest();
		const response = await fetch(address(), {
			method: 'POST',
			headers: { ...ownConnection, 'content-type': 'application/json' },
			body: `{ "contact_id": "${asking}", "text": "Урок "A1"" }`,
		});
		expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('parse')]);
		expect(await latest()).toBe(earlier);
	});

	test('a question is closed although its variable was already deleted', async () => {
		contact(asking).tags.push('Оператор');
		await tell({ contact_id: asking, event: 'closed' });
		expect(contact(asking).tags).not.toContain('Оператор');
		expect(delivered()[asking]).toHaveLength(1);
	});

	test('the hand-over promises nothing when the operator cannot be notified, and succeeds at the next request', async () => {
		bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', operator));
		const { answer, execution } = await tell({ contact_id: asking, text: question });
		expect(answer).toEqual(nothing);
		expect(rows(execution, 'Not done')).toEqual([
			expect.objectContaining({
				contact_id: String(asking),
				wish: 'human',
				details: expect.stringContaining('заблокировал'),
			}),
		]);
		expect(contact(asking).tags).not.toContain('Оператор');
		expect(delivered()).toEqual({});

		bench.service.faults.clear();
		await tell({ contact_id: asking, text: question });
		expect(delivered()[asking]).toHaveLength(1);
	});

	test.each([
		['unknown', { contact_id: 49999 }, unknownContact],
		['missing', {}, emptyField(contactLabel).message],
		['no number', { contact_id: 'Анна' }, notANumber!.message],
	])('the hand-over reports the reason when the contact is %s', async (_, who, reason) => {
		const { answer, execution } = await tell({ ...who, text: question });
		expect(answer).toEqual(nothing);
		expect(rows(execution, 'Not done')).toEqual([
			expect.objectContaining({ wish: 'human', reason: expect.stringContaining(reason) }),
		]);
		expect(delivered()).toEqual({});
	});
});

describe('"Approve a discount"', () => {
	const file = 'approve-discount.json';
	const manager = 5004;
	const { telegram: customer, bare: other } = SEEDED.contacts;
	const request = 'Дадите скидку, если оплатить сразу год?';
	const discount = expect.stringContaining('одобрил скидку');
	const friendlyNo = expect.stringContaining('К сожалению');
	const unfinished = ['new', 'running'];
	let earlier: string[];

	const address = () => webhookUrl(bench.host.url, 'approve-discount');
	const newExecutions = async () =>
		(await bench.api.executions(idOf(file))).filter(({ id }) => !earlier.includes(id));
	const ask = async (body: Record<string, unknown>) => {
		const response = await post(address(), body);
		return { status: response.status, body: await response.text() };
	};

	/** Waits until executions have ended or wait for the manager. @returns their IDs */
	const settled = async (count = 1) =>
		await poll(async () => {
			const executions = await newExecutions();
			const isSettled =
				executions.length === count && executions.every(({ status }) => !unfinished.includes(status));
			return isSettled ? executions.map(({ id }) => id) : undefined;
		});
	const ended = async (id: string) => await bench.api.waitForExecution(id);

	/** The questions that the manager got about a contact. */
	const questionsAbout = (contactId: number) =>
		(delivered()[manager] ?? []).filter((text) => text?.includes(`контакт ${contactId}:`)) as string[];

	/** Presses a button of the page that the question about a contact links to. @returns the next page */
	async function press(button: 'approve' | 'decline', contactId: number): Promise<string> {
		const [question] = questionsAbout(contactId);
		return (await answer(linkIn(question), { answer: button })).text;
	}

	beforeAll(async () => {
		await bench.api.activateWorkflow(idOf(file));
		await until(async () => await isRegistered(address()));
	});

	beforeEach(async () => {
		earlier = (await bench.api.executions(idOf(file))).map(({ id }) => id);
	});

	test.each([
		['approves', 'approve', 'Give the discount', discount],
		['declines', 'decline', 'Decline kindly', friendlyNo],
	] as const)(
		'a customer gets the answer when the manager %s the discount',
		async (_, button, node, words) => {
			expect(await ask({ contact_id: customer, text: request })).toEqual({ status: 200, body: '' });
			const [id] = await settled();
			expect(delivered()).toEqual({
				[manager]: [expect.stringContaining(`контакт ${customer}: «${request}»`)],
			});
			expect(questionsAbout(customer)[0]).toContain('Теги: Новый лид, Пробный урок, Группа B1');

			expect(await press(button, customer)).toContain('class="answer"');
			const execution = await ended(id!);
			expect(execution.status).toBe('success');
			expect(execution.nodes.at(-1)).toBe(node);
			expect(delivered()).toEqual({ [manager]: [expect.anything()], [customer]: [words] });
		},
	);

	test('two customers who ask for a discount at once each get the answer to their own request', async () => {
		await Promise.all([ask({ contact_id: customer, text: request }), ask({ contact_id: other })]);
		const ids = await settled(2);
		expect([...questionsAbout(customer), ...questionsAbout(other)]).toHaveLength(2);
		await Promise.all([press('decline', customer), press('approve', other)]);
		await Promise.all(ids.map(ended));
		expect(delivered()).toMatchObject({ [customer]: [friendlyNo], [other]: [discount] });
	});

	test('a request for a discount that nobody answers in time is neither approved nor declined', async () => {
		const { parameters } = files
			.find((each) => each.file === file)!
			.workflow.nodes.find(({ name }) => name === 'Ask the manager')!;
		const limitWaitTime = {
			values: { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' },
		};
		const forged = { contact_id: customer, text: request, data: { approved: true } };
		await change(file, {
			'Ask the manager': { parameters: { ...parameters, options: { limitWaitTime } } },
			'Test message': { parameters: { mode: 'raw', jsonOutput: JSON.stringify(forged), options: {} } },
		});
		const execution = await run(file);
		await putBack(file);
		expect(rows(execution, 'The answer')).toEqual([{ answer: 'no answer' }]);
		expect(delivered()).toEqual({
			[manager]: [expect.anything(), expect.stringContaining('ждёт ответа')],
			[customer]: [expect.stringContaining('ответит вам о скидке позже')],
		});
		expect(await press('approve', customer)).toContain('No action required');
		expect(delivered()[customer]).toHaveLength(1);
	});

	test.each([
		['is refused', refusal('sendMessage', 'Контакт заблокировал бота.', manager), 'заблокировал'],
		['may have been sent', doneButNotSaid('sendMessage', manager), mayBeSent],
	])('a request for a discount is reported when the question %s', async (_, fault, reason) => {
		bench.service.faults.add(fault);
		await ask({ contact_id: customer, text: request });
		const [id] = await settled();
		expect(rows(await ended(id!), 'Not done')).toEqual([
			expect.objectContaining({
				contact_id: String(customer),
				text: request,
				answer: 'not asked',
				details: expect.stringContaining(reason),
			}),
		]);
		expect(delivered()[customer]).toBeUndefined();
	});

	test.each([
		['unknown', { contact_id: 49999 }, unknownContact],
		['missing', {}, emptyField(contactLabel).message],
	])('the manager is not asked for a discount when the contact is %s', async (_, who, reason) => {
		await ask({ ...who, text: request });
		const [id] = await settled();
		expect(rows(await ended(id!), 'Not done')).toEqual([
			expect.objectContaining({ answer: 'not asked', reason: expect.stringContaining(reason) }),
		]);
		expect(delivered()).toEqual({});
	});

	test('an approved discount that the customer was not told about is reported as approved', async () => {
		bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', customer));
		await ask({ contact_id: customer, text: request });
		const [id] = await settled();
		await press('approve', customer);
		expect(rows(await ended(id!), 'Not done')).toEqual([
			expect.objectContaining({
				contact_id: String(customer),
				answer: 'approved',
				details: expect.stringContaining('заблокировал'),
			}),
		]);
	});
});
