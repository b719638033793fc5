import { SEEDED } from '../../../sandbox/emulator';
import {
	doneButNotSaid,
	mayBeSent,
	mayBeSentAlready,
	openExample,
	refusal,
	reported,
} from '../support/examples';

const example = openExample('broadcast-to-segment.json');
const {
	bench,
	change,
	changes,
	contact,
	delivered,
	fillIn,
	giveVariable,
	importAgain,
	removeTestRun,
	requestsOf,
	run,
} = example;

const optOut = 'Не писать';

/** Adds people to the segment. */
function addToSegment(...ids: number[]) {
	for (const id of ids) giveVariable(id, 'Интерес', 'Разговорный английский');
}

/** Gets the report. */
const manager = 5004;

const nameOf = (id: number) => `${contact(id).name}, ${contact(id).phone ?? `ID ${id}`}`;

const countsDelivered = () =>
	Object.entries(delivered())
		.map(([id, texts]) => [Number(id), texts.length])
		.filter(([id]) => id !== manager);

const testRunWith = (contactId: string) => ({ values: { contactId, messages: 1 } });

/** Runs the workflow with other options of the message. */
async function runAs(sendOncePer: string, options: object) {
	await change({ 'Send the message': { options: { sendOncePer, ...options } } });
	return await run();
}

beforeAll(removeTestRun);

test('as imported, a run sends nothing, not even the report to the manager, and shows who can get the message; without Test Run, everyone gets it once', async () => {
	const broadcast = 'Проверка';
	await importAgain();
	await fillIn('What to send', { broadcast });
	addToSegment(5001, 5002, 5008);
	const possible = 'can be sent';
	expect(reported(await run())).toEqual({ 5001: possible, 5002: possible, 5008: possible });
	expect(changes()).toEqual([]);

	await removeTestRun();
	await fillIn('What to send', { broadcast });
	expect(reported(await run())).toEqual({ 5001: 'accepted', 5002: 'accepted', 5008: 'accepted' });
	await run();
	expect(countsDelivered()).toEqual([5001, 5002, 5008].map((id) => [id, 1]));
});

test('only the person who tries the broadcast gets a message; if it is not accepted, nobody counts as reached, and each row says why', async () => {
	addToSegment(5001, 5002);
	const tested = async (contactId: string) => {
		const execution = await runAs('Мне', { testRun: testRunWith(contactId) });
		return { outcomes: reported(execution), reasons: reported(execution, 'reason') };
	};
	const everyone = (each: unknown) => ({ 5001: each, 5002: each });
	expect(await tested('5007')).toEqual({ outcomes: everyone('can be sent'), reasons: everyone('') });
	expect(delivered()).toEqual({ 5007: [expect.stringContaining('Здравствуйте, Анна Соколова!')] });

	const notReached = (why: RegExp) => ({
		outcomes: everyone('not reached'),
		reasons: everyone(expect.stringMatching(why)),
	});
	expect(await tested('я')).toEqual(notReached(/^'Test Run: Contact ID'/));
	bench.service.faults.add(refusal('sendMessage', 5007));
	expect(await tested('5007')).toEqual(notReached(/^Test message: .*заблокировал/));
	bench.service.faults.clear();
	bench.service.faults.add(doneButNotSaid('sendMessage', 5007));
	expect(await tested('5007')).toEqual(notReached(/^Test message: /));
	expect(Object.keys(delivered())).toEqual(['5007']);
});

test('a test after a broadcast sends nothing, and the next run still knows who has the message', async () => {
	addToSegment(5001, 5002, 5007);
	bench.service.faults.add(doneButNotSaid('sendMessage', 5007));
	bench.service.faults.add(refusal('sendMessage', 5002));
	await runAs('Потом', {});
	bench.service.faults.clear();
	const before = delivered();
	const tested = await runAs('Потом', { testRun: testRunWith('') });
	expect(reported(tested)).toEqual({ 5001: 'can be sent', 5002: 'can be sent', 5007: 'can be sent' });
	expect(delivered()).toEqual(before);
	const next = await runAs('Потом', {});
	expect(reported(next)).toEqual({ 5001: 'accepted before', 5002: 'accepted', 5007: 'unknown' });
});

test('a broadcast reaches the segment once and reports who was not reached and why; a second run sends only to these', async () => {
	const { service } = bench;
	addToSegment(5001, 5002, 5007, 5008);
	service.faults.add(doneButNotSaid('sendMessage', 5007));
	// The service may use the same words as the node.
	const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
	service.faults.add(refusal('sendMessage', 5008, misleading));

	const first = await run();
	const outcomes = { 5001: 'accepted', 5002: 'accepted', 5007: 'unknown', 5008: 'not reached' };
	expect(reported(first)).toEqual(outcomes);
	expect(reported(first, 'reason')).toMatchObject({
		5001: '',
		5007: expect.stringContaining(mayBeSent),
		5008: expect.stringContaining(misleading),
	});
	expect(reported(first, 'messenger')).toMatchObject({
		5001: 'telegram',
		5002: 'whatsapp',
		5007: 'telegram',
	});
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
	expect(delivered()[5001]).toEqual([expect.stringContaining('Здравствуйте, Анна Соколова!')]);

	service.faults.clear();
	const second = await run();
	const before = { 5001: 'accepted before', 5002: 'accepted before' };
	expect(reported(second)).toEqual({ ...outcomes, ...before, 5008: 'accepted' });
	expect(reported(second, 'reason')[5007]).toContain(mayBeSentAlready);
	expect(countsDelivered()).toEqual([5001, 5002, 5007, 5008].map((id) => [id, 1]));
});

test('a broadcast leaves out people with the opt-out variable or tag, and those of other bots', async () => {
	addToSegment(5001, 5002, 5007, 5008, SEEDED.contacts.viber);
	contact(5002).tags.push(optOut);
	giveVariable(5008, optOut, 'да');
	// A name under which nobody has a message yet.
	await fillIn('What to send', { broadcast: 'Не писать' });
	expect(reported(await run())).toEqual({ 5001: 'accepted', 5007: 'accepted' });
	expect(countsDelivered()).toEqual([5001, 5007].map((id) => [id, 1]));
});

/** What the notes of the example suggest. */
const condition = { name: optOut, condition: 'notExists' };

test('the segment can be a tag', async () => {
	contact(5007).tags.push('Пробный урок');
	giveVariable(5007, optOut, 'да');
	const filters = { hasAllTags: 'Пробный урок', hasNoTags: optOut, variables: { conditions: [condition] } };
	await change({ Contacts: { filters } });
	expect(Object.keys(reported(await run()))).toEqual(['5001']);
});

test('without a filter by tag, no service is asked for the tags of a contact', async () => {
	bench.service.dialect.with = 'ignored';
	giveVariable(5008, optOut, 'да');
	const city = { name: 'Город', condition: 'exists' };
	await change({ Contacts: { filters: { variables: { conditions: [city, condition] } } } });
	expect(Object.keys(reported(await run()))).not.toContain('5008');
	expect(requestsOf('getContactTags')).toEqual([]);
});
