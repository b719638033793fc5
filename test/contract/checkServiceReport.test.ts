/** The report of `npm run check:service -- --write` quotes docs/openapi.yaml, and tells nothing about the account. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import execa from 'execa';

import { DOCUMENT } from '../../sandbox/emulator/document';
import type { Fault, RecordedRequest } from '../../sandbox/emulator';
import { claims } from '../../tools/checkService/claims';
import { lineOfResponse, placesOf } from '../../tools/checkService/lines';
import { useEmulator } from './client';
import { allowed, runCheck } from './serviceCheck';

const service = useEmulator();
const lines = readFileSync(DOCUMENT, 'utf8').split('\n');

test.each(Object.entries(claims))('The quotation %s stands once in docs/openapi.yaml', (_name, claim) => {
	const places = placesOf(claim);
	expect(places).toHaveLength(1);
	expect(lines[places[0]!.line - 1]).toContain(claim.says.split(' ')[0]);
});

test.each([
	['getContacts', 200, "'200': { $ref: '#/components/responses/ContactPage' }"],
	['getContactTags', 200, "'200': { $ref: '#/components/responses/TagNames' }"],
	['deleteListItem', 204, "2XX: { $ref: '#/components/responses/Done' }"],
	['getListItems', 502, "5XX: { $ref: '#/components/responses/Failed' }"],
	['getListItems', 418, 'responses:'],
])('The line for an answer of %s with %i is "%s"', (endpoint, status, text) => {
	expect(lines[lineOfResponse(endpoint, status) - 1]!.trim()).toBe(text);
});

test('With --write too, the report contains nothing of the account, even of a service that mixes it into its answers', async () => {
	const { contacts } = service.data;
	const { name, variables, tags, phone } = contacts.get(5001)!;
	const mixed = { [service.token]: name, [name]: phone, [variables[0]!.name]: tags[0], city: 1 };
	const said = {
		message: `${service.token} ${name}`,
		errors: { contact_id: [name], [name]: [phone] },
		...mixed,
	};
	const headers = { 'x-anna': '1', 'x-ratelimit-limit': phone! };
	const answer = (path: string, status: number, body: unknown): Fault => ({
		...{ kind: 'answer', status, headers, body, match: { path, times: 1 } },
	});
	const wanted = [
		answer('createListSchema', 422, said),
		answer('addListItem', 200, { data: { id: name, ...mixed } }),
		answer('updateListItem', 403, said),
		answer('setContactVariable', 200, { [name]: mixed }),
		answer('attachTagToContact', 404, said),
		answer('sendMessage', 200, { success: name }),
		answer('deleteListSchema', 500, said),
	];
	for (const fault of wanted) service.faults.add(fault);
	const unknown = ({
		query,
		headers: sent,
	}: {
		query: RecordedRequest['query'];
		headers: Record<string, unknown>;
	}) => !sent.authorization && query.api_token !== service.token;
	service.faults.add({
		...answer('getListSchemas', 401, said),
		match: { path: 'getListSchemas', where: unknown, times: 2 },
	});
	const { report } = await runCheck(service, ['write', '5001', 'yes', 'yes', 'no']);
	expect(report).toContain('another message, headers content-type, …, x-ratelimit-limit');
	const texts = textsIn([...contacts.values()]).filter((text) => /[а-яё@]|\d{4}/i.test(text));
	const made = /n8n check [\da-f]{12}/.exec(JSON.stringify(service.requests))![0];
	for (const text of [...texts, service.token, made, 'city', 'x-anna']) expect(report).not.toContain(text);
});

const textsIn = (value: unknown): string[] =>
	typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [String(value)];

test('The command takes all answers from the standard input, and removes what it has made after Ctrl+C', async () => {
	const before = JSON.stringify([...service.data.listSchemas, ...service.data.listItems]);
	const file = 'tools/checkService/index.ts';
	const running = execa(process.execPath, ['--import', 'tsx', file, '--write'], {
		cwd: join(__dirname, '../..'),
		input: [service.url, service.token, ...allowed].join('\n'),
		reject: false,
	});
	const where = () => {
		running.kill('SIGINT');
		return false;
	};
	service.faults.add({ kind: 'delay', ms: 0, match: { path: 'addListItem', where } });
	const { stdout, stderr, exitCode } = await running;
	expect([exitCode, stdout]).toEqual([130, expect.stringContaining('The check was interrupted.')]);
	expect(stderr).toContain('n8n check 3f9a…');
	expect(JSON.stringify([...service.data.listSchemas, ...service.data.listItems])).toBe(before);
});
