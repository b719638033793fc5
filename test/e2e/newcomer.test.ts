import { SEEDED } from '../../sandbox/emulator';
import { description, operationsOf } from '../description/editor';
import { openEditorBench, pictureOfTest } from './support/editor';
import { duringTests } from './support/duringTests';

/* How many steps a new user of the package needs: every click and every field is counted. */

const bench = duringTests(async () => await openEditorBench('newcomer'));
const effort = { clicks: 0, fields: 0 };

beforeAll(async () => {
	await bench.api.deleteCredential(bench.credential.id);
	const { page } = bench.editor;
	await page.exposeFunction('count', (what: keyof typeof effort) => effort[what]++);
	await page.addInitScript(`
		addEventListener('pointerdown', () => count('clicks'), true);
		addEventListener('input', (event) => event instanceof InputEvent && count('fields'), true);
	`);
});
afterEach(async () => await pictureOfTest(bench.editor));

test('a newcomer gets from the installed package to the first message in seven clicks and five fields', async () => {
	const { editor, service } = bench;
	await editor.openHome();
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
	// New workflow, first step, node, action, credential, Save, Execute step; a search, the address, the token, the recipient and
	// the text.
	expect(effort).toEqual({ clicks: 7, fields: 5 });
});
