import { notFound, testFailed, timedOut } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts } from '../../sandbox/emulator';
import { modes } from './everyOperation';
import { credentialFor, hintsOf, retryNode, type RunResult } from './harness';
import { me, numbersIn, previewOf, refusal, send, testing, toVk, toWhatsApp } from './messages';
import { came, howOften, newStore } from './once';
import { apart, errorsOf, goingOn, placesOf, scene, type Given } from './scene';

/*
 * 'Test Run': nobody but the person who tries a run gets a message, each item shows what would be sent, and nothing of it is recorded. The
 * table in test/cases has the values of the option that are none.
 */

const { service, run, answers, letters } = scene(toVk);

/** @param values of the option @param options besides it @param given for example other parameters */
const tried = async (values: object = {}, options: object = {}, given: Given = {}) =>
	await run({ ...given, with: { ...testing(values, options), ...given.with } });

const saying = (words: string) => expect.stringContaining(words) as string;
const noticeOf = (result: RunResult) => hintsOf(result).join('\n');
const once = { sendOncePer: 'осень' };

test.each(modes)('%s: nothing leaves, and each item shows what would', async (onError) => {
	const items = letters(3);
	const result = await tried({}, {}, { items, node: { onError } });
	expect([result.json, placesOf(result)]).toEqual([items.map(previewOf), [0, 1, 2]]);
	expect(service.requests).toEqual([]);
	expect(noticeOf(result)).toMatch(/^Test run: 3 of 3 messages can be sent.* Nothing was sent\./);
});

describe('the first messages go only to the tester', () => {
	const urls = { imageUrl: 'https://example.com/осень.png', fileUrl: 'https://example.com/цены.pdf' };
	const sentUrls = { image: encodeURI(urls.imageUrl), file: encodeURI(urls.fileUrl) };

	test.each([
		['one by default', {}, 1, 'One test message was accepted.'],
		['not more than there are', { messages: 100 }, 3, '3 test messages were accepted.'],
	])('with the content of the first people: %s', async (_, values, count, said) => {
		const items = letters(3);
		const whole = { content: ['text', 'image', 'file'], ...urls };
		const result = await tried({ contactId: String(me), ...values }, {}, { items, with: whole });
		const sent = items.slice(0, count).map(({ text }) => ({ contactId: me, text, ...sentUrls }));
		expect(service.deliveries()).toMatchObject(sent);
		expect(result.json).toEqual(items.map((item) => ({ ...previewOf(item), ...sentUrls })));
		expect(noticeOf(result)).toContain(said);
	});

	const byId = { ...send, recipient: 'externalId', messenger: 'telegram', botId: '={{ $json.botId }}' };

	test.each([
		['telegram', 'a contact', { ...byId, externalId: '={{ $json.externalId }}' }, { contactId: me }],
		['whatsapp', 'a number', toWhatsApp, { phone: '+79998887766' }],
	] as const)('people in %s are not reached by a test to %s', async (messenger, _, parameters, tester) => {
		const people = addContacts(service.data, 2, { messenger });
		const items = people.map((person, index) => ({ ...person, text: `Письмо ${index}` }));
		const { json } = await run({ items: items as never, parameters, with: testing(tester) });
		const isNumber = 'phone' in tester;
		const idOf = ({ phone, externalId }: (typeof people)[number]) => (isNumber ? `+${phone}` : externalId);
		const shown = items.map(({ text, ...person }) => ({ recipient: idOf(person), text }));
		expect(json).toEqual(shown.map((each) => ({ testRun: true, ...each })));
		const to = isNumber ? tester : { contact_id: String(me) };
		expect(service.requests).toMatchObject([{ input: { ...to, text: 'Письмо 0' } }]);
		expect(service.deliveries()).toHaveLength(1);
	});

	test('a recipient whom the user has typed', async () => {
		const items = [...letters(1), { id: me, text: 'Письмо' }];
		expect((await tried({ contactId: String(me) }, {}, { items })).error).toBeUndefined();
		expect(service.deliveries()).toMatchObject([{ contactId: me, text: 'Письмо 0' }]);
	});
});

test.each(modes)('%s: items that want other tests are refused', async (onError) => {
	const values = { contactId: String(me), messages: '={{ $itemIndex + 1 }}' };
	const result = await tried(values, {}, { items: letters(2), node: { onError } });
	const errors = Array<unknown>(result.error ? 1 : 2).fill(saying('must be the same for all items'));
	expect([errorsOf(result), service.requests]).toEqual([errors, []]);
});

test.each([goingOn, apart])('beside an invalid item, the others are tried: %j', async (node) => {
	const items = [...letters(2), { id: 'Анна', text: 'Письмо' }];
	const result = await tried({ contactId: me }, {}, { items, node });
	expect(errorsOf(result)).toEqual([undefined, undefined, "'Contact ID' must be a whole number [Item 2]"]);
	expect(service.deliveries()).toHaveLength(1);
	const reason = "Failed: 1 × 'Contact ID' must be a whole number.";
	expect(noticeOf(result)).toContain(`2 of 3 messages can be sent, 1 cannot. ${reason}`);
});

describe('a test message that does not arrive', () => {
	test.each(modes)('%s: fails the run with its reason', async (onError) => {
		const items = letters(2);
		const { message } = testFailed(notFound([{ label: '', whatItIs: 'contact with this ID' }]));
		const result = await tried({ contactId: 999_999 }, {}, { items, node: { onError } });
		const failed = result.error ? [0] : [0, 1];
		expect(errorsOf(result)).toEqual(failed.map((item) => `${message} [Item ${item}]`));
		if (result.error) expect(result.error.description).toContain("Check 'Test Run: Contact ID'.");
		expect(howOften(service, items)).toEqual([0, 0]);
	});

	test('is not repeated if its outcome is unknown', async () => {
		service.faults.add({ kind: 'timeout', when: 'after' });
		const given = { items: letters(2), with: { requestOptions: { timeout: 300 } } };
		const { error } = await tried({ contactId: me, messages: 2 }, {}, given);
		expect(error?.message).toBe(`${testFailed(timedOut()).message} [Item 0]`);
		expect(error?.description).toContain('may have been sent');
		expect(howOften(service, [{ id: me }])).toEqual([1]);
	});
});

test('an agent reads that nothing was sent, in both ways', async () => {
	const contactId = "={{ $fromAI('contact', '', 'number') }}";
	const tool = { with: { ...testing(), contactId, text: 'Здравствуйте!' } };
	const read = [{ testRun: true, recipient: me, message: saying('Not sent') }];
	for (const answer of await answers({ contact: me }, tool)) expect(JSON.parse(answer)).toMatchObject(read);
	expect(service.requests).toEqual([]);
});

test('input fields stay, but not those of a test', async () => {
	const includes = { includeInputFields: true };
	const [item] = letters(1);
	const items = [{ ...item!, имя: 'Анна', testRun: true, inDoubt: true, success: true }];
	const { json } = await run({ items, with: { options: includes } });
	expect(json).toEqual([{ ...item, имя: 'Анна', success: true }]);
	const [tested] = (await tried({}, includes, { items })).json;
	expect(tested).toMatchObject({ имя: 'Анна', testRun: true, recipient: item!.id });
	for (const name of ['inDoubt', 'success']) expect(tested).not.toHaveProperty(name);
});

test('a test warns of texts and messengers as a run does', async () => {
	const given = { items: [{ id: me, text: 'Ж'.repeat(5000) }], with: { contactMessenger: 'скайп' } };
	const [, ...ofTest] = hintsOf(await tried({}, {}, given));
	expect(ofTest).toEqual(hintsOf(await run(given)));
	expect(ofTest.join()).toContain('4096 characters');
});

describe('a test records nothing', () => {
	test('a test keeps what earlier runs have sent', async () => {
		const items = letters(3);
		const real = { items, with: { options: once }, node: goingOn, ...newStore() };
		service.faults.add({ kind: 'server error', match: { recipient: items[1]!.id } });
		await run({ ...real, items: items.slice(0, 2) });
		service.faults.clear();
		const calls = real.deduplication.calls.length;
		const tested = await tried({ contactId: me }, once, { ...real, with: {} });
		expect(tested.json).toEqual(items.map(previewOf));
		expect(noticeOf(tested)).toContain("The real run skips people who already have a message under 'осень'.");
		// Otherwise, a process that dies meanwhile would leave people in doubt.
		expect(real.deduplication.calls).toHaveLength(calls);
		expect(came(await run(real))).toEqual(['skipped', 'in doubt', 'sent']);
		expect(howOften(service, [{ id: me }, items[0]!, items[2]!])).toEqual([1, 1, 1]);
	});

	test('a person who is there twice would get one message', async () => {
		const [item, other] = letters(2);
		const items = [item!, { ...item!, text: 'Ещё раз' }, other!];
		const result = await tried({ contactId: me, messages: 2 }, once, { items });
		expect(result.json.map(({ alreadySent }) => alreadySent)).toEqual([undefined, true, undefined]);
		expect(numbersIn(noticeOf(result)).slice(0, 4)).toEqual([3, 3, 0, 1]);
		expect(service.deliveries().map(({ text }) => text)).toEqual(['Письмо 0', 'Письмо 1']);
	});

	test('a test of a failed execution leaves its records', async () => {
		const items = letters(3);
		service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
		const failed = await run({ items, credential: credentialFor(service, { requestsPerSecond: 1 }) });
		service.faults.clear();
		const asTest = (values: object) => ({ parameters: { ...toVk, ...testing(values) } as never });
		expect((await retryNode(failed, asTest({}))).json).toEqual(items.map(previewOf));
		const tested = await retryNode(failed, asTest({ contactId: 'нет' }));
		expect(tested.error?.message).toContain("'Test Run: Contact ID'");
		await retryNode(tested, { parameters: toVk, credential: credentialFor(service) });
		expect(howOften(service, items)).toEqual([1, 1, 1]);
	});
});
