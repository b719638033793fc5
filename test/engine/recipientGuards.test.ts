import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { tooManyRecipients } from '../../nodes/ChatbotService/client/failure/failure';
import { notAllowed } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, SEEDED, type Contact } from '../../sandbox/emulator';
import { modes } from './everyOperation';
import {
	callInBothWays,
	credentialFor,
	runNode,
	useEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { lettersFor } from './messages';
import { howOften } from './once';
import { me, send, testing } from './testRun';

/* 'Maximum Recipients' and 'Allowed Recipients': nobody gets a message by mistake, whatever the data or a model says. */

const service = useEmulator();

const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credentialFor(service), ...options });

const withOptions = (options: IDataObject, parameters: INodeParameters = send) =>
	({ ...parameters, options }) as INodeParameters;

/** The errors of a run, by its mode in one or for each item. */
const errorsOf = ({ error, outputs }: RunResult) =>
	error ? [error.message] : outputs.flat().map(({ json }) => json.error);

const toWhatsApp: INodeParameters = {
	...{ resource: 'message', operation: 'sendToWhatsApp' },
	...{ botId: '={{ $json.botId }}', phone: '={{ $json.phone }}', text: 'Привет' },
};

const toPerson: INodeParameters = {
	...{ resource: 'message', operation: 'send', recipient: 'externalId', messenger: 'telegram' },
	...{ botId: '={{ $json.botId }}', externalId: '={{ $json.externalId }}', text: 'Привет' },
};

describe('Maximum Recipients', () => {
	const label = 'Maximum Recipients';
	const most = (mostRecipients: unknown) => withOptions({ mostRecipients } as IDataObject);

	test.each(modes)('%s: a run with more people is refused before anything leaves', async (onError) => {
		const items = lettersFor(service, 30);
		const result = await run({ items, node: { onError }, parameters: most(20) });
		const { message } = tooManyRecipients(30, label, 20);
		expect(message).toBe("This run has 30 recipients, more than 'Maximum Recipients' allows (20)");
		const errors = errorsOf(result);
		expect(errors).toEqual(errors.map((_, item) => `${message} [Item ${item}]`));
		expect(errors).toHaveLength(onError === 'stopWorkflow' ? 1 : 30);
		expect(service.requests).toEqual([]);
	});

	test.each(modes)('%s: people count, not messages', async (onError) => {
		const [item] = lettersFor(service, 1) as [{ id: number; text: string }];
		const items = [item, { ...item, text: 'Ещё' }, ...lettersFor(service, 1)];
		const parameters = withOptions({ mostRecipients: 2, sendOncePer: '={{ $json.text }}' });
		const result = await run({ items, node: { onError }, parameters });
		expect(result.json).toEqual(items.map(() => ({ success: true })));
	});

	test('a number in two spellings is one person', async () => {
		const [{ botId }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
		const items = ['+7 999 000-50-50', '8 (999) 000 50 50'].map((phone) => ({
			botId,
			phone,
			text: 'Привет',
		}));
		const parameters = withOptions({ mostRecipients: 1 }, { ...toWhatsApp, contactName: 'Анна' });
		expect((await run({ items, parameters })).json).toHaveLength(2);
	});

	test('an item that is wrong is nobody, and keeps its own error', async () => {
		const items = [...lettersFor(service, 2), { id: 'Анна', text: 'Привет' }];
		const { json } = await run({ items, node: { onError: 'continueRegularOutput' }, parameters: most(2) });
		expect(json.map(({ success, error }) => success ?? error)).toEqual([
			true,
			true,
			expect.stringContaining("'Contact ID'"),
		]);
	});

	test.each([
		'',
		0,
		-5,
		1.5,
		'много',
		'={{ $json.nothing }}',
		'={{ $itemIndex + 20 }}',
		"={{ $fromAI('most') }}",
	])('%j is refused, and nothing leaves', async (value) => {
		const items = lettersFor(service, 3);
		const { error } = await run({ items, parameters: most(value) });
		expect(error?.message).toContain(`'${label}'`);
		expect(service.requests).toEqual([]);
	});

	test('a test run tells of it too', async () => {
		const parameters = testing({ contactId: me }, { mostRecipients: 2 });
		const { error } = await run({ items: lettersFor(service, 3), parameters });
		expect(error?.message).toContain(tooManyRecipients(3, label, 2).message);
		expect(service.requests).toEqual([]);
	});
});

describe('Allowed Recipients', () => {
	const allowed = (allowedRecipients: unknown, parameters: INodeParameters = send) =>
		withOptions({ allowedRecipients } as IDataObject, parameters);

	const refused = (label: string, item: number) =>
		`${notAllowed('Allowed Recipients', label, '').message} [Item ${item}]`;

	test.each(modes)('%s: nobody else gets a message', async (onError) => {
		const items = lettersFor(service, 3);
		const parameters = allowed(`${items[0]!.id}, ${items[2]!.id}`);
		const result = await run({ items, node: { onError }, parameters });
		expect(errorsOf(result).filter(Boolean)).toEqual([refused('Contact ID', 1)]);
		expect(howOften(service, items)).toEqual(result.error ? [0, 0, 0] : [1, 0, 1]);
	});

	test.each([
		[
			'+79990005050',
			['8 (999) 000-50-50', '7 999 000 50 50', '79990005050@c.us', 79990005050],
			['+7 999 000-50-51'],
		],
		['8 999 000-50-50\n+7 999 000-50-52', ['+79990005050', '+79990005052'], ['+79990005053', '89990005051']],
	])('numbers are compared as people write them: %j', async (list, right, wrong) => {
		const [{ botId }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
		const parameters = allowed(list, { ...toWhatsApp, contactName: 'Анна' });
		for (const phone of right) {
			const { error } = await run({ items: [{ botId, phone }], parameters });
			expect([phone, error]).toEqual([phone, undefined]);
		}
		for (const phone of wrong) {
			const { error } = await run({ items: [{ botId, phone }], parameters });
			expect(error?.message).toBe(refused('Phone Number', 0));
		}
	});

	test.each(['whatsapp:+79990005050', 'Анна: +79990005050', '+79990005050 / +79990005051', '9990005050'])(
		'the entry %j names nobody, and is said to',
		async (list) => {
			const [{ botId }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
			const parameters = allowed(list, { ...toWhatsApp, contactName: 'Анна' });
			const { error } = await run({ items: [{ botId, phone: '+79990005050' }], parameters });
			expect(error?.description).toContain(`"${list}"`);
		},
	);

	test('messenger IDs and numbers of people in a messenger', async () => {
		const [known, other] = addContacts(service.data, 2, { messenger: 'telegram' }) as [Contact, Contact];
		const items = [known, other].map(({ botId, externalId }) => ({ botId, externalId }));
		const parameters = allowed(`+79160000000; ${known.externalId} `, toPerson);
		const { json } = await run({ items, parameters, node: { onError: 'continueRegularOutput' } });
		expect(json).toEqual([
			{ success: true },
			{ error: refused('Phone Number or Messenger ID', 1), message: expect.any(String) as string },
		]);
	});

	test.each([
		['a list', '={{ [$json.id, "1"] }}'],
		['a text', '={{ $json.id }}'],
		['a list as text', '=["{{ $json.id }}"]'],
	])('an expression can give %s for each item', async (_, list) => {
		const items = lettersFor(service, 2);
		expect((await run({ items, parameters: allowed(list) })).json).toHaveLength(2);
	});

	test.each([
		'',
		'  ',
		',',
		null,
		'={{ [] }}',
		'={{ $json.nobody.id }}',
		'={{ [null] }}',
		'={{ undefined }}',
	])('%j allows nobody', async (list) => {
		const result = await run({ items: lettersFor(service, 2), parameters: allowed(list) });
		expect(result.error?.message).toBe(refused('Contact ID', 0));
		expect(service.requests).toEqual([]);
	});

	test.each([
		"={{ $('Нет').item.json.id }}",
		'={{ [{ id: 1 }] }}',
		'{{ $json.id }}',
		"={{ $fromAI('list') }}",
	])('%j is refused by name', async (list) => {
		const node = { onError: 'continueRegularOutput' } as const;
		const result = await run({ items: lettersFor(service, 2), parameters: allowed(list), node });
		const named = expect.stringMatching(/^'Allowed Recipients' /) as string;
		expect(errorsOf(result)).toEqual([named, named]);
		expect(service.requests).toEqual([]);
	});

	test('an agent cannot write to anybody else, and reads why, in both ways', async () => {
		const parameters = {
			...allowed(String(me)),
			...{ contactId: "={{ $fromAI('contact', '', 'number') }}", text: 'Здравствуйте!' },
		};
		const tool = { parameters, credential: credentialFor(service) };
		const other = SEEDED.contacts.telegram;
		for (const [row] of (await callInBothWays(tool, { contact: other })) as IDataObject[][])
			expect(row!.error).toContain("'Contact ID' is not among 'Allowed Recipients'");
		expect(service.requests).toEqual([]);
		await callInBothWays(tool, { contact: me });
		expect(howOften(service, [{ id: me }, { id: other }])).toEqual([2, 0]);
	});

	test.each(["={{ $fromAI('allowed') }}", '={{ $json.allowed }}', '={{ $input.item.json.allowed }}'])(
		'a model that may fill in the list allows itself nobody: %s',
		async (list) => {
			const parameters = {
				...allowed(list),
				...{ contactId: "={{ $fromAI('contact', '', 'number') }}", text: 'Здравствуйте!' },
			};
			const tool = { parameters, credential: credentialFor(service) };
			for (const [row] of (await callInBothWays(tool, {
				contact: me,
				allowed: String(me),
			})) as IDataObject[][])
				expect(row!.error).toContain("'Allowed Recipients' must not come from a model");
			expect(service.requests).toEqual([]);
		},
	);

	test('the person who tries a run need not be among them', async () => {
		const items = lettersFor(service, 1);
		const parameters = testing({ contactId: me }, { allowedRecipients: String(items[0]!.id) });
		expect((await run({ items, parameters })).error).toBeUndefined();
		expect(howOften(service, [{ id: me }, ...items])).toEqual([1, 0]);
	});
});
