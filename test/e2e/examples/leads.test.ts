import { addContact } from '../../../sandbox/emulator';
import {
	containing,
	doneButNotSaid,
	exampleIn,
	failed,
	mayBeSent,
	mayBeSentAlready,
	openExamples,
	refusal,
	rows,
	serviceIn,
} from '../support/examples';
import { leave, submitForm } from '../support/pages';

/* The examples about leads and the customers of a CRM. */

const bench = openExamples();
const { changes, contact, delivered, giveVariable, variablesOf } = serviceIn(bench);
const fromFile = exampleIn(bench, 'welcome-new-leads.json');
const fromForm = exampleIn(bench, 'welcome-form-lead.json');
const fromSite = exampleIn(bench, 'lead-becomes-contact.json');
const crm = exampleIn(bench, 'sync-crm-fields.json');

const [anna, manager] = [5001, 5004];
const contacts = () => [...bench.service.data.contacts.values()];

beforeAll(async () => {
	await fromForm.publish();
	await fromSite.publish();
});

/* What `npm start` runs, with the leads of its file. */
test('new leads of a file are welcomed', async () => {
	const execution = await fromFile.run();
	expect(execution.status).toBe('success');
	const greeting = 'Здравствуйте, Анна Соколова! Спасибо за интерес: Разговорный английский.';
	expect(delivered()[anna]).toEqual([containing(greeting)]);
	expect(contact(anna).tags).toContain('Пробный урок');
	expect(variablesOf(anna)).toMatchObject({ Город: 'Казань', Интерес: 'Разговорный английский' });
	const reason = containing('Contact ID');
	expect(rows(execution, 'Failed leads')).toMatchObject([{ name: 'Пётр Без-Номера', reason }]);
	// Two variables, a tag and a message for each of five contacts; only a message for two phone numbers.
	expect(bench.service.deliveries()).toHaveLength(7);
	expect(bench.service.requests).toHaveLength(5 * 4 + 2);
});

/** Submits the form, and waits for the end. @returns the page at the end */
async function submit(name: string, phone: string) {
	const values = [name, phone, 'Подготовка к ЕГЭ', ['Можно писать мне в WhatsApp']];
	const page = await submitForm(fromForm.address(), values);
	await leave(page);
	expect((await fromForm.ended(page)).status).toBe('success');
	return page;
}

test('a form greets once; the manager calls the others', async () => {
	const first = await submit('Ольга Белова', '8 (921) 700-12-34');
	expect(first).toMatchObject({ title: 'Спасибо!', message: containing('+79217001234') });
	expect((await submit('ольга белова ', '+7 921 700 12 34')).title).toBe('Ваша заявка уже у нас');
	bench.service.faults.add(doneButNotSaid('sendMessageToWhatsApp'));
	expect((await submit('Алла', '+79161112233')).title).toBe('Заявка принята');
	bench.service.faults.clear();
	await submit('Алла', '+79161112233');
	expect((await submit('Пётр', 'нет')).message).toContain('нет');
	expect(delivered()[manager]).toEqual([
		expect.stringMatching(/Ольга Белова, \+79217001234.*отправлено/),
		expect.stringMatching(`Алла.*${mayBeSent}`),
		expect.stringMatching(`Алла.*${mayBeSentAlready}`),
		containing('позвоните: Пётр, нет'),
	]);
	const greeted = bench.service.deliveries().filter(({ contactId }) => contactId !== manager);
	expect(greeted.map(({ recipient }) => recipient)).toEqual(['+79217001234', '+79161112233']);
	// The page does not depend on the manager.
	bench.service.faults.add(refusal('sendMessage', manager));
	expect((await submit('Лев', '+79163334455')).title).toBe('Спасибо!');
});

test('a lead becomes a contact once', async () => {
	const before = { size: contacts().length, tags: [...contact(anna).tags], variables: variablesOf(anna) };
	const first = await fromSite.run();
	const olga = contacts().find(({ name }) => name === 'Ольга Белова')!;
	expect(olga).toMatchObject({ messenger: 'whatsapp', phone: '79217001234', tags: ['Новый лид'] });
	const interest = 'Разговорный английский';
	expect(variablesOf(olga.id)).toEqual({ Источник: 'Сайт', Город: 'Санкт-Петербург', Интерес: interest });
	expect(contact(anna)).toMatchObject({ name: 'Анна Соколова', tags: before.tags });
	const ofLead = { Источник: 'Сайт', Интерес: 'Подготовка к IELTS' };
	expect(variablesOf(anna)).toEqual({ ...before.variables, ...ofLead });
	const lost = { name: 'Вера Ким', phone: '', reason: containing("'Phone'") };
	expect(rows(first, 'Failed leads')).toMatchObject([lost]);
	expect(contacts()).toHaveLength(before.size + 1);

	const after = structuredClone(contacts());
	expect((await fromSite.run()).status).toBe('success');
	expect(contacts()).toEqual(after);
	expect(delivered()).toEqual({
		[olga.id]: [containing('Здравствуйте, Ольга Белова! Спасибо за заявку')],
		[anna]: [containing('Здравствуйте, Анна!')],
	});
});

test('a site posts leads, also those who opted out', async () => {
	const { botId, name, phone } = contact(5007);
	const twin = { botId, name, messenger: 'whatsapp' as const, externalId: phone!, phone };
	const second = addContact(bench.service.data, twin);
	await fromSite.tell(new URLSearchParams({ name: 'Наталья', phone: '79990005007', city: ' ' }));
	expect(variablesOf(5007)).toEqual({ Источник: 'Сайт' });
	expect(second).toMatchObject({ tags: [], variables: [] });

	contact(5008).tags.push('Не писать');
	giveVariable(5009, 'Не писать', 'да');
	for (const id of [5008, 5009]) {
		await fromSite.tell({ name: '', phone: contact(id).phone!, city: 'Уфа' });
		expect(variablesOf(id)).toMatchObject({ Источник: 'Сайт', Город: 'Уфа' });
	}
	expect(Object.keys(delivered())).toEqual(['5007']);
});

test.each(['getContacts', 'createOrUpdateContact', 'setContactVariable', 'attachTagToContact'])(
	'a lead that is refused by %s is reported',
	async (path) => {
		bench.service.faults.add(refusal(path, undefined, 'Бот остановлен.'));
		const before = contacts().length;
		// Nobody in another test has this number, so a greeting would not be left out as the second one.
		const petr = { name: 'Пётр', phone: '8 (916) 777-00-02' };
		const execution = await fromSite.tell({ ...petr, message: 'Перезвоните' });
		const reported = failed(execution, 'Failed leads');
		expect(reported).toHaveLength(1);
		expect(reported).toMatchObject([{ ...petr, details: containing('Бот остановлен.') }]);
		expect(delivered()).toEqual({});
		if (path === 'getContacts') expect([contacts().length, changes()]).toEqual([before, []]);
	},
);

test('CRM fields become variables, and answers rows', async () => {
	const before = variablesOf(anna);
	giveVariable(5002, 'Интерес', 'Подготовка к IELTS');
	giveVariable(5002, 'Комментарий к заявке', 'По субботам');
	for (let time = 0; time < 2; time++) {
		const execution = await crm.run();
		expect(variablesOf(anna)).toEqual({ ...before, Город: 'Казань', Уровень: 'B2', Менеджер: 'Ольга' });
		expect(variablesOf(5004)).toEqual({ Город: 'Екатеринбург', Менеджер: 'Павел' });
		expect(rows(execution, 'Update the CRM')).toEqual([
			{ crm_id: 'C-101', contact_id: 5001, wish: 'Удобно после 18:00' },
			{ crm_id: 'C-102', contact_id: 5002, interest: 'Подготовка к IELTS', wish: 'По субботам' },
		]);
		const gone = { crm_id: 'C-105', contact_id: '49999', reason: expect.stringMatching(/\S/) };
		for (const node of ['Not written', 'Not read']) expect(rows(execution, node)).toMatchObject([gone]);
		expect(rows(execution, 'Invite them to the bot')).toMatchObject([{ crm_id: 'C-104' }]);
	}
});
