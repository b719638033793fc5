import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tokenRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { noConditionsHint, paceHints, sendOncePerHint } from '../../nodes/ChatbotService/description/hints';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { hintOf } from '../../nodes/ChatbotService/run/output';
import { withoutValues } from '../../nodes/ChatbotService/run/values/problems';
import type { Editor } from './editor';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { description, operationsOf, properties } from '../description/editor';
import { labelOf } from '../operations/words';
import { complaintsOf, eventually, openEditorBench, openOver } from './support/editor';
import { duringTests } from '../duringTests';

/* What only a browser can show: n8n's editor as a person uses it. The texts come from the description, the data from the emulator. */

const { bots, contacts, schemaCount } = SEEDED;
const bad = { id: 'абв', name: 'Иван' };
const people = [{ id: contacts.telegram, name: 'Анна' }, bad, { id: contacts.viber, name: 'Мария' }];
const contactLabel = labelOf('message/send', 'contactId');
const send = {
	name: 'Send message',
	parameters: {
		resource: 'message',
		operation: 'send',
		contactId: '={{ $json.id }}',
		text: '=Здравствуйте, {{ $json.name }}!',
	},
};

const bench = duringTests(openEditorBench);
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ editor, service } = bench));
beforeEach(async () => await editor.details.close());
afterEach(() => {
	service.assertContract();
	service.reset();
});

test('a person creates a credential, and its test explains an error until it passes', async () => {
	const { displayName, test: credentialTest } = new ChatbotServiceApi();
	const refused = credentialTest.rules!.find(({ properties: { value } }) => value === 401)!;
	const dialog = await editor.newCredential(displayName);
	await dialog.fill('baseUrl', service.url);
	await dialog.fill('token', 'not-the-token');
	await dialog.save();
	await eventually(async () => expect(await dialog.outcome()).toContain(refused.properties.message));
	await dialog.fill('token', service.token);
	await dialog.save();
	await eventually(async () => expect(await dialog.outcome()).toContain('Connection tested successfully'));
	await dialog.close();
	const stored = (await bench.api.credentials()).filter(({ id }) => id !== bench.credential.id);
	expect(stored.map(({ type }) => type)).toEqual(['chatbotServiceApi']);
	await bench.api.deleteCredential(stored[0]!.id);
});

test('the bin of its values does not switch Sending Hours off: nothing is sent', async () => {
	const options = { sendingHours: { values: { from: '00:00', until: '23:59' } } };
	const recipients = people.filter((each) => each !== bad);
	const details = await openOver(bench, recipients, { ...send, parameters: { ...send.parameters, options } });
	await details.deleteItem.hover();
	await details.deleteItem.click();
	await details.execute();
	expect((await details.output.error()).message).toContain(withoutValues('Sending Hours').message);
	expect(service.requests).toEqual([]);
});

test('the editor says that n8n leaves out a filter by variables without conditions', async () => {
	const filters = { variables: { conditions: [{ name: 'Город', condition: 'equals', value: 'Казань' }] } };
	const parameters = { resource: 'contact', operation: 'getAll', filters };
	const details = await openOver(bench, people.slice(0, 1), { name: 'Contacts', parameters });
	await details.executePrevious();
	await details.deleteItem.hover();
	await details.deleteItem.click();
	await eventually(async () => expect(await details.output.hints()).toEqual([noConditionsHint.message]));
});

// n8n offers this only before the first run of a workflow.
test('the editor shows the expected duration of a long run when its items are known', async () => {
	const many = Array.from({ length: 400 }, (_, index) => ({ id: contacts.telegram + index }));
	const details = await openOver(bench, many, send);
	await details.executePrevious();
	// The messenger is not known: one message per second, so 400 seconds.
	const [pace] = paceHints.filter(({ message }) => /\b3\b\D+\b10\b/.test(message));
	const hints = [pace!.message, sendOncePerHint.message];
	await eventually(async () => expect(await details.output.hints()).toEqual(hints));
});

test('a list schema is selected from a list of several pages', async () => {
	const names = [...service.data.listSchemas.values()].map(({ name }) => name);
	const parameters = { resource: 'listSchema', operation: 'get' };
	const details = await openOver(bench, [{}], { name: 'Get list', parameters });
	const list = details.list('schemaId');
	await list.open();
	await list.untilLoaded();
	while ((await list.entries()).length < schemaCount) await list.loadMore();
	expect(await list.entries()).toEqual(names);
	await list.search(names.at(-1)!);
	await eventually(async () => expect(await list.entries()).toEqual([names.at(-1)]));
	await list.pick(names.at(-1)!);
	expect(await list.picked()).toBe(names.at(-1));
});

test('a list that cannot be loaded says that the token is refused, and appears when it is opened again and can be loaded', async () => {
	service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
	const parameters = { resource: 'tag', operation: 'attach', botId: String(bots.school) };
	const list = (await openOver(bench, [{}], { name: 'Attach tag', parameters })).list('tagName');
	await list.open();
	const { message, description: advice } = tokenRefused(401, 'Unauthenticated.');
	expect(await list.problem()).toEqual({ message, description: advice, leadsToCredential: true });
	service.faults.clear();
	await list.close();
	await list.open();
	const { tags } = service.data.bots.get(bots.school)!;
	await eventually(async () => expect(await list.entries()).toEqual(tags));
});

test('a run that stops at an invalid item names the item and its field', async () => {
	const details = await openOver(bench, people, send);
	await details.execute();
	const error = await details.output.error();
	expect(error.message).toContain(`'${contactLabel}'`);
	expect(error.message).toMatch(/item 1\b/i);
	expect(error.description).toContain(bad.id);
	expect(service.requests).toEqual([]);
});

test('a run that continues shows the item with its error on the error branch, the others on the success branch, and the outcome above', async () => {
	const details = await openOver(bench, people, { ...send, onError: 'continueErrorOutput' });
	await details.execute();
	const success = { success: 'true' };
	await eventually(async () => expect(await details.output.items(0)).toEqual([success, success]));
	const error = expect.stringContaining(`'${contactLabel}'`) as string;
	await eventually(async () => expect(await details.output.items(1)).toMatchObject([{ ...bad, error }]));
	const outcomes = Object.assign(new Outcomes(3, Date.now), { done: 2, failed: 1 });
	expect(await details.output.hints()).toEqual([hintOf(outcomes, { verb: 'sent' })!.message]);
});

test('the node panel finds the node, offers every operation as an action, and opens the node with the operation', async () => {
	await openOver(bench, people, send);
	await editor.details.close();
	const panel = await editor.addNode();
	const { displayName } = description;
	for (const words of ['whatsapp', 'телеграм', 'рассылка']) {
		await panel.search('there is no node of this name');
		await eventually(async () => expect(await panel.entries()).not.toContain(displayName));
		await panel.search(words);
		await eventually(async () => expect(await panel.entries()).toContain(displayName));
	}
	await panel.pick(displayName);
	const everyAction = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ action }) => action!));
	await eventually(async () => expect((await panel.entries()).sort()).toEqual(everyAction.sort()));

	const option = operationsOf('listSchema').find(({ value }) => value === 'addField')!;
	await panel.pick(option.action!);
	await editor.details.untilShown();
	await eventually(async () => expect(await editor.details.title()).toBe(option.action));
	expect(await editor.details.value('operation')).toBe(option.name);
	expect(await editor.details.credential()).toBe(bench.credential.name);
});

test('the browser logs no errors except for the list that could not be loaded', () => {
	// n8n returns it as a refused request.
	const ofLists = /\/rest\/dynamic-node-parameters\/resource-locator-results$/;
	expect(complaintsOf(editor).filter(({ source }) => !ofLists.test(source))).toEqual([]);
});
