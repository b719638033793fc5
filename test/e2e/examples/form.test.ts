import { addContacts, SEEDED } from '../../../sandbox/emulator';
import {
	file,
	formOf,
	list,
	manager,
	outcomes,
	reasons,
	sampleList,
	small,
	tag,
} from '../support/broadcastForm';
import { doneButNotSaid, openExamples, parametersOf, refusal } from '../support/examples';

const examples = openExamples();
const { bench, change, contact, delivered, putBack, requestsOf } = examples;
const { broadcast, confirm, publish, upload } = formOf(examples);

beforeAll(publish);

test('a list with bad rows is checked on a page before anything is sent, and every row is in the report', async () => {
	for (const id of [5007, 5008])
		bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', id));
	const page = await upload('Проверка', await sampleList());
	expect(page.title).toBe('Рассылка «Проверка»');
	expect(page.message).toContain(
		'Получателей: 5. Не получат сообщения: 2 (нет такого контакта: 1, нет ни ID, ни телефона: 1).',
	);
	expect(page.message).toContain('Здравствуйте, Анна!');
	expect(bench.service.requests.map(({ operation }) => operation)).toEqual(['getContacts']);

	const { started, execution } = await confirm(page);
	expect(started.title).toBe('Рассылка началась');
	expect(execution.status).toBe('success');
	expect(outcomes(execution)).toEqual({
		5001: 'accepted',
		5002: 'accepted',
		5004: 'accepted',
		5007: 'not reached',
		5008: 'not reached',
		'8 900 000-00-01': 'not reached',
		Пётр: 'not reached',
	});
	expect(reasons(execution)).toMatchObject({
		5007: expect.stringContaining('заблокировал'),
		'8 900 000-00-01': 'нет такого контакта',
		Пётр: 'нет ни ID, ни телефона',
	});
	for (const id of [5001, 5002, 5004, 5007, 5008]) expect(contact(id).tags).toContain(tag);
	expect(delivered()[5001]).toEqual(['Здравствуйте, Анна!\nВ субботу открытый урок.']);
	expect(delivered()[manager]!.at(-1)).toMatch(
		/«Проверка» закончена\.\nпринято сервисом: 3\nне отправлено: 4\n2 × .*Контакт заблокировал бота/,
	);
	expect(execution.output('Report for Excel')).toEqual([
		expect.objectContaining({
			binary: { data: expect.objectContaining({ fileName: 'broadcast-report.xlsx' }) },
		}),
	]);
});

test('people with the opt-out tag, with several contacts or of another bot get neither tag nor message', async () => {
	contact(5002).tags.push('не писать ');
	const [twin] = addContacts(bench.service.data, 1);
	twin!.phone = contact(5007).phone;
	const { viber } = SEEDED.contacts;
	const before = [5002, 5007, twin!.id, viber].map((id) => [...contact(id).tags]);
	const contacts = list(`phone,name,contact_id\n89161234567,,\n79035550101,,\n79990005007,,\n,,${viber}`);
	const page = await upload('Не всем', contacts);
	expect(page.message).toContain('Получателей: 1. Не получат сообщения: 3');
	const { execution } = await confirm(page);
	expect(reasons(execution)).toEqual({
		5001: '',
		5002: 'не хочет рассылок',
		79990005007: `несколько контактов: 5007 (telegram), ${twin!.id} (telegram)`,
		[viber]: 'нет такого контакта',
	});
	expect(Object.keys(delivered()).map(Number)).toEqual([manager, 5001].sort());
	expect([5002, 5007, twin!.id, viber].map((id) => contact(id).tags)).toEqual(before);
});

test.each([
	'8 916 123-45-67',
	'+7 (916) 123-45-67',
	'79161234567',
	'9161234567',
	'8(916)1234567',
	'7 916 123 45 67',
])('a list finds the contact whose number is written as %s', async (phone) => {
	const { message } = await upload('Номер', list(`phone;name\n${phone};Анна`));
	expect(message).toContain('Получателей: 1. Не получат сообщения: 0.');
});

test('a person is on a list once, by any number and by the ID', async () => {
	const contacts = list('phone,contact_id,name\n89161234567,,Анна\n+79161234567,,Аня\n,5001,Анна');
	const execution = await broadcast('Один раз', contacts);
	expect(outcomes(execution)).toEqual({ 5001: 'accepted' });
	expect(delivered()[5001]).toHaveLength(1);
});

test('a list of 3,000 people is compared with 20,000 contacts in forty requests', async () => {
	const added = addContacts(bench.service.data, 20_000 - bench.service.data.contacts.size);
	const wanted = added.slice(0, 3000).map(({ phone, name }) => `+${phone},${name}`);
	const { message } = await upload('Много', list(['phone,name', ...wanted].join('\n')));
	expect(message).toContain('Получателей: 3000. Не получат сообщения: 0.');
	expect(requestsOf('getContacts').length).toBeLessThanOrEqual(41);
	expect(bench.service.requests).toHaveLength(requestsOf('getContacts').length);
});

test('the same list under the same name sends only to people who were not reached', async () => {
	bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', 5002));
	expect(outcomes(await broadcast('Дважды', small))).toEqual({ 5001: 'accepted', 5002: 'not reached' });
	bench.service.faults.clear();
	expect(outcomes(await broadcast('Дважды', small))).toEqual({ 5001: 'accepted before', 5002: 'accepted' });
	expect(outcomes(await broadcast('Дважды', small))).toEqual({ 5001: 'accepted before', 5002: 'accepted before' });
	expect([delivered()[5001], delivered()[5002]].map((texts) => texts?.length)).toEqual([1, 1]);
});

test('a message whose outcome is unknown is reported as unknown, and not sent again', async () => {
	bench.service.faults.add(doneButNotSaid('sendMessage', 5001));
	expect(outcomes(await broadcast('Неизвестно', small))).toEqual({ 5001: 'unknown', 5002: 'accepted' });
	bench.service.faults.clear();
	expect(outcomes(await broadcast('Неизвестно', small))).toEqual({ 5001: 'unknown', 5002: 'accepted before' });
	expect(delivered()[5001]).toHaveLength(1);
	expect(delivered()[manager]!.at(-1)).toContain('неизвестно, посмотрите в чат: 1');
});

test('nobody gets a message when the bot does not have the tag', async () => {
	const execution = await broadcast('Без тега', small, 'Опечатка');
	expect(outcomes(execution)).toEqual({ 5001: 'not reached', 5002: 'not reached' });
	expect(Object.keys(delivered()).map(Number)).toEqual([manager]);
});

test('nothing is sent when nobody confirms the broadcast in time', async () => {
	const shorter = {
		...parametersOf(file, 'Check the broadcast'),
		resumeAmount: 0.05,
		resumeUnit: 'minutes',
	};
	await change(file, { 'Check the broadcast': { parameters: shorter } });
	await publish();
	const { executionId } = await upload('Без ответа', small);
	expect((await bench.api.waitForExecution(executionId)).status).toBe('success');
	expect(delivered()).toEqual({});
	await putBack(file);
	await publish();
});
