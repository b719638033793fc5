import { description, operationsOf } from '../description/editor';
import { labelOf, wordsOf } from '../operations/words';
import { addContacts, SEEDED, type Emulator } from '../../sandbox/emulator';
import { type Editor, Walk } from './editor';
import { openBench } from './support/bench';
import { eventually, openEditorBench } from './support/editor';
import { blocked, refusal } from './support/examples';
import { duringTests } from '../duringTests';

/* README's broadcast, as a new user builds it in the editor: whom it reaches, and what that costs in clicks. */

const { school, flowers } = SEEDED.bots;
const tag = 'Открытый урок';
const invitation = 'Ждём вас в субботу на открытом уроке, ';

/** Those of messengers: a busy machine may delay requests so that the account's refuses one. */
const limits = { account: null };

const bench = duringTests(async () => await openEditorBench(() => openBench({ limits }), 'ru-RU'));
let editor: Editor;
let service: Emulator;

beforeAll(async () => {
	({ editor, service } = bench);
	// A new user has none.
	await bench.api.deleteCredential(bench.credential.id);
});

const actionOf = (resource: string, operation: string) =>
	operationsOf(resource).find(({ value }) => value === operation)!.action!;

const getMany = actionOf('contact', 'getAll');

/** Chooses an operation of the node in the open node panel. */
async function addOperation(walk: Walk, action: string): Promise<void> {
	const { nodePanel, details } = editor;
	await nodePanel.untilFocused();
	await walk.type('Search', nodePanel.searchBox, 'рассылка');
	await nodePanel.entry(description.displayName).waitFor();
	await walk.key('Enter');
	await walk.click(action, nodePanel.entry(action));
	await details.untilShown();
}

/** Opens the list of what a collection can have. */
async function addTo(operation: string, collection: string, walk: Walk): Promise<void> {
	const { placeholder } = wordsOf(operation).fieldAt(collection);
	await walk.click(placeholder!, editor.details.addButton(placeholder!));
}

async function connect(walk: Walk): Promise<void> {
	const { credential, details } = editor;
	await walk.click('the button for the credential', details.connectButton);
	await credential.untilShown();
	await walk.type('Base URL', credential.input('baseUrl'), service.url);
	await walk.type('API Token', credential.input('token'), service.token);
	await walk.click('Save', credential.saveButton);
	await credential.untilHidden();
}

async function choosePeople(walk: Walk): Promise<void> {
	const { details } = editor;
	const label = (path: string) => labelOf('contact/getAll', path);
	await walk.type(label('botId'), details.input('botId'), String(school));
	await walk.click(label('returnAll'), details.switch('returnAll'));
	await addTo('contact/getAll', 'filters', walk);
	await walk.click(label('filters.hasAllTags'), details.option(label('filters.hasAllTags')));
	await walk.type(label('filters.hasAllTags'), details.input('hasAllTags'), tag);
	await walk.click('Execute step', details.executeButton);
	await details.output.untilRun();
}

async function writeMessage(walk: Walk): Promise<void> {
	const { details } = editor;
	const label = (path: string) => labelOf('message/send', path);
	await walk.drag('id', details.inputField('id'), details.parameter('contactId'));
	await walk.drag('name', details.inputField('name'), details.parameter('text'));
	// The cursor is in front of the name.
	await walk.type(label('text'), details.parameter('text'), invitation);
	await addTo('message/send', 'options', walk);
	await walk.click(label('options.sendOncePer'), details.option(label('options.sendOncePer')));
	await walk.type(label('options.sendOncePer'), details.input('sendOncePer'), 'открытый урок');
}

async function sendToAll(walk: Walk): Promise<void> {
	const { details } = editor;
	await walk.click('Settings', details.settingsTab);
	await walk.click('On Error', details.input('onError'));
	await walk.click('Continue (using error output)', details.option('Continue (using error output)'));
	await walk.click('Execute step', details.executeButton);
	await details.output.untilRun();
}

test('a broadcast takes at most 25 clicks and 8 fields', async () => {
	service.data.bots.get(school)!.tags.push(tag);
	const people = [
		...addContacts(service.data, 3, { messenger: 'telegram' }),
		...addContacts(service.data, 2, { messenger: 'whatsapp' }),
	];
	const ofAnotherBot = addContacts(service.data, 1, { botId: flowers });
	for (const { tags } of [...people, ...ofAnotherBot]) tags.push(tag);
	const [unreached, ...reached] = people;
	service.faults.add(refusal('sendMessage', unreached!.id));

	const { page, details } = editor;
	const walk = new Walk(page);
	await editor.openHome();
	await walk.go(async () => {
		await walk.click('Create workflow', editor.newWorkflowButton);
		await walk.click('Add first step', editor.firstStepButton);
		await addOperation(walk, getMany);
		await connect(walk);
		await choosePeople(walk);
		await walk.key('Escape');
		await walk.click(`+ behind ${getMany}`, editor.plusBehind(getMany));
		await addOperation(walk, actionOf('message', 'send'));
		await writeMessage(walk);
		await sendToAll(walk);
		await walk.click('Error Branch', details.output.tab(1));

		await eventually(async () =>
			expect(await details.output.rows()).toMatchObject([
				{ name: unreached!.name, message: expect.stringContaining(blocked) as string },
			]),
		);
		const sent = service.deliveries().map(({ contactId, text }) => [contactId, text]);
		expect(sent.sort()).toEqual(reached.map(({ id, name }) => [id, invitation + name]));
		expect(walk.counted.clicks).toBeLessThanOrEqual(25);
		expect(walk.counted.fields).toBeLessThanOrEqual(8);
	});
	service.assertContract();
});

test('unnamed messengers keep their limits', () => {
	expect(service.requests.map(({ refusedBy }) => refusedBy).filter(Boolean)).toEqual([]);
});
