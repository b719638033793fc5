import { SEEDED } from '../../../sandbox/emulator';
import {
	doneButNotSaid,
	exampleIn,
	mayBeSent,
	mayBeSentAlready,
	openExamples,
	refusal,
	reported,
	serviceIn,
} from '../support/examples';
import { leave, submitForm, submitPage } from '../support/pages';

/* The broadcasts that can start at any time. The third is in friday.test.ts, the form in Russian and its lists are in form.test.ts. */

const bench = openExamples();
const { changes, contact, delivered, giveVariable } = serviceIn(bench);
const segment = exampleIn(bench, 'broadcast-to-segment.json');
const form = exampleIn(bench, 'broadcast-from-form.json');

/** Gets the report. */
const manager = 5004;

/** Sends the form as somebody in marketing does. @returns what the pages say, and the execution */
async function broadcast(name: string) {
	await form.publish();
	const list = new File(['phone,name\n89161234567,Анна\n79035550101,Иван'], 'contacts.csv');
	const check = await submitForm(form.address(), [list, name, 'VIP', 'Здравствуйте, {name}!']);
	const last = await submitPage(check, [['Yes, all is correct']]);
	await leave(last);
	return { pages: [check.title, last.title, last.message], execution: await form.ended(check) };
}

test('a form tests a broadcast, then sends it', async () => {
	const tested = await broadcast('Spring');
	const time = 'about 1 min. You can close this page.';
	const nobody = 'No one on the list gets the tag or a message. To send both to 2 people, remove Test Run';
	expect(tested.pages).toEqual([
		'Test of the broadcast “Spring”',
		'This is a test',
		`${nobody} in Send the message. Then it takes ${time} You see the results in n8n, under Executions.`,
	]);
	expect(reported(tested.execution)).toEqual({ 5001: 'can be sent', 5002: 'can be sent' });
	// Not even the report leaves.
	expect(changes()).toEqual([]);

	await form.removeTestRun();
	const sent = await broadcast('Spring');
	expect(sent.pages).toEqual([
		'Broadcast “Spring”',
		'The broadcast has started',
		`It takes ${time} The manager gets the results in a message.`,
	]);
	expect(reported(sent.execution)).toEqual({ 5001: 'accepted', 5002: 'accepted' });
	await broadcast('Spring');
	const { [manager]: reports, ...others } = delivered();
	expect(reports![0]).toBe('Broadcast “Spring”: results of this run\naccepted: 2');
	expect(others).toEqual({ 5001: ['Здравствуйте, Анна!'], 5002: ['Здравствуйте, Иван!'] });
	for (const id of [5001, 5002]) expect(contact(id).tags).toContain('VIP');
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
