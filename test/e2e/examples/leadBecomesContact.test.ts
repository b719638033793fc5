import { SEEDED } from '../../../sandbox/emulator';
import { failed, openExample, refusal, rows } from '../support/examples';

const { bench, call, change, contact, delivered, ended, giveVariable, publish, run, variablesOf } =
	openExample('lead-becomes-contact.json');

const newLead = 'Новый лид';
const anna = SEEDED.contacts.telegram;
const withName = (name: string) =>
	[...bench.service.data.contacts.values()].find((each) => each.name === name)!;

/** She is greeted in no test, so a greeting would not be left out as the second one. */
const leadOfAnna = { name: 'Анна', messenger: 'telegram', id: '284119035' };

/** Posts a lead as a site does. */
const leave = async (lead: Record<string, string> | URLSearchParams) => await ended(await call(lead));

beforeAll(publish);

test.each([
	['the contact', 'whole'],
	['no ID', 'withoutId'],
	['nothing', 'nothing'],
] as const)(
	'leads become contacts with variables, a tag and one greeting, and one in MAX is reported with the reason, when the service answers with %s',
	async (_, savedContact) => {
		bench.service.dialect.savedContact = savedContact;
		await change({ Greet: { options: { sendOncePer: `welcome ${savedContact}` } } });
		const first = await run();
		const [olga, timur] = ['Ольга Белова', 'Тимур Галиев'].map(withName);
		expect(olga).toMatchObject({ messenger: 'whatsapp', phone: '79217001234', tags: [newLead] });
		expect(timur).toMatchObject({ messenger: 'telegram', externalId: '512345678', tags: [newLead] });
		expect(variablesOf(timur!.id)).toEqual({ Город: 'Москва', Интерес: 'Подготовка к IELTS' });
		const reason = expect.stringContaining('the service creates no contacts in MAX');
		expect(rows(first, 'Failed leads')).toMatchObject([{ name: 'Вера Ким', messenger: 'max', reason }]);

		const contacts = bench.service.data.contacts.size;
		expect((await run()).status).toBe('success');
		expect(bench.service.data.contacts.size).toBe(contacts);
		expect(delivered()).toEqual({
			[olga!.id]: [expect.stringContaining('Здравствуйте, Ольга Белова! Спасибо за заявку')],
			[timur!.id]: [expect.stringContaining('Тимур Галиев')],
		});
	},
);

test.each<[string, () => void]>([
	['tag', () => void contact(anna).tags.push('Не писать')],
	['variable', () => giveVariable(anna, 'Не писать', 'да')],
])(
	'a lead from the site updates the contact that exists, and greets nobody with the opt-out %s',
	async (_, optOut) => {
		optOut();
		const before = [...contact(anna).tags];
		const execution = await leave({ ...leadOfAnna, city: 'Уфа', interest: 'Грамматика' });
		expect(contact(anna)).toMatchObject({ name: 'Анна', tags: before });
		expect(variablesOf(anna)).toMatchObject({ Город: 'Уфа', Интерес: 'Грамматика' });
		expect(rows(execution, 'Failed leads')).toEqual([]);
		expect(delivered()).toEqual({});
	},
);

test('a lead without a messenger is in WhatsApp, also when a site posts a form', async () => {
	await leave(new URLSearchParams({ name: 'Пётр', phone: '8 (916) 777-00-02' }));
	const petr = withName('Пётр');
	expect(petr).toMatchObject({ messenger: 'whatsapp', phone: '79167770002', tags: [newLead] });
	expect(variablesOf(petr.id)).toEqual({ Город: 'не указано', Интерес: 'не указано' });
});

test('a lead whose tag is refused is reported with the reason, and gets no greeting', async () => {
	bench.service.faults.add(refusal('attachTagToContact', undefined, 'Тег не найден.'));
	const execution = await leave(leadOfAnna);
	const details = expect.stringContaining('Тег не найден.');
	expect(failed(execution, 'Failed leads')).toMatchObject([{ name: 'Анна', details }]);
	expect(delivered()).toEqual({});
});

test.each(['getContactTags', 'getContactVariables'])(
	'if %s fails, the lead may have opted out: it gets no greeting, and is reported with the reason',
	async (path) => {
		bench.service.faults.add(refusal(path, undefined, 'Попробуйте позже.'));
		const execution = await leave(leadOfAnna);
		const details = expect.stringContaining('Попробуйте позже.');
		expect(failed(execution, 'Failed leads')).toMatchObject([{ name: 'Анна', details }]);
		expect(delivered()).toEqual({});
	},
);
