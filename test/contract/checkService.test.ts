/** `npm run check:service` finds what differs from docs/openapi.yaml, only reads, and tells nothing about the account. */

import { join } from 'node:path';

import execa from 'execa';

import { tagAttach } from '../../nodes/ChatbotService/resources/tag/attach';
import { Session } from '../../tools/checkService/session';
import type { Contact, Emulator, Fault } from '../../sandbox/emulator';
import { useEmulator } from './client';
import { runCheck } from './serviceCheck';

const service = useEmulator();

const report = async () => (await runCheck(service)).report;

const asDocumented = 'Contradicted lines of docs/openapi.yaml: none';

const answering = (path: string, status: number, body: unknown): Fault => ({
	kind: 'answer',
	status,
	body,
	match: { path },
});

test.each<[string, Partial<Emulator['dialect']>, Fault[], string[]]>([
	['ignores filters', { filters: 'ignored' }, [], ['a filter is ignored']],
	[
		'turns no pages',
		{ pages: 'repeated' },
		[],
		[
			'getContacts, status 200 | **contradicted**: Page 2 repeats page 1',
			'getListItems, status 200 | **contradicted**: Page 2 repeats page 1',
		],
	],
	[
		'has other fields',
		{},
		[answering('getContacts', 200, { data: [{ id: '5001', bot_id: 101, last_seen: 'вчера' }] })],
		[
			"/response/data/* must have required property 'messenger'",
			'/response/data/* must NOT have additional properties: …',
			'/response/data/*/id must be integer, is string',
		],
	],
	[
		'accepts any token, and an ID that does not exist',
		{},
		[answering('getListSchemas', 200, { data: [] }), answering('getContactTags', 200, { data: [] })],
		['a token that does not exist is accepted', 'an unknown contact is accepted'],
	],
	[
		'answers with an undocumented status, and with a page',
		{},
		[answering('getBotTags', 418, {}), { kind: 'html', match: { path: 'getContactVariables' } }],
		['status 418 is not described for getBotTags', 'getContactVariables'],
	],
	[
		'refuses what it should allow, and prints a warning before its JSON',
		{},
		[
			answering('getListItems', 403, { message: 'Forbidden' }),
			{ kind: 'php warning', match: { path: 'getContacts' } },
		],
		['List items, page 1: The service denied access', 'the JSON follows other text'],
	],
])('It finds a service that %s', async (_title, dialect, faults, differences) => {
	Object.assign(service.dialect, dialect);
	for (const fault of faults) service.faults.add(fault);
	const found = await report();
	for (const difference of differences) expect(found).toContain(difference);
	expect(found).not.toContain(asDocumented);
});

test('It shows the headers about limits, and in which way the service writes variables and takes the token', async () => {
	service.setLimits({ account: { requests: 120, windowMs: 60_000, window: 'fixed' } });
	Object.assign(service.dialect, { variables: 'nested', header: 'ignored' });
	service.faults.add({ kind: 'too many', retryAfter: 1, match: { path: 'getBotTags', times: 1 } });
	const found = await report();
	expect(found).toContain('x-ratelimit-limit: 120, x-ratelimit-remaining: 119');
	expect(found).toMatch(/getBotTags: Tags of a bot \| 429, then 200 \|.*retry-after: 1/);
	expect(found).toContain('The name of a variable is in `variable`; `deletable` is missing');
	expect(found).toContain('A Bearer header does not work');
	expect(found).toContain(asDocumented);
});

test('The report contains neither the token nor anything of the account, even of a service that mixes them into its answers', async () => {
	const { contacts, listSchemas, listItems } = service.data;
	const [{ name, variables, tags }] = [...contacts.values()] as [Contact];
	const mixed = { [service.token]: name, [name]: 1, [variables[0]!.name]: 1, [tags[0]!]: 1, city: 1 };
	const said = { message: `${service.token} ${name}`, errors: { contact_id: [name] }, ...mixed };
	const fields = { client_phone: mixed };
	service.faults.add(answering('getListSchemas', 200, { data: [{ fields }], ...mixed }));
	service.faults.add(answering('getContactTags', 422, said));
	service.faults.add(answering('getBotTags', 422, { ...said, errors: { passport: [name] } }));
	service.faults.add(answering('getListItems', 200, { data: [{ old_field: [1] }] }));
	service.faults.add(answering('getContactVariables', 200, { data: [{ name: 'city', ...mixed }] }));
	const found = await report();
	for (const hidden of ['/response must NOT have additional properties: …', '/response/data/*/fields/… must'])
		expect(found).toContain(hidden);
	const texts = textsIn([...contacts.values(), ...listSchemas.values(), ...listItems.values()]);
	// Other words, such as the names of messengers, may be those of the documentation.
	const ofPeople = texts.filter((text) => /[а-яё@]|\d{4}/i.test(text));
	expect(ofPeople.length).toBeGreaterThan(100);
	for (const text of [...ofPeople, service.token, 'city', 'client_phone', 'old_field', 'passport'])
		expect(found).not.toContain(text);
});

const textsIn = (value: unknown): string[] =>
	typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

const command = async (args: string[], ...lines: string[]) =>
	await execa(process.execPath, ['--import', 'tsx', 'tools/checkService/index.ts', ...args], {
		cwd: join(__dirname, '../..'),
		input: lines.join('\n'),
		reject: false,
	});

test('The command says first that it only reads, asks for address and token, and prints the report alone; names that it hides, it tells to the person', async () => {
	const body = { data: [], [service.token]: 1, last_seen: 2 };
	service.faults.add({ kind: 'answer', status: 200, body, match: { path: 'getBotTags', nth: 1 } });
	const { stdout, stderr, exitCode } = await command([], service.url, service.token);
	expect([exitCode, stderr]).toEqual([
		0,
		expect.stringMatching(/only reads.*Base URL.*API Token.*last_seen/s),
	]);
	expect(stdout.trim()).toMatch(/^Service: at another address.*getBotTags, status 200.*…/s);
	expect(stdout + stderr).not.toContain(service.token);
});

test('Without an address, and with an unknown argument, it fails and says why', async () => {
	const { error } = await runCheck({ ...service, url: '' });
	expect(error).toMatchObject({ message: expect.stringContaining('Copy it from the browser') as string });
	const unknown = await runCheck(service, undefined, { args: ['--wirte'] });
	expect(unknown.error).toMatchObject({
		message: expect.stringMatching(/Unknown argument: --wirte.*check:service -- --write/s) as string,
	});
	expect(service.requests).toEqual([]);
});

test.each([
	['a wrong token', 'wrong', 'The check ended after the first call'],
	['no token', '', 'Start again, and paste the token.'],
])('With %s, it fails and says why', async (_title, token, reason) => {
	const { report: found, error } = await runCheck({ ...service, token });
	expect(error).toMatchObject({ message: expect.stringContaining(reason) as string });
	expect(found.includes('The service does not accept the token')).toBe(token === 'wrong');
});

test('A session that reads makes no call that changes something', async () => {
	const session = new Session({ credential: { baseUrl: service.url, token: service.token } });
	const attaching = session.observe('A tag', tagAttach, { contact_id: 5001, name: 'VIP' });
	await expect(attaching).rejects.toThrow('does not only read');
	expect(service.requests).toEqual([]);
});
