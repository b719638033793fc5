/** `npm run check:service` finds what differs from docs/openapi.yaml, tells nothing of the account, and removes what it writes. */

import { tagAttach } from '../../nodes/ChatbotService/resources/tag/attach';
import { startEmulator, type Emulator, type Fault } from '../../sandbox/emulator';
import { main } from '../../tools/checkService';
import { Session } from '../../tools/checkService/session';
import { write, type Left } from '../../tools/checkService/writing';
import { useEmulator } from './client';

const service = useEmulator();

/** What a person answers who allows writing. */
const allowed = ['5001', 'write'];

/** Runs the check at full speed. @param answers to the questions after address and token; without them, it only reads */
async function check(answers?: string[], options: Parameters<typeof main>[1] & { at?: object } = {}) {
	const { url, token } = { ...service, ...options.at };
	const given = [url, token, ...(answers ?? [])];
	let [report, said] = ['', ''];
	const ask = async () => given.shift() ?? '';
	const say = (text: string) => void (said += `${text}\n`);
	const args = answers ? ['--write'] : [];
	const usual = { args, credential: { requestsPerSecond: 0 }, wait: async () => undefined as never };
	const terminal = { ask, say, print: (text: string) => void (report += text), close: () => {} };
	const error = await main(terminal, { ...usual, ...options }).catch((failure: Error) => failure);
	return { report, said, error: error?.message };
}

const none = 'Differences from docs/openapi.yaml: none';

const answer = (path: string, status: number, body: unknown, headers = {}): Fault => ({
	...{ kind: 'answer', status, body, headers },
	match: { path },
});

const stored = ({ contacts, listSchemas, listItems }: Emulator['data'] = service.data) =>
	JSON.stringify([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);

const changes = () => service.requests.filter(({ operation }) => !operation!.startsWith('get'));

test.each(['watbot', 'cleverapp', 'onebot', 'jetbot', 'leadtex'])(
	'%s agrees, and stays as it was',
	async (name) => {
		const own = await startEmulator({ service: name });
		try {
			const before = stored(own.data);
			const { report, error } = await check(allowed, { at: own });
			expect([report, error]).toEqual([expect.stringContaining(none), undefined]);
			// Pages would show how many lists there are.
			expect(report).not.toContain('200, 200');
			expect(stored(own.data)).toBe(before);
		} finally {
			await own.stop();
		}
	},
);

const created_at = '2026-01-01T00:00:00+00:00';
const nobody = { email: null, address: null, utm: null };
const contact = { id: 1, bot_id: 101, name: 'Анна', messenger: 'vk', ...nobody, created_at };

test.each<[string, string, Fault | Partial<Emulator['dialect']>]>([
	['data.*.phone', '(documented). | missing', answer('getContacts', 200, { data: [contact] })],
	['…', 'additional properties | string', answer('getBotTags', 200, { data: [], last_seen: 'вчера' })],
	['status', 'names of the tags. | 418', answer('getBotTags', 418, {})],
	['answer', 'json | no JSON', { kind: 'malformed', match: { path: 'getBotTags' } }],
	['answer', 'One list | none', { kind: 'reset', match: { path: 'getListSchema' } }],
	['filters', '(inferred). | items without the value', { filters: 'ignored' }],
	['page', 'seen at LEADTEX). | page 2 repeats page 1', { pages: 'repeated' }],
	['effect', 'limit applies. | it is still there', answer('deleteListSchema', 200, [])],
])('What differs is found: %s, %s', async (place, row, different) => {
	if ('kind' in different) service.faults.add(different);
	else Object.assign(service.dialect, different);
	const { report } = await check(place === 'effect' ? allowed : undefined);
	const found = report.split('\n').filter((line) => line.split(' | ')[1] === place);
	expect(found).toContainEqual(expect.stringContaining(`${row} |`));
});

const textsIn = (value: unknown): string[] =>
	typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

test('A hostile service gets nothing into the report', async () => {
	const { contacts, listSchemas, listItems } = service.data;
	const { name, phone, variables, tags } = contacts.get(5001)!;
	const names = { [service.token]: name, [name]: 1, [phone!]: { [tags[0]!]: 1 }, city: 1 };
	const mixed = { ...names, [variables[0]!.name]: 1 };
	const said = { message: `${service.token} ${name}`, errors: { passport: [name], [name]: phone }, ...mixed };
	const bodies = {
		getListSchemas: { data: [{ id: name, fields: { client: { ...mixed, type: 'string' } } }], ...mixed },
		getContacts: { data: [{ id: 5001, created_at: name, ...mixed }] },
		getListItems: { data: [{ old_field: [1] }], ...said },
		createListSchema: { data: { id: name, ...mixed } },
		...{ getContactVariables: said, attachTagToContact: said },
	};
	const headers = { 'content-type': 'text/sokolova', 'x-anna': '1' };
	for (const [path, body] of Object.entries(bodies)) service.faults.add(answer(path, 200, body, headers));
	for (const path of ['getContactTags', 'getBotTags']) service.faults.add(answer(path, 422, said));
	const { report, said: toPerson } = await check(allowed);
	const texts = textsIn([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);
	// Other words, such as the names of messengers, may be those of docs/openapi.yaml.
	const personal = texts.filter((text) => /[а-яё@]|\d{4}/i.test(text));
	expect(personal.length).toBeGreaterThan(100);
	const [made] = /n8n check [\da-f]{12}/.exec(JSON.stringify(service.requests))!;
	for (const text of [...personal, 'city', 'old_field', 'passport', 'anna', 'sokolova', service.token, made])
		expect(report).not.toContain(text);
	expect(toPerson).toMatch(/hides these names.*"city"/);
	expect(toPerson).not.toContain(service.token);
});

test('Without --write, it only reads, and says so', async () => {
	const { said, report } = await check();
	expect(said).toMatch(/^\s*This check .*\n\n- It only reads/);
	expect([report, changes()]).toEqual([expect.stringContaining(none), []]);
	const session = new Session({ credential: { baseUrl: service.url, token: service.token } });
	await expect(session.read('', tagAttach, {})).rejects.toThrow('does not only read');
});

test.each<[string, Parameters<typeof check>, string]>([
	['an unknown argument', [undefined, { args: ['--wirte'] }], 'Unknown argument: --wirte'],
	['no address', [undefined, { at: { url: '' } }], 'Copy it from the browser'],
	['a wrong token', [undefined, { at: { token: 'wrong' } }], 'first call. The service does not accept'],
	['a fraction for the ID', [['5001.5', 'write']], 'whole number above 0'],
	['Ctrl+C at a question', [allowed, { signal: AbortSignal.abort() }], 'The check was interrupted.'],
	['"yes" instead of write', [['5002', 'yes']], ''],
])('With %s, it ends and says why', async (_title, given, reason) => {
	const { error = '' } = await check(...given);
	expect([error, changes()]).toEqual([expect.stringContaining(reason), []]);
});

test.each<[string, Fault]>([
	['Interrupted at a request', { kind: 'delay', ms: 0 }],
	['If a request has no answer', { kind: 'reset', when: 'after' }],
])('%s, nothing stays behind', async (_title, fault) => {
	const credential = { baseUrl: service.url, token: service.token, requestsPerSecond: 0 };
	for (let step = 0; step === 0 || step < service.requests.length; step++) {
		service.reset();
		// Fewer lists take fewer requests to read.
		const { listSchemas, bots } = service.data;
		for (const id of [...listSchemas.keys()].slice(3)) listSchemas.delete(id);
		service.dialect.newTag = 'created';
		const [before, tags] = [stored(), bots.get(101)!.tags.length];
		const controller = new AbortController();
		const where = () => {
			const isNow = service.requests.length === step + 1;
			if (isNow && fault.kind === 'delay') controller.abort();
			return isNow;
		};
		service.faults.add({ ...fault, match: { where } });
		const left = new Set<Left>();
		const session = new Session({ credential, signal: controller.signal });
		await write(session, { id: 5001, botId: 101 }, left, async () => undefined as never).catch(() => {});
		// The API cannot remove a tag of a bot.
		const isNamed = [...left].some(({ what }) => what === 'tag of a bot');
		const isClean = stored() === before && (isNamed || bots.get(101)!.tags.length === tags);
		const made = service.requests.filter(({ operation }) => operation === 'createListSchema').length;
		expect({ step, isClean, made }).toEqual({ step, isClean: true, made: 1 });
	}
});

const ofBot = 'variable of a bot, tag of a bot';
const removals = ['deleteListSchema', 'deleteListItem', 'deleteContactVariable', 'detachTagFromContact'];

test.each([
	[removals, 'list, list item, variable of a contact, variable of a bot, tag of a contact, tag of a bot'],
	// What does not appear may come later.
	[['createListSchema'], `list, ${ofBot}`],
])('What stays is named, but not in the report: %j', async (paths, left) => {
	for (const path of paths) service.faults.add(answer(path, path === 'createListSchema' ? 200 : 403, []));
	service.dialect.newTag = 'created';
	const { report, said } = await check(allowed);
	const [name] = /n8n check [\da-f]{12}/.exec(JSON.stringify(service.requests))!;
	for (const what of left.split(', ')) expect(said).toContain(`- ${what}: "${name}", in `);
	expect(report).toContain(`Left behind: ${left}.`);
	expect(report).not.toContain(name);
});
