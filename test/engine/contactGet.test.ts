import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nobodyFound, tokenRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import {
	callAsTool,
	credentialFor,
	hintsOf,
	retryNode,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
} from './harness';

/* Contact, Get: who comes out for each item, what nobody means, and how few requests it takes. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const by = (
	findBy: string,
	findValue = '={{ $json.wanted }}',
	more: INodeParameters = {},
): INodeParameters => ({
	...{ resource: 'contact', operation: 'get', findBy, findValue },
	...more,
});

const wanted = (...values: unknown[]) => values.map((value) => ({ wanted: value }) as IDataObject);

const get = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), ...options });

const errorOutput = { node: { onError: 'continueErrorOutput' } } as const;

/** The IDs that come out, with the items that they belong to. */
const foundIn = ({ outputs }: Awaited<ReturnType<typeof get>>) =>
	outputs[0]!.map(({ json, pairedItem }) => [json.id, (pairedItem as { item: number }).item]);

/** 1,200 contacts besides the seeded ones, with phone numbers and emails of their own. */
function crowd(count = 1200) {
	const added = addContacts(service.data, count);
	added.forEach((contact, index) =>
		Object.assign(contact, { phone: `7999${1_000_000 + index}`, email: `guest${index}@example.com` }),
	);
	return added;
}

const requests = () => service.requests.map(({ operation }) => operation);

test.each<[string, unknown]>([
	['id', contacts.telegram],
	['id', ` ${contacts.telegram}.0 `],
	['phone', '8 (916) 123-45-67'],
	['phone', 79161234567],
	['email', 'Anna.Sokolova@example.com '],
	...[284119035, '284 119 035', '@Anna_Sokolova_Kazan', 'https://t.me/anna_sokolova_kazan'].map(
		(value): [string, unknown] => ['messengerId', value],
	),
	['messengerId', 'anna_sokolova_kazan'],
	['email', 'Анна Соколова <anna.sokolova@example.com>'],
])('a contact is found by its %s, written as %p', async (way, value) => {
	const result = await get(by(way), { items: wanted(value) });
	expect([result.error, hintsOf(result)]).toEqual([undefined, []]);
	expect(result.json).toMatchObject([{ id: contacts.telegram, name: 'Анна Соколова' }]);
});

test('every match comes out, each item has its own', async () => {
	const [twin] = addContacts(service.data, 600, { botId: bots.flowers }).slice(-1);
	Object.assign(twin!, { phone: '79161234567' });
	const items = wanted('+7 916 123 45 67', '+79035550101', '8 916 123-45-67');
	const result = await get(by('phone'), { items });
	expect(foundIn(result)).toEqual([
		...[contacts.telegram, twin!.id].map((id) => [id, 0]),
		[contacts.whatsapp, 1],
		...[contacts.telegram, twin!.id].map((id) => [id, 2]),
	]);
	// A later node can change one of them.
	result.outputs[0]![0]!.json.name = 'Другая';
	expect(result.outputs[0]![3]!.json.name).toBe('Анна Соколова');
	const ofSchool = await get(by('phone', undefined, { botId: String(bots.school) }), { items });
	expect(foundIn(ofSchool).map(([id]) => id)).toEqual([
		contacts.telegram,
		contacts.whatsapp,
		contacts.telegram,
	]);
});

describe('nobody', () => {
	test('is a failure of its item, which keeps its fields, and the others come out', async () => {
		addContacts(service.data, 600);
		const items = wanted('+79161234567', '+79990000000', '+79035550101');
		const result = await get(by('phone'), { items, ...errorOutput });
		const { message, description } = nobodyFound('Phone', '+79990000000', service.data.contacts.size);
		expect(foundIn(result)).toEqual([
			[contacts.telegram, 0],
			[contacts.whatsapp, 2],
		]);
		expect(result.outputs[1]).toEqual([
			{
				json: { ...items[1], error: `${message} [Item 1]`, message: description },
				pairedItem: { item: 1 },
			},
		]);
	});

	test('ends the run in stop mode, and Retry finds a contact that has been created since', async () => {
		const failed = await get(by('phone'), { items: wanted('+79161234567', '+79990000000') });
		expect(failed.error?.message).toBe(`${nobodyFound('Phone', '', 0).message} [Item 1]`);
		const [guest] = addContacts(service.data, 1);
		Object.assign(guest!, { phone: '79990000000' });
		const retried = await retryNode(failed);
		expect(foundIn(retried)).toEqual([
			[contacts.telegram, 0],
			[guest!.id, 1],
		]);
	});

	test('is told to a model, as its answer', async () => {
		const parameters = by('phone', "={{ $fromAI('phone') }}");
		const said = await callAsTool({ parameters, credential: credentialFor(service) }, [
			{ arguments: { phone: '+79990000000' } },
		]);
		expect(JSON.stringify(said)).toContain(nobodyFound('Phone', '', 0).message);
	});

	test('of 3,000 items costs one reading of the contacts', async () => {
		crowd();
		const items = wanted(...Array.from({ length: 3000 }, (_, index) => `+7988${1_000_000 + index}`));
		const result = await get(by('phone'), { items, ...errorOutput });
		expect(result.outputs.map((output) => output.length)).toEqual([0, 3000]);
		expect(requests()).toEqual(['getContacts', 'getContacts', 'getContacts']);
	});
});

describe('a value that no one means', () => {
	const label = { email: 'Email', id: 'Contact ID', messengerId: 'Messenger ID', phone: 'Phone' };
	const given = '={{ $json.wanted }}';
	type Row = [keyof typeof label, string, unknown, string];

	test.each<Row>([
		...(['email', 'id', 'messengerId', 'phone'] as const).map((way): Row => {
			return [way, given, '', emptyField(label[way]).message];
		}),
		['phone', '=+7916123{{ $json.wanted }}4567', undefined, lostPart('Phone', []).message],
		['email', '={{ $json.wanted }}@example.com', null, lostPart('Email', []).message],
		['id', given, 'Анна', "'Contact ID' must be a whole number"],
		['phone', given, 'Анна', "'Phone' is not a valid phone number"],
		['phone', given, ['+79161234567', '+79035550101'], "'Phone' contains a list"],
		...['+79161234567', '@', 'нет', '-', 'Анна Соколова', 'vk.com/anna', '0'].map((value): Row => {
			return ['messengerId', given, value, "'Messenger ID' is not an ID in this messenger"];
		}),
		['email', given, 'нет', "'Email' is not an email address"],
		['phone', given, '9161234567', "'Phone' is not a valid phone number"],
		['email', given, 'undefined', "'Email' holds no name"],
	])('is refused in %s: %p with %p', async (way, findValue, value, message) => {
		const { error } = await get(by(way, findValue), { items: wanted(value) });
		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});

	test('is refused from a model too', async () => {
		const parameters = by('phone', "={{ $fromAI('phone', '', 'string') }}");
		const said = await callAsTool({ parameters, credential: credentialFor(service) }, [
			{ arguments: { phone: '' } },
		]);
		expect(JSON.stringify(said)).toContain(emptyField('Phone').message);
		expect(service.requests).toEqual([]);
	});

	test('is refused before anything leaves in stop mode', async () => {
		const { error } = await get(by('phone'), { items: wanted('+79161234567', '') });
		expect(error?.message).toBe(`${emptyField('Phone').message} [Item 1]`);
		expect(service.requests).toEqual([]);
	});

	test('is not taken from the filters of another operation that the node has kept', async () => {
		const filters = { messenger: 'viber', hasAllTags: 'Никто', email: '' };
		const result = await get(by('id', String(contacts.telegram), { filters, returnAll: false, limit: 1 }));
		expect(foundIn(result)).toEqual([[contacts.telegram, 0]]);
		expect(service.requests[0]!.query).not.toHaveProperty('with');
	});
});

describe('the contacts are read once for all items', () => {
	test('300 people among 1,200 contacts take 3 requests', async () => {
		const people = crowd().filter((_, index) => index % 4 === 0);
		const result = await get(by('phone'), { items: wanted(...people.map(({ phone }) => phone)) });
		expect(foundIn(result)).toEqual(people.map(({ id }, item) => [id, item]));
		expect(requests()).toEqual(['getContacts', 'getContacts', 'getContacts']);
	});

	test('by ID, only as far as the last of them', async () => {
		const people = crowd().slice(100, 300);
		const result = await get(by('id'), { items: wanted(...people.map(({ id }) => id)) });
		expect(foundIn(result)).toEqual(people.map(({ id }, item) => [id, item]));
		expect(requests()).toEqual(['getContacts']);
	});

	test('but those of each bot by themselves', async () => {
		const items = [bots.school, bots.flowers, bots.school].map((bot) => ({ bot, wanted: '+79161234567' }));
		const result = await get(by('phone', undefined, { botId: '={{ $json.bot }}' }), {
			items,
			...errorOutput,
		});
		expect(foundIn(result)).toEqual([
			[contacts.telegram, 0],
			[contacts.telegram, 2],
		]);
		expect(service.requests.map(({ input }) => input.bot_id)).toEqual(['101', '102']);
	});

	test('also where a contact comes while they are read', async () => {
		service.dialect.pages = 'shifting';
		const people = crowd();
		const result = await get(by('phone'), { items: wanted(...people.map(({ phone }) => phone)) });
		expect(foundIn(result)).toEqual(people.map(({ id }, item) => [id, item]));
	});

	test('a refusal is told once, and nothing more is sent', async () => {
		service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
		const items = wanted(...crowd(50).map(({ phone }) => phone));
		const result = await get(by('phone'), { items, ...errorOutput });
		expect(result.outputs[1]).toHaveLength(50);
		expect(String(result.outputs[1]![0]!.json.error)).toContain(tokenRefused(401).message);
		// The third refusal in a row ends the run. Until it is counted, ten requests are in progress, after two that were refused.
		expect(service.requests.length).toBeLessThanOrEqual(2 + 10);
	});

	test('until the user stops the execution', async () => {
		const people = crowd();
		service.faults.add({ kind: 'delay', ms: 60_000, match: { nth: 2 } });
		const items = wanted(...people.map(({ phone }) => phone));
		const { ended, stop } = stoppable(
			async (onStart) => await get(by('phone'), { items, onStart, credential: credentialFor(service) }),
		);
		await until(() => service.requests.length > 1);
		const stoppedAt = performance.now();
		stop();
		await ended;
		expect(performance.now() - stoppedAt).toBeLessThan(1000);
		expect(service.requests).toHaveLength(2);
	});
});

describe('tags and variables', () => {
	const include = { include: ['tags', 'variables'] };

	test('come where the service returns them, and are asked for where it does not', async () => {
		const items = wanted('+79161234567', '+79035550101', '+79161234567');
		const usual = await get(by('phone', undefined, include), { items });
		expect(usual.json.map(({ tags }) => tags)).toEqual(
			[contacts.telegram, contacts.whatsapp, contacts.telegram].map(
				(id) => service.data.contacts.get(id)!.tags,
			),
		);
		expect(requests()).toEqual(['getContacts']);
		service.requests.length = 0;
		service.dialect.with = 'ignored';
		const asked = await get(by('phone', undefined, include), { items });
		expect(asked.json).toEqual(usual.json);
		// Only those of contacts that were found, and once for each.
		expect(requests()).toEqual(['getContacts', 'getContactTags', 'getContactTags']);
		expect(hintsOf(asked).join()).toContain('returns contacts without tags');
	});

	test('of a contact that was deleted meanwhile are nobody', async () => {
		service.dialect.with = 'ignored';
		service.faults.add({
			...{ kind: 'answer', status: 404, body: { message: 'Контакт не найден' } },
			match: { path: 'getContactTags' },
		});
		const { error } = await get(by('phone', '+79161234567', include));
		expect(error?.message).toContain(nobodyFound('Phone', '', 0).message);
	});
});

test('contacts without a value are not found by an empty one that looks like one', async () => {
	const answering = await startAnswering(() => ({
		data: [
			{ id: 1, phone: null, email: null, telegram_id: null, telegram_username: null },
			{ id: null, phone: '79161234567', email: 'null', telegram_id: '5' },
		],
	}));
	const credential = credentialFor(answering);
	for (const [way, value] of [
		['email', 'null@example.com'],
		['messengerId', '@null'],
		['id', '5'],
	] as const) {
		const { error } = await get(by(way, value), { credential });
		expect(error?.message).toContain('No contact');
	}
	const found = await get(by('phone', '+79161234567'), { credential });
	expect(found.json).toMatchObject([{ phone: '79161234567' }]);
});
