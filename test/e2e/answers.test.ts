import { chain } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from '../duringTests';

/* Answers that no service should give: in a real n8n, each execution still ends and can be opened. */

const bench = duringTests(openBench);

const message = {
	resource: 'message',
	operation: 'send',
	contactId: String(SEEDED.contacts.telegram),
	text: 'Здравствуйте',
};
const tags = {
	resource: 'tag',
	operation: 'getManyByBot',
	botId: String(SEEDED.bots.school),
	returnAll: true,
};
const nested = `${'{"а":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
const manyRows = JSON.stringify({ data: Array.from({ length: 100_000 }, (_, n) => `тег ${n}`) });
const longText = JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) });

test.each<[string, Record<string, unknown>, string]>([
	['nested 30,000 deep', message, `{"success":true,"а":${nested}}`],
	['with 100,000 rows', tags, manyRows],
	['with a text of 5 MB', message, longText],
])('an execution ends when the answer is one %s', async (name, parameters, body) => {
	const { api, credential, service } = bench;
	service.faults.add({ kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } });
	const { id } = await api.createWorkflow(chain(name, [{ name: 'Node', parameters }], credential));
	expect(['success', 'error']).toContain((await api.runWorkflow(id)).status);
	// n8n still works.
	service.faults.clear();
	expect((await api.runWorkflow(id)).status).toBe('success');
});
