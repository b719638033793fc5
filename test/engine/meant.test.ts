import type { INodeParameters } from 'n8n-workflow';

import {
	credentialDiffers,
	credentialUnreadable,
	invalidValues,
} from '../../nodes/ChatbotService/client/failure/failure';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import { text as textKind } from '../../nodes/ChatbotService/resources/kinds';
import { noticeOfLength, noticeOfMessenger } from '../../nodes/ChatbotService/resources/message/limits';
import { emptyField, looksAlike } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';
import { lettersFor, problemOf, send } from './messages';

/*
 * What leaves is what was meant: values and credentials that an expression or another program has spoiled are refused before
 * anything leaves, and the error says what to do.
 */

const service = useEmulator();

const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credentialFor(service), ...options });

const filled = (title: string, changes: Record<string, unknown>) =>
	parametersOf(operationOf(title).variants[0]!, changes);

/** Runs one item, of which a value is refused before anything leaves. */
async function expectRefused(parameters: INodeParameters, item: object, value: unknown, label: string) {
	const { error } = await run({ parameters, items: [item as never] });
	const { message, description } = invalidValues([problemOf(checkAs(textKind, value, label))]);
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(error?.description).toContain(description);
	expect(service.requests).toEqual([]);
}

describe('an expression that n8n has not evaluated', () => {
	const notEvaluated = '{{ $json.name }}';

	test.each<[title: string, field: string, more?: Record<string, unknown>]>([
		['message/send', 'text', {}],
		['message/send', 'imageUrl', { content: ['image'] }],
		['message/sendAndWait', 'message', {}],
		['contactVariable/upsert', 'variableValue', {}],
		['tag/attach', 'tagName', {}],
	])(
		'in %s is refused as the fixed text of %s, and in the data of its expression',
		async (title, field, more) => {
			for (const value of [notEvaluated, '={{ $json.template }}']) {
				const parameters = filled(title, { ...more, [field]: value });
				await expectRefused(parameters, { template: notEvaluated }, notEvaluated, labelOf(title, field));
			}
		},
	);
});

test.each<[string, string, unknown]>([
	['a date that cannot be read', "={{ DateTime.fromISO('вчера') }} жду вас", 'Invalid DateTime жду вас'],
	['a date of JavaScript that cannot be read', "={{ new Date('вчера') }}, жду", 'Invalid Date, жду'],
	[
		'a date beside the same words',
		"=Не Invalid Date: {{ new Date('вчера') }}",
		'Не Invalid Date: Invalid Date',
	],
	['an object', '=Ваш адрес: {{ $json.address }}', 'Ваш адрес: [object Object]'],
])('%s is refused as a part of a message', async (_, text, said) => {
	const item = { id: SEEDED.contacts.telegram, address: { city: 'Казань' } };
	await expectRefused({ ...send, text }, item, said, labelOf('message/send', 'text'));
});

/* Only code writes these by mistake. */
describe.each([
	'function f() { return 1; }',
	'if (x) { return y }',
	'(a) => { throw 1 }',
	'a:not(.b) { try { } }',
	'Если видите «Invalid Date», обновите страницу',
	'Invalid DateTime',
	'[object Object]',
	'class A { constructor() { super() } } [native code]',
])('the words %j', (words) => {
	const item = { id: SEEDED.contacts.telegram, words, name: 'Анна' };
	const columns = (article: unknown) => goodsColumns({ title: 'Розы', article });
	const inFields: Array<[title: string, field: string, label: string, changes: (value: unknown) => object]> =
		[
			['message/send', 'text', labelOf('message/send', 'text'), (text) => ({ text, content: ['text'] })],
			[
				'message/sendAndWait',
				'message',
				labelOf('message/sendAndWait', 'message'),
				(message) => ({ message }),
			],
			[
				...(['contactVariable/upsert', 'variableValue'] as const),
				labelOf('contactVariable/upsert', 'variableValue'),
				(variableValue) => ({ variableValue }),
			],
			[
				...(['contactVariable/upsert', 'variableName'] as const),
				labelOf('contactVariable/upsert', 'variableName'),
				(variableName) => ({ variableName }),
			],
			[
				'listItem/create',
				'columns',
				columns('').schema[2]!.displayName,
				(value) => ({ columns: columns(value) }),
			],
		];

	test.each(inFields)('are sent as a person types them, in %s as %s', async (title, _, __, changes) => {
		for (const typed of [words, `=Анна, ${words}`, `=${words}: {{ $json.name }}`]) {
			const { error } = await run({ parameters: filled(title, { ...changes(typed) }), items: [item] });
			expect(error).toBeUndefined();
			expect(JSON.stringify(service.requests.at(-1)!.input)).toContain(JSON.stringify(words).slice(1, -1));
		}
	});

	test.each(inFields)('are refused from an expression, in %s as %s', async (title, _, label, changes) => {
		const parts = [
			['={{ $json.words }}', words],
			['=Анна, {{ $json.words }}', `Анна, ${words}`],
			["={{ 'Анна, ' + $json.words }}", `Анна, ${words}`],
		] as const;
		for (const [value, said] of parts)
			await expectRefused(filled(title, { ...changes(value) }), item, said, label);
	});
});

describe('a number that lost its digits', () => {
	const long = '7615917337495251231';
	const toPerson = { ...filled('message/send', {}), recipient: 'externalId', botId: '2048' };

	test.each<[title: string, field: string, INodeParameters]>([
		['message/send', 'contactId', { ...send, contactId: '={{ $json.number }}', text: 'Привет' }],
		// A blank behind the braces makes a text of the number.
		['message/send', 'externalId', { ...toPerson, externalId: '={{ $json.number }} ' }],
	])('is refused, in %s as %s', async (title, field, parameters) => {
		await expectRefused(parameters, { number: Number(long) }, Number(long), labelOf(title, field));
	});
});

test('a name with characters that nobody sees is the name without them, unless it was picked from the list', async () => {
	const unseen = '\u200bГо\u00adрод\ufeff';
	const family = 'Семья 👨‍👩‍👧 🏳️‍🌈';
	for (const [mode, value] of [
		['name', unseen],
		['list', '={{ $json.name }}'],
		['list', unseen],
		['name', '\u0438\u0306од\u00a0для\u202bVIP\u202c'],
		['name', family],
	]) {
		const variableName = { __rl: true, mode, value } as INodeParameters;
		const parameters = { ...filled('contactVariable/upsert', {}), variableName };
		await run({ parameters, items: [{ name: unseen }] });
	}
	const sent = service.requests.map(({ input }) => input.name);
	expect(sent).toEqual(['Город', 'Город', unseen, 'йод дляVIP', family]);
});

/* An empty list as text: texts that are no name, and how names are read, are in pasted/names.ts. */
test.each<[title: string, field: string]>([
	['contact/upsert', 'contactName'],
	['contactVariable/upsert', 'variableName'],
	['tag/attach', 'tagName'],
	['tag/detach', 'tagName'],
])('%s: an empty list as text is an empty %s', async (title, field) => {
	for (const name of ['[]', '""']) {
		const { error } = await run({
			parameters: filled(title, { [field]: '={{ $json.name }}' }),
			items: [{ name }],
		});
		expect(error?.message).toBe(`${emptyField(labelOf(title, field)).message} [Item 0]`);
	}
	expect(service.requests).toEqual([]);
});

describe('a credential with expressions', () => {
	const letters = () => lettersFor(service, 3).map((each, row) => ({ ...each, row, token: service.token }));

	test.each<[string, Record<string, unknown>]>([
		['another token', { token: "={{ $json.row === 2 ? 'чужой' : 'свой' }}" }],
		['another address', { baseUrl: "={{ 'https://' + ($json.row > 1) + '.example.com' }}" }],
		['no token', { token: "={{ $json.row < 2 ? 'свой' : $json.missing.trim() }}" }],
	])('sends nothing as soon as one item has %s', async (_, changes) => {
		const { error } = await run({ items: letters(), credential: credentialFor(service, changes) });
		expect(error?.message).toBe(`${credentialDiffers(0, 2).message} [Item 0]`);
		expect(error?.description).toContain('Loop Over Items');
		expect(service.requests).toEqual([]);
	});

	test.each([1, 4, 7, 10])(
		"sends nothing if n8n cannot read it the %i. time, and passes on n8n's words",
		async (time) => {
			const words = 'Credential with ID "7" does not exist for type "chatbotServiceApi".';
			const unread = credentialUnreadable(new Error(words));
			let reads = 0;
			const stored = credentialFor(service);
			const credential = Object.create(stored, {
				token: {
					enumerable: true,
					get() {
						if (++reads >= time) throw new Error(words);
						return stored.token;
					},
				},
			}) as typeof stored;
			const { error } = await run({ items: letters(), credential });
			expect(error?.message).toBe(`${unread.message} [Item 0]`);
			expect(error?.description).toContain(unread.description);
			expect(service.requests).toEqual([]);
		},
	);

	test('sends everything if all items have the same address and token', async () => {
		const credential = credentialFor(service, { token: '={{ $json.token }}' });
		const { json } = await run({ items: letters(), credential });
		expect(json).toEqual([1, 2, 3].map(() => ({ success: true })));
	});
});

describe('advice', () => {
	test('a column that looks like the one in the expression is named', async () => {
		const parameters = { ...send, contactId: '={{ $json["Contact ID"] }}', text: 'Привет' };
		const { error } = await run({ parameters, items: [{ 'contact id ': 1048576 }] });
		const empty = emptyField(labelOf('message/send', 'contactId'));
		expect(error?.description).toBe(looksAlike(empty, 'contact id ').advice);
	});

	test('one notice says for how many of many items a part of the text was empty', async () => {
		const text = '=Здравствуйте, {{ $json.name }}! {{ $json.news?.toUpperCase() }}';
		const hintsFor = async (count: number) => {
			const items = lettersFor(service, count);
			const empty = ['', ' ', '\u200b'];
			const named = items.map((each, row) => ({ ...each, name: row % 3 ? 'Анна' : empty[(row / 3) % 3]! }));
			return hintsOf(await run({ parameters: { ...send, text }, items: named }));
		};
		expect(await hintsFor(12)).toEqual([
			expect.stringMatching(/\{\{ \$json\.name \}\}.* 4 of 12.*\{\{ \$json\.news\?.* \}\}.* 12 of 12/),
		]);
		expect(await hintsFor(9)).toEqual([]);
	});

	const ofMessenger = (name: string) => noticeOfMessenger(labelOf('message/send', 'contactMessenger'), name)!;

	test.each<[string, unknown[], string[]]>([
		['one, twice', ['widget', 'vk', 'widget'], [`${ofMessenger('widget')} (2 of 3 items)`]],
		['two', ['a', 'b', 'vk'], ['a', 'b'].map((name) => `${ofMessenger(name)} (1 of 3 items)`)],
		['an error of a spreadsheet', ['#Н/Д', undefined, ''], [`${ofMessenger('#Н/Д')} (1 of 3 items)`]],
		['a name like WhatsApp', ['WABA', 'vk', 'max'], []],
		['none', ['', undefined, 'Not Known', 'Неизвестно', [], ['']], []],
		['others of the service', ['avito', 'facebook', 'icq', 'instagram', 'odnoklassniki', 'ok'], []],
	])(
		'messengers that the node does not know stop no message, and are named: %s',
		async (_, names, notices) => {
			const items = lettersFor(service, names.length).map((each, row) => ({
				...each,
				messenger: names[row],
			}));
			const parameters = { ...send, contactMessenger: '={{ $json.messenger }}' };
			const result = await run({ parameters, items: items as never });
			expect(result.json).toEqual(items.map(() => ({ success: true })));
			expect(hintsOf(result).join()).toBe(notices.join('<br>'));
		},
	);

	test.each<[string, most: number, RegExp]>([
		['max', 4000, /more than the 4000 characters that MAX takes/],
		['telegram', 4096, /more than the 4096 characters that Telegram takes/],
		['viber', 7000, /more than the 7000 characters that Viber takes/],
		['vk', 4096, /more than the 4096 characters that VK takes/],
		['unknown', 4096, /more than the 4096 characters that most messengers take/],
	])('after the run, a notice names texts that are too long: in %s, above %i', async (...row) => {
		const [messenger, most, notice] = row;
		const [person] = lettersFor(service, 1);
		const hintsFor = async (length: number) => {
			const items = [{ ...person!, text: 'я'.repeat(length) }];
			return hintsOf(await run({ parameters: { ...send, contactMessenger: messenger }, items }));
		};
		expect(await hintsFor(most + 1)).toEqual([expect.stringMatching(notice)]);
		expect(await hintsFor(most)).toEqual([]);
	});

	test('a notice names a text that is too long for a number in WhatsApp', async () => {
		const text = 'я'.repeat(4097);
		const result = await run({ parameters: filled('message/sendToWhatsApp', { text }) });
		expect(hintsOf(result)).toEqual([noticeOfLength(text, 'whatsapp')]);
	});

	test('one notice says both: that the text is too long, and that its messenger is not known', async () => {
		const items = lettersFor(service, 1).map((each) => ({ ...each, text: 'я'.repeat(4097) }));
		const result = await run({ parameters: { ...send, contactMessenger: '={{ "widget" }}' }, items });
		const said = [noticeOfLength(items[0]!.text, 'widget'), ofMessenger('widget')];
		expect(hintsOf(result)).toEqual([said.join('. ')]);
	});
});
