import { openExample, reported } from '../support/examples';
import { leave, submitForm, submitPage } from '../support/pages';

/* The example "Broadcast from a form" as it is imported, and after its user has removed 'Test Run'. Everything else: form.test.ts. */

const { address, contact, delivered, ended, importAgain, publish, removeTestRun, requestsOf } =
	openExample('broadcast-from-form.json');

const tag = 'VIP';
/** Gets the report at the end. */
const manager = 5004;

// The n8n is shared.
afterAll(async () => await importAgain());

test.each([
	{
		language: 'English',
		yes: 'Yes, all is correct',
		check: 'Test of the broadcast “Проба English”',
		page: 'This is a test',
		says: 'No one on the list gets the tag or a message. To send both to 2 people, remove Test Run in Send the message.',
		outcome: 'can be sent',
		accepted: 'accepted',
		report:
			'Test of the broadcast “Проба English”: this run wrote to none of these people. To send it, remove Test Run in Send the message.\ncan be sent: 2',
	},
	{
		language: 'Russian',
		yes: 'Да, всё верно',
		check: 'Проверка рассылки «Проба Russian»',
		page: 'Это проверка',
		says: 'Ни тега, ни сообщения никто из списка не получит. Чтобы отправить их (получателей: 2), уберите Test Run в Send the message. Тогда рассылка займёт около 1 мин.',
		outcome: 'можно отправить',
		accepted: 'принято сервисом',
		report:
			'Проверка рассылки «Проба Russian»: в этот раз никому из этих людей ничего не отправлено. Чтобы отправить её, уберите Test Run в Send the message.\nможно отправить: 2',
	},
] as const)(
	'as imported in $language, nobody on the list gets a tag or a message, as the pages and the report say; without Test Run, everyone gets both, the message once',
	async ({ language, yes, ...words }) => {
		const list = new File(['phone,name\n89161234567,Анна\n79990005007,Наталья'], 'contacts.csv');
		const send = async () => {
			await publish();
			const page = await submitForm(address(), [list, `Проба ${language}`, tag, 'Здравствуйте!']);
			const last = await submitPage(page, [[yes]]);
			await leave(last);
			return { check: page, last, execution: await ended(page) };
		};
		await importAgain(language);
		const tested = await send();
		expect(tested.check.title).toBe(words.check);
		expect(tested.last).toMatchObject({
			title: words.page,
			message: expect.stringContaining(words.says),
		});
		expect(reported(tested.execution)).toEqual({ 5001: words.outcome, 5007: words.outcome });
		expect(requestsOf('attachTagToContact')).toEqual([]);
		expect(delivered()).toEqual({ [manager]: [words.report] });

		await removeTestRun();
		const sent = await send();
		expect(reported(sent.execution)).toEqual({ 5001: words.accepted, 5007: words.accepted });
		await send();
		for (const id of [5001, 5007]) {
			expect(contact(id).tags).toContain(tag);
			expect(delivered()[id]).toHaveLength(1);
		}
	},
);
