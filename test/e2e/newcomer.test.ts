import { packageName, stopwatch } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/service';
import { description, operationsOf } from '../description/editor';
import { type EditorBench, openEditorBench, pictured } from './support/editor';
import { eventually } from './support/eventually';

/* How much somebody has to do who has never used the package: every click and every field is counted. */

jest.setTimeout(600_000);

let bench: EditorBench;
beforeAll(async () => {
	bench = await openEditorBench('newcomer');
	// A newcomer has none.
	for (const { id } of await bench.api.credentials()) await bench.api.deleteCredential(id);
});
afterAll(async () => await bench?.stop());

/** Counts what is done from now on; the function it returns prints and tells the result. */
function measure(title: string) {
	const { hand } = bench.editor;
	const before = { clicks: hand.clicks, fields: hand.fields };
	const taken = stopwatch();
	return () => {
		const effort = { clicks: hand.clicks - before.clicks, fields: hand.fields - before.fields };
		process.stdout.write(`${title}: ${effort.clicks} clicks, ${effort.fields} fields, ${taken()}\n`);
		return effort;
	};
}

// n8n's installer takes packages of the public registry only, so the dialog is filled in and left there.
test("installing takes n8n's dialog one field, a tick and a click", async () => {
	const { editor } = bench;
	await pictured(editor, async () => {
		const effort = measure('Installing, but for the last click');
		const installation = await editor.openInstallation();
		expect(await installation.isReady()).toBe(false);
		await installation.prepare(packageName);
		await eventually(async () => expect(await installation.isReady()).toBe(true));
		// Settings, Community nodes, Install, and the tick.
		expect(effort()).toEqual({ clicks: 4, fields: 1 });
	});
});

test('from the installed package to the first message delivered', async () => {
	const { editor, service } = bench;
	await pictured(editor, async () => {
		await editor.openHome();
		const effort = measure('From the installed package to the first message');
		await editor.newWorkflow();
		const panel = await editor.addFirstStep();
		await panel.search('chatbot');
		await panel.pick(description.displayName);
		await panel.pick(operationsOf('message').find(({ value }) => value === 'send')!.action!);
		const { details } = editor;
		await details.untilShown();

		const credential = await details.connect();
		await credential.fill('baseUrl', service.url);
		await credential.fill('token', service.token);
		await credential.save();
		await credential.untilHidden();

		await details.fill('contactId', String(SEEDED.contacts.telegram));
		await details.fill('text', 'Здравствуйте!');
		await details.execute();

		expect(service.deliveries()).toMatchObject([
			{ contactId: SEEDED.contacts.telegram, text: 'Здравствуйте!' },
		]);
		service.assertContract();
		const { clicks, fields } = effort();
		// A search, the address, the token, whom to write to and what.
		expect(fields).toBeLessThanOrEqual(5);
		// New workflow, first step, node, action, credential, Save, Execute step.
		expect(clicks).toBeLessThanOrEqual(7);
	});
});
