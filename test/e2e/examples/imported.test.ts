import { SEEDED } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { duringTests } from '../../duringTests';
import { openEditorBench } from '../support/editor';
import { exampleOf } from '../support/examples';

/* An example that was imported before its credential was there: what examples/README.md says leads out. */

const bench = duringTests(openEditorBench);

test('a workflow imported without a credential fails with the words of the page, and runs once it is opened and saved', async () => {
	const { api, credential, editor, service } = bench;
	await api.deleteCredential(credential.id);
	const { id } = await api.createWorkflow(exampleOf('welcome-new-leads.json'));
	const failed = await api.runWorkflow(id);
	expect(failed.status).toBe('error');
	expect(failed.error?.message).toContain('uses invalid credential');
	expect(service.requests).toEqual([]);

	await api.createCredential(credentialFor(service, { requestsPerSecond: 0 }));
	// n8n stores the credential only with the workflow.
	expect((await api.runWorkflow(id)).status).toBe('error');

	await editor.openWorkflow(id);
	await editor.save();
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.deliveries().map(({ contactId }) => contactId)).toContain(SEEDED.contacts.telegram);
});
