import type { INodeParameters } from 'n8n-workflow';

import { credentialDiffers, invalidValues } from '../../nodes/ChatbotService/client/failure';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField, looksAlike } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { credentialFor, hintsOf, runNode, withEmulator, type RunOptions } from './harness';
import { lettersFor, problemOf, send } from './messages';

/*
 * What leaves is what was meant: values and credentials that an expression or another program has spoiled are refused before
 * anything leaves, and the error says what to do.
 */

const run = async (service: Emulator, options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credentialFor(service), ...options });

const notEvaluated = '{{ $json.name }}';

/** What a kind says about a value in a field. */
const saidOf = (kind: keyof typeof kinds, value: unknown, label: string) =>
	invalidValues([problemOf((kinds[kind] as typeof kinds.text)(value, label))]);

/** Every field that people fill in with a text, by its operation. */
const fields: Array<[title: string, field: string, more?: Record<string, unknown>]> = [
	['message/send', 'text'],
	['message/send', 'contactId'],
	['message/send', 'imageUrl', { content: ['image'] }],
	['message/send', 'fileUrl', { content: ['file'] }],
	['message/sendToWhatsApp', 'phone'],
	['message/sendToWhatsApp', 'contactName'],
	['message/sendToWhatsApp', 'botId'],
	['message/sendAndWait', 'message'],
	['tag/attach', 'tagName'],
	['contactVariable/upsert', 'variableName'],
	['contactVariable/upsert', 'variableValue'],
	['listSchema/create', 'listName'],
	['listSchema/addField', 'fieldName'],
	['listSchema/addField', 'newFieldSlug'],
	['listSchema/deleteField', 'fieldSlug'],
	['listSchema/get', 'schemaId'],
];

const filled = (title: string, changes: Record<string, unknown>) =>
	parametersOf(operationOf(title).variants[0]!, changes);

describe('an expression that n8n has not evaluated', () => {
	test.concurrent.each(fields)(
		'in %s is refused as the fixed text of %s, and in the data of its expression',
		withEmulator(async (service, title, field, more = {}) => {
			const typed = filled(title, { ...more, [field]: notEvaluated });
			const mapped = filled(title, { ...more, [field]: '={{ $json.template }}' });
			const picked = typed[field] as INodeParameters | string;
			if (typeof picked === 'object') picked.mode = 'name';
			for (const parameters of [typed, mapped]) {
				const { error } = await run(service, { parameters, items: [{ template: notEvaluated }] });
				const { message, description } = saidOf('text', notEvaluated, labelOf(title, field));
				expect(error?.message).toBe(`${message} [Item 0]`);
				expect(error?.description).toContain(description);
			}
			expect(service.requests).toEqual([]);
		}),
	);

	test.concurrent(
		'leaves as it is if it is a placeholder of the service',
		withEmulator(async (service) => {
			const text = 'Здравствуйте, {{name}}! Ваш город: {{ $Город }}, {{$jsonКлюч}}.';
			const { json } = await run(service, { items: [{ id: SEEDED.contacts.telegram, text }] });
			expect(json).toEqual([{ success: true }]);
			expect(service.deliveries().map((each) => each.text)).toEqual([text]);
		}),
	);
});

describe('a text that no person wrote', () => {
	test.concurrent.each<[string, string, unknown]>([
		['a date that cannot be read', "={{ DateTime.fromISO('вчера') }} жду вас", 'Invalid DateTime жду вас'],
		['a date of JavaScript that cannot be read', "={{ new Date('вчера') }}, жду", 'Invalid Date, жду'],
		['an object', '=Ваш адрес: {{ $json.address }}', 'Ваш адрес: [object Object]'],
	])(
		'is refused as a message: %s',
		withEmulator(async (service, _name, text, said) => {
			const items = [{ id: SEEDED.contacts.telegram, address: { city: 'Казань' } }];
			const { error } = await run(service, { parameters: { ...send, text }, items });
			expect(error?.message).toBe(
				`${saidOf('text', said, labelOf('message/send', 'text')).message} [Item 0]`,
			);
			expect(service.requests).toEqual([]);
		}),
	);

	test.concurrent.each(['=Здравствуйте, {{ $json.name.trim }}!', '=Сегодня {{ $now.toISO }}'])(
		'is refused as a message, or a method without its parentheses gives nothing: %s',
		withEmulator(async (service, text) => {
			await run(service, {
				parameters: { ...send, text },
				items: [{ id: SEEDED.contacts.vk, name: 'Анна' }],
			});
			for (const sent of service.deliveries()) expect(sent.text).toMatch(/^(?:Здравствуйте, !|Сегодня )$/);
		}),
	);
});

describe('a number that lost its digits', () => {
	const long = '7615917337495251231';
	const toPerson = { ...filled('message/send', {}), recipient: 'externalId', botId: '2048' };

	test.concurrent.each<[title: string, field: string, INodeParameters]>([
		['message/send', 'contactId', { ...send, contactId: '={{ $json.number }}', text: 'Привет' }],
		['message/send', 'externalId', { ...toPerson, externalId: '={{ $json.number }}' }],
		// A blank behind the braces makes a text of the number.
		['message/send', 'externalId', { ...toPerson, externalId: '={{ $json.number }} ' }],
		[
			'contactVariable/upsert',
			'variableValue',
			filled('contactVariable/upsert', { variableValue: '={{ $json.number }}' }),
		],
		['message/sendToWhatsApp', 'phone', filled('message/sendToWhatsApp', { phone: '={{ $json.number }}' })],
	])(
		'is refused, in %s as %s',
		withEmulator(async (service, title, field, parameters) => {
			const { error } = await run(service, { parameters, items: [{ number: Number(long) }] });
			const { message } = saidOf('text', Number(long), labelOf(title, field));
			expect(error?.message).toBe(`${message} [Item 0]`);
			expect(service.requests).toEqual([]);
		}),
	);

	test.concurrent.each<[string, INodeParameters, string]>([
		['an ID of a messenger', { ...toPerson, externalId: '={{ $json.number }}' }, 'contact_external_id'],
		[
			'the value of a variable',
			filled('contactVariable/upsert', { variableValue: '={{ $json.number }}' }),
			'value',
		],
	])(
		'leaves with all its digits if it is a text: %s',
		withEmulator(async (service, _name, parameters, wire) => {
			await run(service, { parameters, items: [{ number: long }] });
			expect(service.requests.map(({ input }) => input[wire])).toEqual([long]);
		}),
	);
});

describe('a name with characters that nobody sees', () => {
	const seen = 'Город';
	const unseen = '\u200bГо\u00adрод\ufeff';
	const upsert = (variableName: INodeParameters) => ({
		...filled('contactVariable/upsert', {}),
		variableName: { __rl: true, ...variableName },
	});

	test.concurrent(
		'is the name without them if it was typed, and stays if it was picked from the list',
		withEmulator(async (service) => {
			const values: INodeParameters[] = [
				{ mode: 'name', value: unseen },
				{ mode: 'name', value: '={{ $json.name }}' },
				{ mode: 'list', value: '={{ $json.name }}' },
				{ mode: 'list', value: unseen },
			];
			for (const value of values)
				await run(service, { parameters: upsert(value), items: [{ name: unseen }] });
			expect(service.requests.map(({ input }) => input.name)).toEqual([seen, seen, seen, unseen]);
		}),
	);

	test.concurrent.each<[string, string]>([
		['й of two characters', '\u0438\u0306од'],
		['a blank that does not break', 'VIP\u00a0клиент'],
		['direction marks', '\u202bVIP\u202c'],
	])(
		'is what a person sees: %s',
		withEmulator(async (service, _name, tag) => {
			const parameters = filled('tag/attach', { tagName: '={{ $json.tag }}' });
			await run(service, { parameters, items: [{ tag }] });
			const [{ input }] = service.requests as [(typeof service.requests)[number]];
			expect(['йод', 'VIP клиент', 'VIP']).toContain(input.name);
		}),
	);

	test.concurrent(
		'keeps its emoji in one piece',
		withEmulator(async (service) => {
			const family = 'Семья 👨‍👩‍👧 🏳️‍🌈';
			const parameters = filled('tag/attach', { tagName: '={{ $json.tag }}' });
			await run(service, { parameters, items: [{ tag: family }] });
			expect(service.requests.map(({ input }) => input.name)).toEqual([family]);
		}),
	);
});

describe('a credential with expressions', () => {
	const two = (service: Emulator) => lettersFor(service, 3).map((each, index) => ({ ...each, row: index }));

	test.concurrent.each<[string, Record<string, unknown>]>([
		['another token', { token: "={{ $json.row === 2 ? 'чужой' : 'свой' }}" }],
		['another address', { baseUrl: "={{ 'https://' + $json.row + '.example.com' }}" }],
		['no token', { token: '={{ $json.token.trim() }}' }],
	])(
		'sends nothing as soon as one item has %s',
		withEmulator(async (service, _name, changes) => {
			const items = two(service).map((each, index) => ({ ...each, ...(index < 2 && { token: 'свой' }) }));
			const { error } = await run(service, { items, credential: credentialFor(service, changes) });
			const { message } = credentialDiffers(0, 2);
			expect(error?.message).toBe(`${message} [Item 0]`);
			expect(error?.description).toContain('Loop Over Items');
			expect(service.requests).toEqual([]);
		}),
	);

	test.concurrent(
		'sends nothing if one of a hundred items has another token, and all others the default',
		withEmulator(async (service) => {
			const letters = lettersFor(service, 100);
			const items = letters.map((each, index) => ({ ...each, ...(index === 57 && { token: 'чужой' }) }));
			const credential = credentialFor(service, { token: `={{ $json.token || '${service.token}' }}` });
			const { error } = await run(service, { items, credential });
			expect(error?.description).toContain('item 57');
			expect(service.requests).toEqual([]);
		}),
	);

	test.concurrent(
		'sends everything if all items have the same address and token',
		withEmulator(async (service) => {
			const items = two(service).map((each) => ({ ...each, token: service.token }));
			const credential = credentialFor(service, { token: '={{ $json.token }}' });
			expect((await run(service, { items, credential })).json).toEqual(items.map(() => ({ success: true })));
		}),
	);
});

describe('advice', () => {
	test.concurrent(
		'a column that looks like the one in the expression is named',
		withEmulator(async (service) => {
			const parameters = { ...send, contactId: '={{ $json["Contact ID"] }}', text: 'Привет' };
			const { error } = await run(service, { parameters, items: [{ 'contact id ': 1048576 }] });
			const empty = emptyField(labelOf('message/send', 'contactId'));
			expect(error?.description).toBe(looksAlike(empty, 'contact id ').advice);
		}),
	);

	test.concurrent(
		'an empty value of a variable says how to remove the variable',
		withEmulator(async (service) => {
			const parameters = filled('contactVariable/upsert', { variableValue: '={{ $json.city }}' });
			const { error } = await run(service, { parameters, items: [{ city: '' }] });
			expect(error?.description).toContain(`'${operationOf('contactVariable/delete').label}'`);
			expect(service.requests).toEqual([]);
		}),
	);

	const greeting = { ...send, text: '=Здравствуйте, {{ $json.name }}! {{ $json.news?.toUpperCase() }}' };

	test.concurrent(
		'one notice says for how many items a part of the text was empty',
		withEmulator(async (service) => {
			const items = lettersFor(service, 12).map((each, index) => ({
				...each,
				name: index % 3 ? 'Анна' : '',
			}));
			const hints = hintsOf(await run(service, { parameters: greeting, items }));
			expect(service.deliveries()).toHaveLength(12);
			expect(hints).toHaveLength(1);
			expect(hints[0]).toMatch(
				/\{\{ \$json\.name \}\}.* 4 of 12.*\{\{ \$json\.news\?\.toUpperCase\(\) \}\}.* 12 of 12/,
			);
		}),
	);

	test.concurrent(
		'no notice for fewer than ten items, or for complete texts',
		withEmulator(async (service) => {
			const few = lettersFor(service, 9);
			const many = lettersFor(service, 12).map((each) => ({ ...each, name: 'Анна', news: 'да' }));
			for (const items of [few, many])
				expect(hintsOf(await run(service, { parameters: greeting, items }))).toEqual([]);
		}),
	);
});
