import { addContact, SEEDED } from '../../../sandbox/emulator';
import { failed, openExample, refusal, rows } from '../support/examples';

const { bench, call, change, changes, contact, delivered, ended, giveVariable, publish, run, variablesOf } =
	openExample('lead-becomes-contact.json');

const newLead = 'Новый лид';
const anna = SEEDED.contacts.telegram;
const contacts = () => [...bench.service.data.contacts.values()];
const withName = (name: string) => contacts().find((each) => each.name === name)!;

/** She is greeted in no other test, so a greeting would not be left out as the second one. */
const leadOfAnna = { name: 'Анна', phone: '8 916 123-45-67' };
const leadOfPetr = { name: 'Пётр', phone: '8 (916) 777-00-02' };

/** Posts a lead as a site does. */
const leave = async (lead: Record<string, string> | URLSearchParams) => await ended(await call(lead));

/** Another greeting, which people of an earlier test get too. */
const greetAgain = async (name: string) => await change({ Greet: { options: { sendOncePer: name } } });

beforeAll(publish);

test.each([
	['the contact', 'whole'],
	['no ID', 'withoutId'],
	['nothing', 'nothing'],
] as const)(
	'a new lead becomes a contact, one who exists keeps their name, one without a number is reported, and another run changes nothing, when the service answers with %s',
	async (_, savedContact) => {
		bench.service.dialect.savedContact = savedContact;
		await greetAgain(savedContact);
		const { tags } = contact(anna);
		const before = { size: contacts().length, tags: [...tags], variables: variablesOf(anna) };
		const first = await run();
		const olga = withName('Ольга Белова');
		expect(olga).toMatchObject({ messenger: 'whatsapp', phone: '79217001234', tags: [newLead] });
		const city = 'Санкт-Петербург';
		const interest = 'Разговорный английский';
		expect(variablesOf(olga.id)).toEqual({ Источник: 'Сайт', Город: city, Интерес: interest });
		expect(contact(anna)).toMatchObject({ name: 'Анна Соколова', tags: before.tags });
		const ofLead = { Источник: 'Сайт', Интерес: 'Подготовка к IELTS' };
		expect(variablesOf(anna)).toEqual({ ...before.variables, ...ofLead });
		const reason = expect.stringContaining("'Phone'");
		expect(rows(first, 'Failed leads')).toMatchObject([{ name: 'Вера Ким', phone: '', reason }]);
		expect(contacts()).toHaveLength(before.size + 1);

		const after = structuredClone(contacts());
		expect((await run()).status).toBe('success');
		expect(contacts()).toEqual(after);
		expect(delivered()).toEqual({
			[olga.id]: [expect.stringContaining('Здравствуйте, Ольга Белова! Спасибо за заявку')],
			[anna]: [expect.stringContaining('Здравствуйте, Анна!')],
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
		await greetAgain('opted out');
		const before = [...contact(anna).tags];
		const execution = await leave({ ...leadOfAnna, city: 'Уфа', interest: 'Грамматика' });
		expect(contact(anna).tags).toEqual(before);
		expect(variablesOf(anna)).toMatchObject({ Город: 'Уфа', Интерес: 'Грамматика' });
		expect(rows(execution, 'Failed leads')).toEqual([]);
		expect(delivered()).toEqual({});
	},
);

test('a site can post a form, and a lead without a city and an interest still becomes a contact', async () => {
	await leave(new URLSearchParams({ ...leadOfPetr, city: ' ' }));
	const petr = withName('Пётр');
	expect(petr).toMatchObject({ messenger: 'whatsapp', phone: '79167770002', tags: [newLead] });
	expect(variablesOf(petr.id)).toEqual({ Источник: 'Сайт' });
});

test('of several contacts with the number, the first one gets the variables, the tag and the greeting', async () => {
	await greetAgain('several');
	const { botId, phone } = contact(anna);
	const ofAnna = { botId, name: 'Анна в WhatsApp', externalId: phone!, phone };
	const second = addContact(bench.service.data, { ...ofAnna, messenger: 'whatsapp' });
	await leave(leadOfAnna);
	expect(second).toMatchObject({ tags: [], variables: [] });
	expect(Object.keys(delivered())).toEqual([String(anna)]);
});

test.each<[string, string, () => void]>([
	['a refusal', 'Попробуйте позже.', () => refuse('getContacts', 'Попробуйте позже.')],
	['an error of the service', 'HTTP 500', () => bench.service.faults.add({ kind: 'server error' })],
	['the tags', 'Теги недоступны.', () => refuse('getContactTags', 'Теги недоступны.')],
])(
	'a lead who could not be looked up because of %s is not created, and is reported with the reason',
	async (_, words, fail) => {
		// So that the tags of contacts take requests.
		bench.service.dialect.with = 'ignored';
		fail();
		const execution = await leave(leadOfAnna);
		const details = expect.stringContaining(words);
		expect(failed(execution, 'Failed leads')).toMatchObject([{ ...leadOfAnna, details }]);
		expect(changes()).toEqual([]);
	},
);

test.each(['createOrUpdateContact', 'setContactVariable', 'attachTagToContact'])(
	'a lead that is refused by %s is reported with its own reason alone, and gets no greeting',
	async (path) => {
		refuse(path, 'Бот остановлен.');
		const execution = await leave({ ...leadOfPetr, message: 'Перезвоните' });
		const details = expect.stringContaining('Бот остановлен.');
		const [row, ...others] = failed(execution, 'Failed leads');
		expect([row, others]).toMatchObject([{ ...leadOfPetr, details }, []]);
		expect(JSON.stringify(row)).not.toContain('The node compared');
		expect(delivered()).toEqual({});
	},
);

function refuse(path: string, words: string): void {
	bench.service.faults.add(refusal(path, undefined, words));
}
