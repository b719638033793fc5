import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SEEDED, type Fault } from '../../sandbox/service';
import { type Bench, openBench } from './support/bench';
import { chain } from './support/workflow';

/*
 * The token after every fault, in all that n8n keeps: its database with the data of every execution, its log, and whatever
 * else it writes into its folder. Only the encrypted credential may hold it.
 */

let bench: Bench;
beforeAll(async () => {
	// Other files have other tokens: what they leave in the same n8n is theirs.
	bench = await openBench({ token: 'the-token-that-must-show-up-nowhere' });
});
afterAll(async () => await bench?.stop());

const faults: Fault[] = [
	{ kind: 'reset' },
	{ kind: 'timeout' },
	{ kind: 'server error' },
	{ kind: 'unavailable' },
	{ kind: 'too many', retryAfter: 900 },
	{ kind: 'html' },
	{ kind: 'forbidden' },
	{ kind: 'malformed' },
	{ kind: 'redirect' },
	{
		kind: 'answer',
		status: 422,
		body: { message: 'The given data was invalid.', errors: { text: ['Нельзя.'] } },
	},
];

test('the token is in nothing that n8n stores or logs', async () => {
	const { api, credential, service, host, userFolder } = bench;
	const statuses: string[] = [];
	for (const [index, fault] of faults.entries()) {
		// A service that repeats what it was asked is the worst case.
		const echo = {
			kind: 'answer',
			status: 400,
			body: { message: `Запрос: ?api_token=${service.token}` },
		} as const;
		for (const each of [fault, echo]) {
			service.faults.clear();
			service.faults.add(each);
			const { id } = await api.createWorkflow(
				chain(
					`Fault ${index} ${each.kind}`,
					[
						{
							name: 'Send',
							parameters: {
								resource: 'message',
								operation: 'send',
								contactId: String(SEEDED.contacts.telegram),
								text: 'Здравствуйте',
								requestOptions: { timeout: 500 },
							},
						},
					],
					credential,
				),
			);
			statuses.push((await api.runWorkflow(id)).status);
		}
	}
	expect(statuses).toEqual(statuses.map(() => 'error'));
	expect(service.requests.every(({ query }) => query.api_token === service.token)).toBe(true);

	const holding: string[] = [];
	for (const path of [host.logFile, ...(await filesIn(userFolder))]) {
		if ((await readFile(path)).includes(service.token)) holding.push(path);
	}
	expect(holding).toEqual([]);
});

async function filesIn(root: string): Promise<string[]> {
	const entries = await readdir(root, { withFileTypes: true, recursive: true });
	return entries
		.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
		.map((entry) => join(entry.parentPath, entry.name));
}
