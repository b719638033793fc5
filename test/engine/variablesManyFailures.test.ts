import type { IDataObject } from 'n8n-workflow';

import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { expectedBy } from '../../nodes/ChatbotService/resources/operationRequest';
import { addContacts, SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { wordsOf } from '../operations/words';
import { modes, type Mode } from './everyOperation';
import { hintsOf, type RunResult } from './harness';
import { countsIn, refusal } from './messages';
import { scene } from './scene';
import { askedOf, partsIn, upsertMany } from './variablesMany';

/* Contact Variable, Create or Update Many: what is said of an item of which only a part is done. */

const { service, run } = scene(upsertMany());
const { telegram, whatsapp, viber } = SEEDED.contacts;

/** Items with names of their own, so that their texts show whose they are. */
const itemFor = (id: number, item: number) => ({
	id,
	form: Object.fromEntries(['Город', 'Уровень', 'Время'].map((name) => [`${name} ${item}`, `ответ ${item}`])),
});
const people = [telegram, whatsapp, viber].map(itemFor);
const namesOf = (item: number) => Object.keys(people[item]!.form);
const namesAsked = (id: number) => askedOf(service, id).map(([name]) => name);

const matching = (name: RegExp): Fault['match'] => ({ where: ({ input }) => name.test(String(input.name)) });
const named = (name: string) => matching(new RegExp(`^${name}$`));

/** What the items say that have failed, in their order. */
const failuresIn = ({ outputs, error }: RunResult) => {
	const failed = outputs.flat().filter(({ json }) => json.error);
	return (error ? [[error.message, error.description]] : failed.map(({ json }) => [json.error, json.message]))
		.map((said) => said.map(String) as [string, string])
		.map(([title, text]) => ({ item: Number(/\[Item (\d+)\]$/.exec(title)![1]), title, text }));
};

/** Names of other items in what is said of an item. */
const isOfOther = (item: number, text: string) =>
	[...text.matchAll(/(?:Город|Уровень|Время) (\d+)/g)].some(([, number]) => Number(number) !== item);

const refused = failures.valuesRefused([], 'The given data was invalid.');
const contact = expectedBy(wordsOf('contactVariable/upsertMany').fieldAt('contactId'));
const closed: Fault = { kind: 'maintenance', retryAfter: 900 };

const deletes = ({ input }: { input: IDataObject }) =>
	input.name === namesOf(1)[1] && service.data.contacts.delete(whatsapp);
const deletion: Fault = { kind: 'delay', ms: 0, match: { where: deletes as never } };

test.each<[string, Mode, at: number, Fault, failures.Failure]>([
	['a refusal', modes[0], 1, refusal, refused],
	['a refusal', modes[1], 0, refusal, refused],
	['a refusal', modes[2], 2, refusal, refused],
	['a failure that lasts', modes[0], 1, { kind: 'server error' }, failures.serviceFailed(500)],
	['maintenance', modes[2], 2, closed, failures.underMaintenance()],
	['a contact deleted meanwhile', modes[1], 1, deletion, failures.notFound(contact)],
])('%s, %s: at variable %i, it says which are set', async (what, onError, at, fault, failure) => {
	const names = namesOf(1);
	// So that the others end before.
	service.faults.add({ kind: 'delay', ms: 1000, match: { ...named(names[at]!), times: 1 } });
	service.faults.add({ match: named(names[at]!), ...fault });
	const result = await run({ items: people, node: { onError } });
	const said = failuresIn(result);
	expect(said).toMatchObject([{ item: 1, title: `${failure.message} [Item 1]` }]);
	const { text } = said[0]!;
	const { unknown } = operationOf('contactVariable/upsertMany');
	const begins = what === 'a failure that lasts' ? unknown! : failure === refused ? refused.description : '';
	expect([text, text.replace(/^\d[^.]*\. /, '').startsWith(begins)]).toEqual([text, true]);
	expect(text).not.toMatch(/nothing was/i);
	expect(partsIn(text)).toEqual({ failed: [names[at]], set: names.slice(0, at), rest: names.slice(at + 1) });
	expect([...new Set(namesAsked(whatsapp))]).toEqual(names.slice(0, at + 1));
	expect([namesAsked(telegram), namesAsked(viber)]).toEqual([namesOf(0), namesOf(2)]);
	if (onError === 'stopWorkflow') expect(countsIn(text)).toEqual([3, 2, 1, 0]);
	else expect(result.outputs.flat().filter(({ json }) => json.success)).toHaveLength(2);
});

test('a refusal of the only variable needs no names', async () => {
	service.faults.add({ ...refusal, match: named('Город 1') });
	const [failure] = failuresIn(await run({ items: [{ id: whatsapp, form: { 'Город 1': 'Омск' } }] }));
	expect(failure!.text).toBe(refused.description);
});

test.each(modes)('%s: of the account, each item says its own', async (onError) => {
	const all = addContacts(service.data, 30).map(({ id }, item) => itemFor(id, item));
	// The first items are refused at their second variable, while the others wait for their first answer.
	const second = matching(/^Уровень [0-2]$/);
	service.faults.add({ kind: 'delay', ms: 300, match: second });
	service.faults.add({ kind: 'forbidden', match: second });
	service.faults.add({ kind: 'delay', ms: 1000, match: matching(/ (?:[3-9]|\d\d)$/) });
	const result = await run({ items: all, node: { onError } });
	const said = failuresIn(result);
	expect(said.filter(({ item, text }) => isOfOther(item, text))).toEqual([]);
	if (onError === 'stopWorkflow') {
		expect(partsIn(said[0]!.text)).toMatchObject({ set: [`Город ${said[0]!.item}`] });
		expect(said[0]!.text).toMatch(/^\d[^.]*, \d+ in progress/);
		return;
	}
	expect(said).toHaveLength(30);
	for (const { item, text } of said.slice(0, 3)) expect(partsIn(text)?.set).toEqual([`Город ${item}`]);
	const isBegun = ({ item }: { item: number }) => namesAsked(all[item]!.id).length > 0;
	const [partly, notBegun] = [said.slice(3).filter(isBegun), said.filter((each) => !isBegun(each))];
	expect([partly.length > 0, notBegun.length > 0]).toEqual([true, true]);
	for (const { title, text } of partly) {
		expect(`${title} ${text}`).not.toMatch(/nothing was/i);
		expect(text).toMatch(/part of this item is done/i);
	}
	for (const { title } of notBegun) expect(title).toMatch(/^Nothing was sent\./);
	expect(hintsOf(result).join()).not.toMatch(/Город|Уровень|Время/);
});

test('an item halfway does not go on after a failure', async () => {
	service.faults.add({ kind: 'delay', ms: 300, match: named('Уровень 0') });
	service.faults.add({ ...refusal, match: named('Уровень 1') });
	const [failure] = failuresIn(await run({ items: people.slice(0, 2) }));
	expect(failure).toMatchObject({ item: 1, text: expect.stringContaining('1 in progress') as string });
	expect(isOfOther(1, failure!.text)).toBe(false);
	expect(namesAsked(telegram)).toEqual(['Город 0', 'Уровень 0']);
});

test('a failure of one of 200 names some, counts others', async () => {
	const names = Array.from({ length: 200 }, (_, index) => `Вопрос ${index}`);
	service.faults.add({ kind: 'server error', match: named(names[100]!) });
	const form = Object.fromEntries(names.map((name) => [name, 'да']));
	const { error } = await run({ items: [{ id: telegram, form }] });
	const { failed, set } = partsIn(error?.description)!;
	expect([failed, set.slice(0, 2)]).toEqual([[names[100]], names.slice(0, 2)]);
	expect(error?.description).toMatch(/70 more\. Not attempted: .*69 more\.$/);
});
