import { SEEDED } from '../../../sandbox/emulator';
import { until } from '../../../sandbox/host';
import { openExamples, refusal, rows } from '../support/examples';
import { isRegistered, post, webhookUrl } from '../support/webhook';

const { bench, contact, delivered, idOf, run, variablesOf } = openExamples();

const file = 'lead-becomes-contact.json';
const newLead = 'Новый лид';
const anna = SEEDED.contacts.telegram;
const annasLead = {
	name: 'Анна',
	messenger: 'telegram',
	id: '284119035',
	city: 'Уфа',
	interest: 'Грамматика',
};
const address = () => webhookUrl(bench.host.url, 'lead');
const latest = async () => (await bench.api.executions(idOf(file)))[0]?.id;
const withName = (name: string) =>
	[...bench.service.data.contacts.values()].find((each) => each.name === name);

/** Posts a lead as a site does, and waits for the end of the run. */
async function leave(lead: Record<string, string> | URLSearchParams) {
	const earlier = await latest();
	if (lead instanceof URLSearchParams) await fetch(address(), { method: 'POST', body: lead });
	else await post(address(), lead);
	await until(async () => (await latest()) !== earlier);
	return await bench.api.waitForExecution((await latest())!);
}

beforeAll(async () => {
	await bench.api.activateWorkflow(idOf(file));
	await until(async () => await isRegistered(address()));
});

test('leads become contacts with variables, a tag and one greeting; one in MAX is reported with the reason', async () => {
	const first = await run(file);
	expect(first.status).toBe('success');
	const [olga, timur] = ['Ольга Белова', 'Тимур Галиев'].map((name) => withName(name)!);
	expect(olga).toMatchObject({ messenger: 'whatsapp', phone: '79217001234', tags: [newLead] });
	expect(timur).toMatchObject({ messenger: 'telegram', externalId: '512345678', tags: [newLead] });
	expect(variablesOf(timur!.id)).toEqual({ Город: 'Москва', Интерес: 'Подготовка к IELTS' });
	expect(delivered()).toEqual({
		[olga!.id]: [expect.stringContaining('Здравствуйте, Ольга Белова! Спасибо за заявку')],
		[timur!.id]: [expect.stringContaining('Тимур Галиев')],
	});
	expect(rows(first, 'Failed leads')).toEqual([
		expect.objectContaining({
			name: 'Вера Ким',
			messenger: 'max',
			reason: expect.stringContaining('the service creates no contacts in MAX'),
		}),
	]);

	const contacts = bench.service.data.contacts.size;
	const second = await run(file);
	expect(second.status).toBe('success');
	expect(bench.service.data.contacts.size).toBe(contacts);
	expect(Object.values(delivered()).map((texts) => texts.length)).toEqual([1, 1]);
});

test('a lead from the site updates the contact that exists', async () => {
	const { id, tags } = contact(anna);
	const before = [...tags];
	await leave(annasLead);
	expect(contact(id)).toMatchObject({ name: 'Анна', tags: before });
	expect(variablesOf(id)).toMatchObject({ Город: 'Уфа', Интерес: 'Грамматика' });
	expect(delivered()).toEqual({ [id]: [expect.stringContaining('Здравствуйте, Анна!')] });
});

test('a lead without a messenger is in WhatsApp, also when a site posts a form', async () => {
	const execution = await leave(new URLSearchParams({ name: 'Пётр', phone: '8 (916) 777-00-02' }));
	expect(rows(execution, 'Failed leads')).toEqual([]);
	const petr = withName('Пётр')!;
	expect(petr).toMatchObject({ messenger: 'whatsapp', phone: '79167770002', tags: [newLead] });
	expect(variablesOf(petr.id)).toEqual({ Город: 'не указано', Интерес: 'не указано' });
});

test('a lead with the opt-out tag is saved, and gets no greeting', async () => {
	contact(anna).tags.push('Не писать');
	const execution = await leave({ ...annasLead, name: 'Анна Соколова' });
	expect(execution.status).toBe('success');
	expect(variablesOf(anna)).toMatchObject({ Город: 'Уфа' });
	expect(delivered()).toEqual({});
	expect(rows(execution, 'Failed leads')).toEqual([]);
});

test.each([
	['the tag is missing', 'attachTagToContact', 'Тег не найден.'],
	['the message is refused', 'sendMessage', 'Контакт заблокировал бота.'],
])('a lead is reported with the reason when %s', async (_, path, words) => {
	const artyom = contact(5008);
	artyom.tags.push('VIP', 'Оплатил');
	bench.service.faults.add(refusal(path, words));
	const execution = await leave({ ...annasLead, id: artyom.externalId, name: 'Артём' });
	expect(rows(execution, 'Failed leads')).toEqual([
		expect.objectContaining({ name: 'Артём', details: expect.stringContaining(words) }),
	]);
	expect(delivered()).toEqual({});
});
