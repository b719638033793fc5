import type { IDataObject } from 'n8n-workflow';

import { notFound, underMaintenance, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { addContacts, SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { wordsOf } from '../operations/words';
import { modes } from './everyOperation';
import { hintsOf, type RunResult } from './harness';
import { countsIn, refusal } from './messages';
import { scene } from './scene';
import { askedOf, partsIn, upsertMany } from './variablesMany';

/* Contact Variable, Create or Update Many: what is said of an item of which only a part is done. */

const { service, run } = scene(upsertMany());
const { telegram, whatsapp, viber } = SEEDED.contacts;
const unknown = operationOf('contactVariable/upsertMany').unknown!;

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
const failuresIn = ({ outputs, error }: RunResult) =>
	error
		? [
				{
					item: Number(/\[Item (\d+)\]/.exec(error.message)?.[1]),
					title: error.message,
					text: String(error.description),
				},
			]
		: outputs
				.flat()
				.filter(({ json }) => json.error)
				.map(({ json: { error: title, message }, pairedItem }) => ({
					...{ item: (pairedItem as { item: number }).item, title: String(title), text: String(message) },
				}));

/** Names of other items in what is said of an item. */
const isOfOther = (item: number, text: string) =>
	[...text.matchAll(/(?:Город|Уровень|Время) (\d+)/g)].some(([, number]) => Number(number) !== item);

describe.each(modes)('a refusal, %s,', (onError) => {
	test.each([0, 1, 2])('of variable %i says which are set, and ends the item', async (failing) => {
		const names = namesOf(1);
		// In stop mode, the others end before.
		if (onError === 'stopWorkflow')
			service.faults.add({ kind: 'delay', ms: 1500, match: named(names[failing]!) });
		service.faults.add({ ...refusal, match: named(names[failing]!) });
		const result = await run({ items: people, node: { onError } });
		const { message, description } = valuesRefused(422, [], 'The given data was invalid.');
		const [failure, ...others] = failuresIn(result);
		expect(others).toEqual([]);
		expect(failure).toMatchObject({ item: 1, title: `${message} [Item 1]` });
		expect(failure!.text.replace(/^\d[^.]*\. /, '').startsWith(description)).toBe(true);
		expect(partsIn(failure!.text)).toEqual({
			failed: [names[failing]],
			set: names.slice(0, failing),
			rest: names.slice(failing + 1),
		});
		expect(namesAsked(whatsapp)).toEqual(names.slice(0, failing + 1));
		expect([namesAsked(telegram), namesAsked(viber)]).toEqual([namesOf(0), namesOf(2)]);
		if (onError === 'stopWorkflow') expect(countsIn(failure!.text)).toEqual([3, 2, 1, 0]);
		else expect(result.outputs.flat().filter(({ json }) => json.success)).toHaveLength(2);
	});

	test('of the only variable needs no names', async () => {
		service.faults.add({ ...refusal, match: named('Город 1') });
		const only = { id: whatsapp, form: { 'Город 1': 'Омск' } };
		const [failure] = failuresIn(await run({ items: [only], node: { onError } }));
		expect(failure!.text).toBe(valuesRefused(422, [], 'The given data was invalid.').description);
	});

	test('of a contact deleted meanwhile names the contact', async () => {
		const deletes = ({ input }: { input: IDataObject }) =>
			input.name === namesOf(1)[1] && service.data.contacts.delete(whatsapp);
		service.faults.add({ kind: 'delay', ms: 0, match: { where: deletes as never } });
		const [failure] = failuresIn(await run({ items: [people[1]!], node: { onError } }));
		const contact = expectedBy(wordsOf('contactVariable/upsertMany').fieldAt('contactId'));
		expect(failure!.title).toBe(`${notFound(404, contact).message} [Item 0]`);
		expect(partsIn(failure!.text)).toEqual({ failed: ['Уровень 1'], set: ['Город 1'], rest: ['Время 1'] });
	});

	test('of the account ends the run, each item says its own', async () => {
		const all = addContacts(service.data, 30).map(({ id }, item) => itemFor(id, item));
		const isRefused = (item: number) => item < 3;
		// The first items are refused at their second variable, while the others wait for their first answer.
		const second = matching(/^Уровень [0-2]$/);
		const others = matching(/ (?:[3-9]|\d\d)$/);
		service.faults.add({ kind: 'delay', ms: 300, match: second });
		service.faults.add({ kind: 'forbidden', match: second });
		service.faults.add({ kind: 'delay', ms: 1000, match: others });
		const result = await run({ items: all, node: { onError } });
		const failures = failuresIn(result);
		for (const { item, title, text } of failures)
			expect([title, text, isOfOther(item!, text)]).toEqual([title, text, false]);
		const asks = all.map(({ id }) => namesAsked(id).length);
		if (onError === 'stopWorkflow') {
			expect(partsIn(failures[0]!.text)).toMatchObject({ set: [`Город ${failures[0]!.item}`] });
			expect(failures[0]!.text).toMatch(/^\d[^.]*, \d+ in progress/);
			return;
		}
		expect(failures).toHaveLength(30);
		const partly = failures.filter(({ item }) => !isRefused(item!) && asks[item!]);
		const notBegun = failures.filter(({ item }) => !asks[item!]);
		for (const { item, text } of failures.slice(0, 3)) expect(partsIn(text)?.set).toEqual([`Город ${item}`]);
		expect([partly.length > 0, notBegun.length > 0]).toEqual([true, true]);
		for (const { title, text } of partly) {
			expect(`${title} ${text}`).not.toMatch(/nothing was/i);
			expect(text).toMatch(/part of this item is done/i);
		}
		for (const { title } of notBegun) expect(title).toMatch(/^Nothing was sent\./);
		expect(hintsOf(result).join()).not.toMatch(/Город|Уровень|Время/);
	});
});

describe('a failure that may be the fault of the moment', () => {
	test.each<[string, Fault]>([
		['a reset after the variable is set', { kind: 'reset', when: 'after' }],
		['a refusal by the limit', { kind: 'too many', retryAfter: 1 }],
	])('%s is repeated for its variable alone', async (_, fault) => {
		service.faults.add({ ...fault, match: { ...named('Уровень 0'), times: 1 } });
		expect((await run({ items: [people[0]!] })).json).toEqual([{ success: true }]);
		expect(namesAsked(telegram)).toEqual(['Город 0', 'Уровень 0', 'Уровень 0', 'Время 0']);
		const names = service.data.contacts.get(telegram)!.variables.map(({ name }) => name);
		expect(names.filter((name) => name.endsWith(' 0'))).toEqual(namesOf(0));
	});

	test('and that lasts leaves its outcome unknown', async () => {
		service.faults.add({ kind: 'server error', match: named('Уровень 0') });
		const [failure] = failuresIn(await run({ items: [people[0]!] }));
		expect(failure!.text.startsWith(unknown)).toBe(true);
		expect(partsIn(failure!.text)).toEqual({ failed: ['Уровень 0'], set: ['Город 0'], rest: ['Время 0'] });
		expect(namesAsked(telegram)).toEqual(['Город 0', 'Уровень 0', 'Уровень 0', 'Уровень 0']);
	});

	test('of the account says which are set', async () => {
		service.faults.add({ kind: 'maintenance', retryAfter: 900, match: named('Время 0') });
		const [failure] = failuresIn(await run({ items: [people[0]!] }));
		expect(failure!.title).toBe(`${underMaintenance(503).message} [Item 0]`);
		expect(failure!.text).not.toMatch(/nothing was/i);
		expect(partsIn(failure!.text)).toEqual({ failed: ['Время 0'], set: ['Город 0', 'Уровень 0'], rest: [] });
	});
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
