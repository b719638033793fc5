import { tooManyRecipients } from '../../nodes/ChatbotService/client/failure/failure';
import { notAllowed } from '../../nodes/ChatbotService/run/values/valueProblems';
import { addContacts, SEEDED, type Contact } from '../../sandbox/emulator';
import { modes } from './everyOperation';
import { me, testing, toVk, toWhatsApp } from './messages';
import { howOften } from './once';
import { errorsOf, goingOn, scene } from './scene';

/*
 * 'Maximum Recipients' and 'Allowed Recipients': nobody gets a message by mistake, whatever the data or a model says. The table in
 * test/cases has their values that are none; loops.test.ts, batches.
 */

const { service, run, answers, letters } = scene(toVk);

/** An item of another person of a bot in WhatsApp. */
const inWhatsApp = (phone: unknown) => {
	const [{ botId }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
	return { botId, phone, text: 'Привет' } as never;
};

describe('Maximum Recipients', () => {
	const most = (mostRecipients: unknown) => ({ options: { mostRecipients } });
	const { message } = tooManyRecipients(30, 'Maximum Recipients', 20);

	test.each(modes)('%s: a run with more people is refused', async (onError) => {
		expect(message).toBe("This run has 30 recipients, more than 'Maximum Recipients' allows (20)");
		const result = await run({ items: letters(30), node: { onError }, with: most(20) });
		const failed = Array.from({ length: result.error ? 1 : 30 }, (_, item) => `${message} [Item ${item}]`);
		expect([errorsOf(result), service.requests]).toEqual([failed, []]);
	});

	test.each(modes)('%s: people count, not messages', async (onError) => {
		const [item, other] = letters(2);
		const items = [item!, { ...item!, text: 'Ещё' }, other!];
		const options = { mostRecipients: 2, sendOncePer: '={{ $json.text }}' };
		const { json } = await run({ items, node: { onError }, with: { options } });
		expect(json).toEqual(items.map(() => ({ success: true })));
	});

	test('an item that is wrong is nobody', async () => {
		const items = [...letters(2), { id: 'Анна', text: 'Привет' }];
		const errors = errorsOf(await run({ items, node: goingOn, with: most(2) }));
		expect(errors).toEqual([undefined, undefined, expect.stringContaining("'Contact ID'")]);
	});

	const aTest = testing({ contactId: me }, { mostRecipients: 2 });

	test.each([
		['a test of more people', aTest, 'This run has 3 recipients'],
		['another number for the next item', most('={{ $itemIndex + 20 }}'), 'must be the same'],
	])('%s is refused', async (_, parameters, said) => {
		const { error } = await run({ items: letters(3), with: parameters });
		expect([error?.message, service.requests]).toEqual([expect.stringContaining(said), []]);
	});
});

describe('Allowed Recipients', () => {
	const allowed = (allowedRecipients: unknown) => ({ options: { allowedRecipients } });
	const refused = (label: string, item: number) =>
		`${notAllowed('Allowed Recipients', label, '').message} [Item ${item}]`;

	test.each(modes)('%s: nobody else gets a message', async (onError) => {
		const items = letters(3);
		const result = await run({ items, node: { onError }, with: allowed(`${items[0]!.id}, ${items[2]!.id}`) });
		expect(errorsOf(result).filter(Boolean)).toEqual([refused('Contact ID', 1)]);
		expect(howOften(service, items)).toEqual(result.error ? [0, 0, 0] : [1, 0, 1]);
	});

	const spellings = ['8 (999) 000-50-50', '7 999 000 50 50', '79990005050@c.us', 79990005050];
	const two = '8 999 000-50-50\n+7 999 000-50-52';

	test.each([
		['+79990005050', spellings, ['+7 999 000-50-51']],
		[two, ['+79990005050', '+79990005052'], ['+79990005053', '89990005051']],
	])('numbers are compared as people write them: %j', async (list, right, wrong) => {
		const items = [...right, ...wrong].map(inWhatsApp);
		const errors = errorsOf(await run({ parameters: toWhatsApp, with: allowed(list), items, node: goingOn }));
		expect(errors).toEqual([
			...right.map(() => undefined),
			...wrong.map((_, item) => refused('Phone Number', right.length + item)),
		]);
	});

	test.each(['whatsapp:+79990005050', 'Анна: +79990005050', '+79990005050 / +79990005051', '9990005050'])(
		'the entry %j names nobody, and is said to',
		async (list) => {
			const items = [inWhatsApp('+79990005050')];
			const { error } = await run({ items, parameters: toWhatsApp, with: allowed(list) });
			expect(error?.description).toContain(`"${list}"`);
		},
	);

	test('messenger IDs and numbers of people in a messenger', async () => {
		const [known, other] = addContacts(service.data, 2, { messenger: 'telegram' }) as [Contact, Contact];
		const items = [known, other].map(({ botId, externalId }) => ({ botId, externalId, text: 'Привет' }));
		const inTelegram = { recipient: 'externalId', messenger: 'telegram' };
		const by = { botId: '={{ $json.botId }}', externalId: '={{ $json.externalId }}' };
		const entries = allowed(`+79160000000; ${known.externalId} `);
		const result = await run({ items, node: goingOn, with: { ...inTelegram, ...by, ...entries } });
		expect(errorsOf(result)).toEqual([undefined, refused('Phone Number or Messenger ID', 1)]);
	});

	test.each(['={{ [$json.id, "1"] }}', '={{ $json.id }}', '=["{{ $json.id }}"]'])(
		'an expression gives a list for each item: %s',
		async (list) => expect((await run({ items: letters(2), with: allowed(list) })).json).toHaveLength(2),
	);

	const written = { contactId: "={{ $fromAI('contact', '', 'number') }}", text: 'Здравствуйте!' };
	const other = SEEDED.contacts.telegram;

	test('an agent cannot write to anybody else', async () => {
		const tool = { with: { ...allowed(String(me)), ...written } };
		for (const answer of await answers({ contact: other }, tool))
			expect(answer).toContain("'Contact ID' is not among 'Allowed Recipients'");
		await answers({ contact: me }, tool);
		expect(howOften(service, [{ id: me }, { id: other }])).toEqual([2, 0]);
	});

	test.each(["={{ $fromAI('allowed') }}", '={{ $json.allowed }}', '={{ $input.item.json.allowed }}'])(
		'a model cannot fill in the list: %s',
		async (list) => {
			const call = { contact: me, allowed: String(me) };
			for (const answer of await answers(call, { with: { ...allowed(list), ...written } }))
				expect(answer).toContain("'Allowed Recipients' must not come from a model");
			expect(service.requests).toEqual([]);
		},
	);

	test('the person who tries a run need not be among them', async () => {
		const items = letters(1);
		const options = testing({ contactId: me }, { allowedRecipients: String(items[0]!.id) });
		expect((await run({ items, with: options })).error).toBeUndefined();
		expect(howOften(service, [{ id: me }, ...items])).toEqual([1, 0]);
	});
});
