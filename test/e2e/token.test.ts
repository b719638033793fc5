import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chain } from '../../sandbox/host';
import { SEEDED, type Fault } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/*
 * The token after every fault, in everything that n8n stores: its database with the data of every execution, its log, and all
 * other files in its folder. Only the encrypted credential may contain it.
 */

/** A token that differs from those of other test files, whose data may remain in the same n8n. */
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

test('n8n neither stores nor logs the token', async () => {
	const { api, credential, service, host, userFolder } = bench;
	const parameters = {
		resource: 'message',
		operation: 'send',
		contactId: String(SEEDED.contacts.telegram),
		text: 'Здравствуйте',
		requestOptions: { timeout: 500 },
	};
	const { id } = await api.createWorkflow(chain('Faults', [{ name: 'Send', parameters }], credential));
	// The worst case is a service that repeats the request in its answer.
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
