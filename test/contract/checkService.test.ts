/** `npm run check:service` finds what differs from docs/openapi.yaml, tells nothing about the account, and removes what it writes. */

import { tagAttach } from '../../nodes/ChatbotService/resources/tag/attach';
import { startEmulator, type Emulator, type Fault } from '../../sandbox/emulator';
import { Session } from '../../tools/checkService/session';
import { write, type Left } from '../../tools/checkService/writing';
import { useEmulator } from './client';
import { allowed, runCheck } from './serviceCheck';

const service = useEmulator();

const none = 'Differences from docs/openapi.yaml: none';

const answer = (path: string, status: number, body: unknown): Fault => ({
	...{ kind: 'answer', status, body },
	match: { path },
});

const stored = ({ contacts, listSchemas, listItems }: Emulator['data'] = service.data) =>
	JSON.stringify([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);

test.each(['watbot', 'cleverapp', 'onebot', 'jetbot', 'leadtex'])(
	'%s agrees, and stays as it was',
	async (name) => {
		const own = await startEmulator({ service: name });
		try {
			const before = stored(own.data);
			const { report, error } = await runCheck(own, allowed);
			expect([report, error]).toEqual([expect.stringContaining(none), undefined]);
			expect(stored(own.data)).toBe(before);
		} finally {
			await own.stop();
		}
	},
);

const time = '2026-01-01T00:00:00+00:00';
const vk = {
	bot_id: 101,
	name: 'Анна',
	messenger: 'vk',
	email: null,
	address: null,
	utm: null,
	created_at: time,
};

test.each<[string, Fault | Partial<Emulator['dialect']>, string, string, string]>([
	[
		'a missing field',
		answer('getContacts', 200, { data: [{ id: 1, ...vk }] }),
		'data.*.phone',
		"must have required property 'phone': Phone number; null when none is known (documented).",
		'missing',
	],
	['another type', answer('getContactTags', 200, { data: [1] }), 'data.*', 'must be string', 'integer'],
	[
		'another form',
		answer('getListItems', 200, { data: [{ id: 'a1', created_at: '07 мая', updated_at: time }] }),
		'data.*.created_at',
		'When an item was created or changed, in UTC (seen at WatBot).',
		'"99 aaa"',
	],
	[
		'an unknown field',
		answer('getBotTags', 200, { data: [], last_seen: 'вчера' }),
		'…',
		'must NOT have additional properties',
		'string',
	],
	['an unknown status', answer('getBotTags', 418, {}), 'status', '200: ', '418'],
	[
		'a refusal',
		answer('getListItems', 403, { message: 'Forbidden' }),
		'status',
		'200: Up to 500 items',
		'403',
	],
	[
		'an accepted token',
		answer('getListSchemas', 200, { data: [] }),
		'status',
		'401: The token is missing or unknown',
		'200',
	],
	['a known stranger', answer('getContactTags', 200, { data: [] }), 'status', '404: Unknown contact', '200'],
	[
		'a page',
		{ kind: 'html', match: { path: 'getBotTags' } },
		'content type',
		'application/json',
		'text/html',
	],
	[
		'a warning',
		{ kind: 'php warning', match: { path: 'getContacts' } },
		'content type',
		'application/json',
		'text/html',
	],
	['no JSON', { kind: 'malformed', match: { path: 'getBotTags' } }, 'answer', 'application/json', 'no JSON'],
	['no answer', { kind: 'reset', match: { path: 'getListSchema' } }, 'answer', 'One list', 'none'],
	['an ignored filter', { filters: 'ignored' }, 'filters', '(seen at WatBot)', 'items without the value'],
	[
		'a page twice',
		{ pages: 'repeated' },
		'page',
		'(documented by WatBot, seen at LEADTEX)',
		'page 2 repeats page 1',
	],
])('%s is found and named', async (_title, different, place, says, came) => {
	if ('kind' in different) service.faults.add(different);
	else Object.assign(service.dialect, different);
	const { report } = await runCheck(service);
	const rows = report.split('\n').map((line) => line.split(' | '));
	expect(rows).toContainEqual([expect.any(String), place, expect.stringContaining(says), `${came} |`]);
});

test.each([
	['createListSchema', [], 'it is not there'],
	['setContactVariable', [], 'it is not there'],
	['deleteListItem', [], 'it is still there'],
	['deleteListSchema', [], 'it is still there'],
])('%s that does nothing is found and named', async (path, body, came) => {
	service.faults.add(answer(path, 200, body));
	const { report } = await runCheck(service, allowed);
	expect(report).toMatch(new RegExp(`\\| ${path} \\| effect \\| .* \\| ${came} \\|`));
});

test('A hostile service gets nothing of the account into the report', async () => {
	const { contacts, listSchemas, listItems } = service.data;
	const { name, phone, variables, tags } = contacts.get(5001)!;
	const mixed = {
		[service.token]: name,
		[name]: 1,
		[phone!]: { [tags[0]!]: 1 },
		[variables[0]!.name]: 1,
		city: 1,
	};
	const said = { message: `${service.token} ${name}`, errors: { passport: [name], [name]: phone }, ...mixed };
	const bodies = {
		getListSchemas: {
			data: [{ id: name, fields: { client_phone: { ...mixed, type: 'string' } } }],
			...mixed,
		},
		getContacts: { data: [{ id: 5001, created_at: name, ...mixed }] },
		getContactVariables: { data: [{ name: 'city', ...mixed }] },
		getListItems: { data: [{ old_field: [1] }], ...said },
		...{ createListSchema: { data: { id: name, ...mixed } }, attachTagToContact: said },
	};
	for (const [path, body] of Object.entries(bodies)) {
		const headers = { 'content-type': `application/json; ${encodeURI(name)}`, 'x-anna': '1' };
		service.faults.add({ ...answer(path, 200, body), headers } as Fault);
	}
	for (const path of ['getContactTags', 'getBotTags']) service.faults.add(answer(path, 422, said));
	const { report, said: toPerson } = await runCheck(service, allowed);
	const texts = textsIn([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);
	// Other words, such as the names of messengers, may be those of docs/openapi.yaml.
	const personal = texts.filter((text) => /[а-яё@]|\d{4}/i.test(text));
	expect(personal.length).toBeGreaterThan(100);
	const made = /n8n check [\da-f]{12}/.exec(JSON.stringify(service.requests))![0];
	const own = ['city', 'client_phone', 'old_field', 'passport', 'x-anna'];
	for (const text of [...personal, ...own, service.token, made]) expect(report).not.toContain(text);
	expect(toPerson).toMatch(/hides these names.*"city"/);
	expect(toPerson).not.toContain(service.token);
});

const textsIn = (value: unknown): string[] =>
	typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

const changes = () => service.requests.filter(({ operation }) => !operation!.startsWith('get'));

test('Without --write, it says that it only reads, and does', async () => {
	const { said, report } = await runCheck(service);
	expect(said).toMatch(/^\s*This check .*\n\n- It only reads/);
	expect(report).toContain(none);
	expect(changes()).toEqual([]);
	const session = new Session({ credential: { baseUrl: service.url, token: service.token } });
	await expect(session.read('', tagAttach, {})).rejects.toThrow('does not only read');
});

test.each<[string, object, string[] | undefined, string]>([
	['no address', { url: '' }, undefined, 'Copy it from the browser'],
	['no token', { token: '' }, undefined, 'paste the token'],
	[
		'a wrong token',
		{ token: 'wrong' },
		undefined,
		'after the first call. The service does not accept the token',
	],
	['a name for the ID', {}, ['Анна', 'write'], 'whole number above 0'],
	['an ID with a fraction', {}, ['5001.5', 'write'], 'whole number above 0'],
	['the ID 0', {}, ['0', 'write'], 'whole number above 0'],
])('With %s, it ends and says why', async (_title, given, answers, reason) => {
	const { error } = await runCheck({ url: service.url, token: service.token, ...given }, answers);
	expect(error?.message).toContain(reason);
	expect(changes()).toEqual([]);
});

test('An unknown argument ends it', async () => {
	const { error } = await runCheck(service, undefined, { args: ['--wirte'] });
	expect(error?.message).toMatch(/Unknown argument: --wirte.*check:service -- --write/s);
	expect(service.requests).toEqual([]);
});

test.each(['', 'yes', 'writ'])('After "%s" instead of write, it only reads', async (word) => {
	const { said } = await runCheck(service, ['5002', word]);
	expect(said).toContain('Contact 5002: ["Иван Петров","whatsapp"].');
	expect(changes()).toEqual([]);
});

/** Writes to a service with few lists that creates tags. @param disturb what happens at the request with this index */
async function writeDisturbed(disturb?: (index: number) => boolean, fault?: Fault, signal?: AbortSignal) {
	service.reset();
	service.dialect.newTag = 'created';
	const { listSchemas, listItems, bots } = service.data;
	for (const id of [...listSchemas.keys()].slice(3)) listSchemas.delete(id);
	for (const { id, schemaId } of listItems.values()) if (!listSchemas.has(schemaId)) listItems.delete(id);
	const before = stored();
	const tags = bots.get(101)!.tags.length;
	const where = () => disturb?.(service.requests.length - 1) ?? false;
	service.faults.add({ ...(fault ?? { kind: 'delay', ms: 0 }), match: { where } });
	const credential = { baseUrl: service.url, token: service.token, requestsPerSecond: 0 };
	const session = new Session({ credential, sleep: async () => {}, ...(signal && { signal }) });
	const left = new Set<Left>();
	await write(session, { id: 5001, botId: 101 }, left).catch(() => {});
	const named = [...left].map(({ what }) => what);
	// Only the names that the API cannot remove may stay, and are named.
	const isTagNamed = bots.get(101)!.tags.length === tags || named.includes('tag of a bot');
	return { isAsBefore: stored() === before, isTagNamed, left: named };
}

const steps = async () => {
	await writeDisturbed();
	return service.requests.map(({ operation }, index): [string, number] => [operation!, index]);
};

test('Interrupted at any request, it leaves nothing behind', async () => {
	for (const [step, index] of await steps()) {
		const controller = new AbortController();
		const interrupt = (at: number) => (at === index && controller.abort(), false);
		const after = await writeDisturbed(interrupt, undefined, controller.signal);
		expect({ step, ...after }).toMatchObject({ step, isAsBefore: true, isTagNamed: true });
	}
});

test.each<[string, Fault]>([
	['is done and fails', { kind: 'server error', when: 'after' }],
	['is refused', { kind: 'forbidden' }],
	['has no answer', { kind: 'reset', when: 'after' }],
])('If a request %s, it leaves nothing behind', async (_title, fault) => {
	for (const [step, index] of await steps()) {
		const after = await writeDisturbed((at) => at === index, fault);
		expect({ step, ...after }).toMatchObject({ step, isAsBefore: true, isTagNamed: true });
	}
});

test('What it cannot remove is named, in the report without its name', async () => {
	for (const path of ['deleteListSchema', 'deleteListItem', 'deleteContactVariable', 'detachTagFromContact'])
		service.faults.add(answer(path, 403, { message: 'Forbidden' }));
	service.dialect.newTag = 'created';
	const { report, said } = await runCheck(service, allowed);
	const [name] = /n8n check [\da-f]{12}/.exec(stored())!;
	const left = [
		'list',
		'list item',
		'variable of a contact',
		'variable of a bot',
		'tag of a contact',
		'tag of a bot',
	];
	for (const what of left) expect(said).toContain(`- ${what}: "${name}", in `);
	expect(report).toContain(`Left behind: ${left.join(', ')}.`);
	expect(report).not.toContain(name);
});

test('Interrupted at a question, it asks nothing more', async () => {
	const { error } = await runCheck(service, allowed, { signal: AbortSignal.abort() });
	expect([error?.message, service.requests]).toEqual(['The check was interrupted.', []]);
});

test('Interrupted at work, it reports what it has seen', async () => {
	const controller = new AbortController();
	const where = () => (controller.abort(), false);
	service.faults.add({ kind: 'delay', ms: 0, match: { path: 'getBotTags', where } });
	const { report, error } = await runCheck(service, allowed, { signal: controller.signal });
	expect(error).toBeUndefined();
	expect(report).toMatch(/The check was interrupted.*Not reached: .*getListItems.*\| getBotTags \|/s);
});
