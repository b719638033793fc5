import { SEEDED } from '../../../sandbox/emulator';
import { examplesFolder } from '../../../sandbox/start/examples';
import {
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
import { leave, submitForm, submitPage } from '../support/pages';

/* The broadcasts that can start at any time. The third is in friday.test.ts, and the lists that the form takes are in form.test.ts. */

const bench = openExamples();
const { changes, contact, delivered, giveVariable } = serviceIn(bench);
const segment = exampleIn(bench, 'broadcast-to-segment.json');
const form = exampleIn(bench, 'broadcast-from-form.json');

/** Gets the report. */
const manager = 5004;

/** Sends the form as somebody in marketing does. @returns what the pages say, and the execution */
async function broadcast(name: string, yes: string) {
	await form.publish();
	const list = new File(['phone,name\n89161234567,Анна\n79035550101,Иван'], 'contacts.csv');
	const check = await submitForm(form.address(), [list, name, 'VIP', 'Здравствуйте, {name}!']);
	const last = await submitPage(check, [[yes]]);
	await leave(last);
	return { pages: [check.title, last.title, last.message], execution: await form.ended(check) };
}

const english = {
	...{ name: 'Spring', folder: examplesFolder, yes: 'Yes, all is correct' },
	...{ possible: 'can be sent', accepted: 'accepted' },
	tested: [
		'Test of the broadcast “Spring”',
		'This is a test',
		'No one on the list gets the tag or a message. To send both to 2 people, remove Test Run in Send the message. Then it takes about 1 min. You can close this page. You see the results in n8n, under Executions.',
	],
	sent: [
		'Broadcast “Spring”',
		'The broadcast has started',
		'It takes about 1 min. You can close this page. The manager gets the results in a message.',
	],
	report: 'Broadcast “Spring”: results of this run\naccepted: 2',
};

const russian = {
	...{ name: 'Весна', folder: russianExamplesFolder, yes: 'Да, всё верно' },
	...{ possible: 'можно отправить', accepted: 'принято сервисом' },
	tested: [
		'Проверка рассылки «Весна»',
		'Это проверка',
		'Ни тега, ни сообщения никто из списка не получит. Чтобы отправить их (получателей: 2), уберите Test Run в Send the message. Тогда рассылка займёт около 1 мин. Страницу можно закрыть. Итоги видны в n8n, в разделе Executions.',
	],
	sent: [
		'Рассылка «Весна»',
		'Рассылка началась',
		'Она займёт около 1 мин. Страницу можно закрыть. Итоги придут менеджеру сообщением.',
	],
	report: 'Рассылка «Весна»: итоги запуска\nпринято сервисом: 2',
};

test.each([english, russian])('a form tests a broadcast, then sends it: $name', async (words) => {
	const { name, folder, yes, possible, accepted } = words;
	await form.importAgain(folder);
	const tested = await broadcast(name, yes);
	const saying = (pages: string[]) => pages.map((each) => expect.stringContaining(each));
	expect(tested.pages).toEqual(saying(words.tested));
	expect(reported(tested.execution)).toEqual({ 5001: possible, 5002: possible });
	// Not even the report leaves.
	expect(changes()).toEqual([]);

	await form.removeTestRun();
	const sent = await broadcast(name, yes);
	expect(sent.pages).toEqual(saying(words.sent));
	expect(reported(sent.execution)).toEqual({ 5001: accepted, 5002: accepted });
	await broadcast(name, yes);
	const { [manager]: reports, ...others } = delivered();
	expect(reports![0]).toBe(words.report);
	expect(others).toEqual({ 5001: ['Здравствуйте, Анна!'], 5002: ['Здравствуйте, Иван!'] });
	for (const id of [5001, 5002]) expect(contact(id).tags).toContain('VIP');
});

test('a test of the form reaches oneself, and tags nobody', async () => {
	await form.importAgain();
	const testRun = { values: { contactId: '5008', messages: 1 } };
	await form.change({ 'Send the message': { options: { testRun } } });
	const { execution } = await broadcast('Мне', english.yes);
	expect(reported(execution)).toEqual({ 5001: 'can be sent', 5002: 'can be sent' });
	expect(changes()).toHaveLength(1);
	expect(delivered()).toEqual({ 5008: ['Здравствуйте, Анна!'] });
});

test('a segment is tested, reached once, and reported', async () => {
	const { faults } = bench.service;
	const people = [5001, 5002, 5007, 5008];
	// These have opted out, or belong to another bot.
	for (const id of [...people, 5009, 5010, SEEDED.contacts.viber])
		giveVariable(id, 'Интерес', 'Разговорный английский');
	contact(5009).tags.push('Не писать');
	giveVariable(5010, 'Не писать', 'да');
	const possible = Object.fromEntries(people.map((id) => [id, 'can be sent']));
	expect(reported(await segment.run())).toEqual(possible);
	expect(changes()).toEqual([]);

	await segment.removeTestRun();
	faults.add(doneButNotSaid('sendMessage', 5007));
	// The service may use the same words as the node.
	const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
	faults.add(refusal('sendMessage', 5008, misleading));

	const first = await segment.run();
	const outcomes = { 5001: 'accepted', 5002: 'accepted', 5007: 'unknown', 5008: 'not reached' };
	expect(reported(first)).toEqual(outcomes);
	const [unknown, refused] = [mayBeSent, misleading].map((words) => expect.stringContaining(words));
	expect(reported(first, 'reason')).toEqual({ 5001: '', 5002: '', 5007: unknown, 5008: refused });
	expect(reported(first, 'messenger')).toMatchObject({ 5001: 'telegram', 5002: 'whatsapp' });
	const nameOf = (id: number) => `${contact(id).name}, ${contact(id).phone ?? `ID ${id}`}`;
	expect(delivered()[manager]).toEqual([
		[
			'Broadcast “Открытый урок, ноябрь”: results of this run',
			'accepted: 2',
			'not reached: 1',
			'unknown: 1',
			'',
			`${nameOf(5007)}: may have arrived, look at the chat`,
			`${nameOf(5008)}: the service rejected it: ${misleading}`,
		].join('\n'),
	]);

	faults.clear();
	const second = await segment.run();
	const before = { 5001: 'accepted before', 5002: 'accepted before' };
	expect(reported(second)).toEqual({ ...before, 5007: 'unknown', 5008: 'accepted' });
	expect(reported(second, 'reason')[5007]).toContain(mayBeSentAlready);
	for (const id of people) expect(delivered()[id]).toHaveLength(1);
});
