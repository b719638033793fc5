/**
 * A public mock server that knows only docs/openapi.yaml: it accepts the requests of the node, and the node accepts its answers.
 *
 * Its packages are pinned in package.json to the last versions that run on every Node.js that this package supports.
 */

import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

import { DOCUMENT } from '../../sandbox/emulator/document';
import { credentialFor, runNode } from '../engine/harness';
import { byTitle, parametersOf, variants } from '../operations';

const nothing = () => undefined;
const silent = { info: nothing, warn: nothing, error: nothing, debug: nothing, success: nothing };

let mock: ReturnType<typeof createServer>;
let url: string;
beforeAll(async () => {
	mock = createServer(await getHttpOperationsFromSpec(DOCUMENT), {
		cors: false,
		components: { logger: { ...silent, child: () => silent } as never },
		config: {
			mock: { dynamic: false },
			checkSecurity: true,
			validateRequest: true,
			validateResponse: true,
			errors: true,
			isProxy: false,
			upstreamProxy: undefined,
		},
	});
	url = await mock.listen(0, '127.0.0.1');
});
afterAll(async () => await mock.close());

test.each(byTitle(variants))(
	'The mock server accepts %s of the node with the token in either place, and the node returns items',
	async (_title, variant) => {
		for (const placement of [
			{ tokenPlacement: 'query', tokenName: 'api_token' },
			{ tokenPlacement: 'bearer' },
		]) {
			const credential = credentialFor({ url, token: 'token' }, placement);
			const { json, error } = await runNode({ parameters: parametersOf(variant), credential });
			expect(error).toBeUndefined();
			expect(json.length).toBeGreaterThan(0);
			for (const item of json) expect(item).not.toHaveProperty('error');
		}
	},
);

async function statusOf(method: string, target: string, init: { headers?: object; body?: object } = {}) {
	const { body } = init;
	const answer = await fetch(`${url}/api/v1/${target}`, {
		method,
		headers: {
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			authorization: 'Bearer token',
			...(body && { 'content-type': 'application/json' }),
			...init.headers,
		},
		body: body && JSON.stringify(body),
	});
	await answer.text();
	return answer.status;
}

test('The mock server accepts a valid request', async () => {
	expect(await statusOf('GET', 'getContactTags?contact_id=5001')).toBe(200);
	expect(await statusOf('POST', 'sendMessage', { body: { contact_id: 5001, text: 'Привет' } })).toBe(200);
});

const twoRecipients = { contact_id: 5001, messenger: 'vk', bot_id: 101, contact_external_id: '1', text: 'a' };

test.each([
	['without contact_id', 422, 'GET', 'getContactTags', {}],
	['with a contact_id that is no number', 422, 'GET', 'getContactTags?contact_id=Анна', {}],
	['without contact_id in a body', 422, 'POST', 'attachTagToContact', { body: { name: 'VIP' } }],
	['with an unknown attribute', 422, 'POST', 'deleteListSchema', { body: { schema_id: 'a', id: 1 } }],
	['with a messenger there is not', 422, 'POST', 'sendMessage?messenger=icq&text=a', {}],
	['with two recipients', 422, 'POST', 'sendMessage', { body: twoRecipients }],
	['with neither text, image nor file', 422, 'POST', 'sendMessage', { body: { contact_id: 5001 } }],
	['without a token', 401, 'GET', 'getContactTags?contact_id=5001', { headers: { authorization: '' } }],
	[
		'of a browser',
		422,
		'GET',
		'getContactTags?contact_id=5001',
		{ headers: { 'x-requested-with': 'Chrome' } },
	],
	['to a path there is not', 404, 'GET', 'getBots', {}],
])('The mock server refuses a request %s with %i', async (_title, status, method, target, init) => {
	expect(await statusOf(method, target, init)).toBe(status);
});
