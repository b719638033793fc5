import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chain } from '../../sandbox/host';
import { SEEDED, type Fault } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from '../duringTests';
import { refusal } from './support/examples';

/*
 * The token after every kind of failure, in everything that n8n stores: its database with the data of every execution, its log, and
 * all other files in its folder. Only the encrypted credential may contain it.
 */

/** A token that differs from those of other test files, whose data may remain in the same n8n. */
const bench = duringTests(async () => await openBench({ token: 'the-token-that-must-show-up-nowhere' }));

test('n8n neither stores nor logs the token', async () => {
	const { api, credential, service, host, userFolder } = bench;
	const parameters = {
		...{ resource: 'message', operation: 'send', contactId: String(SEEDED.contacts.telegram) },
		...{ text: 'Здравствуйте', requestOptions: { timeout: 500 } },
	};
	const { id } = await api.createWorkflow(chain('Faults', [{ name: 'Send', parameters }], credential));
	const faults: Fault[] = [
		{ kind: 'reset' },
		{ kind: 'timeout' },
		{ kind: 'server error' },
		{ kind: 'too many', retryAfter: 900 },
		{ kind: 'html' },
		{ kind: 'malformed' },
		{ kind: 'redirect' },
		refusal('sendMessage'),
		// The worst case is a service that repeats the request in its answer. Of several, one page of the database has one wholly.
		{ kind: 'answer', status: 400, body: { message: `Запрос: ?api_token=${service.token} `.repeat(3) } },
	];
	for (const fault of faults) {
		service.faults.clear();
		service.faults.add(fault);
		expect((await api.runWorkflow(id)).status).toBe('error');
	}
	expect(service.requests.every(({ query }) => query.api_token === service.token)).toBe(true);

	const entries = await readdir(userFolder, { withFileTypes: true, recursive: true });
	const files = entries
		.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
		.map((entry) => join(entry.parentPath, entry.name));
	const filesWith = async (words: string) => {
		const found: string[] = [];
		for (const path of [host.logFile, ...files]) if ((await readFile(path)).includes(words)) found.push(path);
		return found;
	};
	// The database has the words of the service.
	expect(await filesWith('Запрос: ?api_token=***')).not.toEqual([]);
	expect(await filesWith(service.token)).toEqual([]);
});
