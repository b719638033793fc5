/**
 * A public mock server that knows nothing but docs/openapi.yaml: it takes what the node sends, and the node takes what it answers.
 *
 * Its packages are pinned in package.json to the last versions that run on every Node.js that this package supports.
 */

import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

import { DOCUMENT } from '../../sandbox/service/document';
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

describe.each([
	['in the query', { tokenPlacement: 'query', tokenName: 'api_token' }],
	['as Bearer', { tokenPlacement: 'bearer' }],
])('the node, with its token %s', (_place, placement) => {
	test.each(byTitle(variants))('is taken with %s, and gives items', async (_title, variant) => {
		const credential = credentialFor({ url, token: 'token' }, placement);
		const { json, error } = await runNode({ parameters: parametersOf(variant), credential });
		expect(error).toBeUndefined();
		expect(json.length).toBeGreaterThan(0);
		for (const item of json) expect(item).not.toHaveProperty('error');
	});
});

describe('a request', () => {
	const headers = {
		accept: 'application/json',
		'x-requested-with': 'XMLHttpRequest',
		authorization: 'Bearer token',
	};

	async function statusOf(method: string, target: string, init: { headers?: object; body?: object } = {}) {
		const { body } = init;
		const answer = await fetch(`${url}/api/v1/${target}`, {
			method,
			headers: { ...headers, ...(body && { 'content-type': 'application/json' }), ...init.headers },
			body: body && JSON.stringify(body),
		});
		await answer.text();
		return answer.status;
	}

	test('that is right is taken', async () => {
		expect(await statusOf('GET', 'getContactTags?contact_id=5001')).toBe(200);
		expect(await statusOf('POST', 'sendMessage', { body: { contact_id: 5001, text: 'Привет' } })).toBe(200);
	});

	test.each([
		['without contact_id', 422, 'GET', 'getContactTags', {}],
		['with a contact_id that is no number', 422, 'GET', 'getContactTags?contact_id=Анна', {}],
		['without contact_id in a body', 422, 'POST', 'attachTagToContact', { body: { name: 'VIP' } }],
		[
			'with an unknown parameter in a body',
			422,
			'POST',
			'deleteListSchema',
			{ body: { schema_id: 'a', id: 1 } },
		],
		['with a messenger there is not', 422, 'POST', 'sendMessage?messenger=icq&text=a', {}],
		[
			'with two recipients',
			422,
			'POST',
			'sendMessage',
			{ body: { contact_id: 5001, messenger: 'vk', bot_id: 101, contact_external_id: '1', text: 'a' } },
		],
		['with neither text, image nor file', 422, 'POST', 'sendMessage', { body: { contact_id: 5001 } }],
		['without a token', 401, 'GET', 'getContactTags?contact_id=5001', { headers: { authorization: '' } }],
		[
			'that does not say that a program asks',
			422,
			'GET',
			'getContactTags?contact_id=5001',
			{ headers: { 'x-requested-with': 'Chrome' } },
		],
		['to a path there is not', 404, 'GET', 'getBots', {}],
	])('%s is refused with %i', async (_title, status, method, target, init) => {
		expect(await statusOf(method, target, init)).toBe(status);
	});
});
