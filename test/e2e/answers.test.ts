import { chain } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/* Answers that no service should give: in a real n8n, each execution still ends and can be opened. */

const bench = duringTests(openBench);

const nested = (depth: number) => `${'{"а":'.repeat(depth)}1${'}'.repeat(depth)}`;
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

test.each<[string, Record<string, unknown>, string]>([
	['nested 30,000 deep', message, `{"success":true,"а":${nested(30_000)}}`],
	['nested 30,000 deep that confirms nothing', message, nested(30_000)],
	[
		'with 100,000 rows',
		tags,
		JSON.stringify({ data: Array.from({ length: 100_000 }, (_, n) => `тег ${n}`) }),
	],
	['with a text of 5 MB', message, JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) })],
])('an execution ends when the answer is one %s', async (name, parameters, body) => {
	const { api, credential, service } = bench;
	service.faults.clear();
	service.faults.add({ kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } });
	const { id } = await api.createWorkflow(chain(name, [{ name: 'Node', parameters }], credential));
	const { status } = await api.runWorkflow(id);
	expect(['success', 'error']).toContain(status);
	// n8n still works.
	service.faults.clear();
	const next = await api.createWorkflow(chain('Next', [{ name: 'Node', parameters: message }], credential));
	expect((await api.runWorkflow(next.id)).status).toBe('success');
});
