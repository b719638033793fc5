import { chain } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/* Answers that no service should give: in a real n8n, each execution still ends and can be opened. */

const bench = duringTests(openBench);

const parameters = {
	resource: 'message',
	operation: 'send',
	contactId: String(SEEDED.contacts.telegram),
	text: 'Здравствуйте',
};
const nested = `${'{"а":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
const longText = JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) });

test.each([
	['nested 30,000 deep', `{"success":true,"а":${nested}}`],
	['with a text of 5 MB', longText],
])('an execution ends when the answer is one %s', async (name, body) => {
	const { api, credential, service } = bench;
	service.faults.add({ kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } });
	const { id } = await api.createWorkflow(chain(name, [{ name: 'Node', parameters }], credential));
	expect(['success', 'error']).toContain((await api.runWorkflow(id)).status);
	// n8n still works.
	service.faults.clear();
	expect((await api.runWorkflow(id)).status).toBe('success');
});
