import { openExample, reported } from '../support/examples';
import { leave, submitForm, submitPage } from '../support/pages';

/* The example "Broadcast from a form" as it is imported, and after its user has removed 'Test Run'. Everything else: form.test.ts. */

const example = openExample('broadcast-from-form.json');
const {
	address,
	change,
	changes,
	contact,
	delivered,
	ended,
	importAgain,
	publish,
	removeTestRun,
	requestsOf,
} = example;

const tag = 'VIP';

// The n8n is shared.
afterAll(async () => await importAgain());

/** Publishes the workflow, and sends the form as somebody in marketing does. */
async function broadcast(name: string, yes: string) {
	await publish();
	const list = new File(['phone,name\n89161234567,Анна\n79990005007,Наталья'], 'contacts.csv');
	const check = await submitForm(address(), [list, name, tag, 'Здравствуйте, {name}!']);
	const last = await submitPage(check, [[yes]]);
	await leave(last);
	return { check, last, execution: await ended(check) };
}

test.each([
	{
		language: 'English',
		yes: 'Yes, all is correct',
		check: 'Test of the broadcast “Проба English”',
		page: 'This is a test',
		says: 'No one on the list gets the tag or a message. To send both to 2 people, remove Test Run in Send the message. Then it takes about 1 min. You can close this page. You see the results in n8n, under Executions.',
		started: 'It takes about 1 min. You can close this page. The manager gets the results in a message.',
		outcome: 'can be sent',
		accepted: 'accepted',
	},
	{
		language: 'Russian',
		yes: 'Да, всё верно',
		check: 'Проверка рассылки «Проба Russian»',
		page: 'Это проверка',
		says: 'Ни тега, ни сообщения никто из списка не получит. Чтобы отправить их (получателей: 2), уберите Test Run в Send the message. Тогда рассылка займёт около 1 мин. Страницу можно закрыть. Итоги видны в n8n, в разделе Executions.',
		started: 'Она займёт около 1 мин. Страницу можно закрыть. Итоги придут менеджеру сообщением.',
		outcome: 'можно отправить',
		accepted: 'принято сервисом',
	},
] as const)(
	'as imported in $language, a broadcast attaches and sends nothing, not even the report to the manager, and its pages say so; without Test Run, everyone on the list gets the tag, and the message once',
	async ({ language, yes, ...words }) => {
		const send = async () => await broadcast(`Проба ${language}`, yes);
		await importAgain(language);
		const tested = await send();
		expect(tested.check.title).toBe(words.check);
		expect(tested.last).toMatchObject({
			title: words.page,
			message: expect.stringContaining(words.says),
		});
		expect(reported(tested.execution)).toEqual({ 5001: words.outcome, 5007: words.outcome });
		expect(changes()).toEqual([]);

		await removeTestRun();
		const sent = await send();
		expect(sent.last.message).toContain(words.started);
		expect(reported(sent.execution)).toEqual({ 5001: words.accepted, 5007: words.accepted });
		await send();
		for (const id of [5001, 5007]) {
			expect(contact(id).tags).toContain(tag);
			expect(delivered()[id]).toHaveLength(1);
		}
	},
);

test('only the person who tries the broadcast gets a message, and nobody the tag', async () => {
	await importAgain();
	await change({
		'Send the message': { options: { testRun: { values: { contactId: '5008', messages: 1 } } } },
	});
	const { execution } = await broadcast('Мне', 'Yes, all is correct');
	expect(reported(execution)).toEqual({ 5001: 'can be sent', 5007: 'can be sent' });
	expect(delivered()).toEqual({ 5008: ['Здравствуйте, Анна!'] });
	expect(requestsOf('attachTagToContact')).toEqual([]);
});
