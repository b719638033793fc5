import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chain } from '../../sandbox/host';
import { SEEDED, type Fault } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/*
 * The token after every fault, in all that n8n keeps: its database with the data of every execution, its log, and whatever
 * else it writes into its folder. Only the encrypted credential may hold it.
 */

/** Other files have other tokens: what they leave in the same n8n is theirs. */
const bench = duringTests(async () => await openBench({ token: 'the-token-that-must-show-up-nowhere' }));

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
	const parameters = {
		resource: 'message',
		operation: 'send',
		contactId: String(SEEDED.contacts.telegram),
		text: 'Здравствуйте',
		requestOptions: { timeout: 500 },
	};
	const { id } = await api.createWorkflow(chain('Faults', [{ name: 'Send', parameters }], credential));
	// A service that repeats what it was asked is the worst case.
	const echo: Fault = {
		kind: 'answer',
		status: 400,
		body: { message: `Запрос: ?api_token=${service.token}` },
	};
	const statuses: string[] = [];
	for (const fault of faults.flatMap((each) => [each, echo])) {
		service.faults.clear();
		service.faults.add(fault);
		statuses.push((await api.runWorkflow(id)).status);
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
