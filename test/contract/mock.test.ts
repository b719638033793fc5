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

const twoRecipients = { contact_id: 5001, messenger: 'vk', bot_id: 101, contact_external_id: '1', text: 'a' };

// What else the document refuses is in openapi.test.ts.
test.each<[number, string, { headers?: object; body?: object }]>([
	[200, 'GET getContactTags?contact_id=5001', {}],
	[422, 'GET getContactTags?contact_id=Анна', {}],
	[401, 'GET getContactTags?contact_id=5001', { headers: { authorization: '' } }],
	[422, 'POST sendMessage', { body: twoRecipients }],
])('The mock server answers with %i to %s with %j', async (status, request, { headers, body }) => {
	const [method, target] = request.split(' ');
	const answer = await fetch(`${url}/api/v1/${target}`, {
		method,
		headers: {
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			authorization: 'Bearer token',
			...(body && { 'content-type': 'application/json' }),
			...headers,
		},
		body: body && JSON.stringify(body),
	});
	await answer.text();
	expect(answer.status).toBe(status);
});
