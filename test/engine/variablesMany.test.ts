import type { IDataObject } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { modes } from './everyOperation';
import { credentialFor } from './harness';
import { scene } from './scene';
import { asJson, asRows, askedOf, upsertMany, variablesOf, type Row } from './variablesMany';

/*
 * Contact Variable, Create or Update Many: one request after the other, and nothing leaves of an item that is wrong. Values that are
 * refused: cases/contactCases.
 */

const { service, run, answers } = scene(upsertMany());
const { telegram, whatsapp, viber } = SEEDED.contacts;

const form = { Уровень: 'B2', Город: 'Тверь', 'Удобное время': 'после 18:00' };
const inForm = Object.entries(form);
const codeOf = (name: string) => `{{ $json.form['${name}'] }}`;

/** The item and its variables. */
const of = (id: number, variables: IDataObject = form) => ({ id, form: variables });
const asked = (id: number, variables: IDataObject = form) =>
	Object.entries(variables).map(([name, value]) => [id, name, String(value)]);
const success = { success: true };

test.each<[string, object]>([
	['rows', asRows(...inForm)],
	['rows with expressions', asRows(...inForm.map(([name]): Row => [name, `=${codeOf(name)}`]))],
	['names by expressions', asRows(...inForm.map(([name, value]): Row => [`={{ '${name}' }}`, value]))],
	['an object of the item', asJson('={{ $json.form }}')],
	['an object as text', asJson(JSON.stringify(form))],
	['the text of an object in the item', asJson('={{ $json.text }}')],
	['a text with expressions', asJson(`={${inForm.map(([name]) => `"${name}": "${codeOf(name)}"`).join()}}`)],
])('variables come from %s, in their order', async (_, variables) => {
	service.faults.add({ kind: 'delay', ms: 20 });
	const items = [{ ...of(telegram), text: JSON.stringify(form) }];
	const { error, outputs } = await run({ items, with: variables });
	expect([error, outputs]).toEqual([undefined, [[{ json: success, pairedItem: { item: 0 } }]]]);
	expect(askedOf(service)).toEqual(asked(telegram));
	expect(variablesOf(service, telegram)).toMatchObject(form);
	// Each one leaves after the answer to the one before.
	for (const [index, { arrivedAt }] of service.requests.slice(1).entries())
		expect(arrivedAt).toBeGreaterThan(service.requests[index]!.answeredAt!);
});

test.each<[string, object, IDataObject]>([
	['values', asRows(['Город', "={{ $fromAI('city') }}"], ['Уровень', 'B2']), { city: 'Тверь' }],
	['an object', asJson("={{ $fromAI('all', '', 'json') }}"), { all: { Город: 'Тверь', Уровень: 'B2' } }],
	['a text', asJson("={{ $fromAI('all') }}"), { all: '{"Город": "Тверь", "Уровень": "B2"}' }],
])('a model passes %s', async (_, variables, call) => {
	const done = JSON.stringify([success]);
	expect(await answers(call, { with: { ...variables, contactId: String(telegram) } })).toEqual([done, done]);
	const both = asked(telegram, { Город: 'Тверь', Уровень: 'B2' });
	expect(askedOf(service)).toEqual([...both, ...both]);
});

test.each<[string, string[]]>([
	['={{ $json }}', ['Город']],
	["={{ Object.assign({ formMode: '' }, $json) }}", ['formMode', 'Город']],
	["={{ Object.assign({ id: '' }, $json) }}", ['id', 'Город']],
])('columns of n8n stay out unless mentioned: %s', async (code, sent) => {
	const times = { submittedAt: '2026-11-25', createdAt: '2026-11-25', updatedAt: '2026-11-25' };
	const ofForm = { formMode: 'production', formQueryParameters: { utm: 'осень' } };
	const ofN8n = { row_number: 2, toolCallId: 'call_1', ...ofForm, ...times };
	const parameters = { ...asJson(code), contactId: String(telegram) };
	const { error } = await run({ with: parameters, items: [{ id: 7, Город: 'Тверь', ...ofN8n }] });
	expect([error, askedOf(service).map(([, name]) => name)]).toEqual([undefined, sent]);
});

test('all items share the pace of the account', async () => {
	const credential = credentialFor(service, { requestsPerSecond: 4 });
	const { json } = await run({ items: [of(telegram), of(whatsapp), of(viber)], credential });
	expect(json).toEqual(Array(3).fill(success));
	const times = service.requests.map(({ arrivedAt }) => arrivedAt);
	expect(times).toHaveLength(9);
	for (const [index, time] of times.slice(4).entries()) expect(time - times[index]!).toBeGreaterThan(950);
});

test.each<[string, IDataObject]>([
	['200 of them', Object.fromEntries(Array.from({ length: 200 }, (_, each) => [`Вопрос ${each}`, each]))],
	['thousands of letters', { Город: 'Тверь', ['Имя'.repeat(1333)]: 'Ответ '.repeat(666).trim() }],
])('an item can have %s', async (_, variables) => {
	expect((await run({ items: [of(telegram, variables)] })).json).toEqual([success]);
	expect(askedOf(service)).toEqual(asked(telegram, variables));
});

test('a service may require whether it removes them', async () => {
	service.dialect.newVariable = 'deletable';
	expect((await run({ items: [of(telegram)] })).json).toEqual([success]);
	expect(service.requests.map(({ input }) => input.deletable)).toEqual(['0', '0', '0']);
});

test.each(['__proto__', 'constructor', 'toString', 'order.id', 'tags[0]', 'Сумма, ₽'])(
	'a variable may have the name %s',
	async (name) => {
		for (const variables of [asRows([name, 'да']), asJson(`{ ${JSON.stringify(name)}: "да" }`)])
			expect((await run({ items: [of(telegram)], with: variables })).error).toBeUndefined();
		expect(askedOf(service)).toEqual([1, 2].map(() => [telegram, name, 'да']));
	},
);

test.each(['usual', 'wrapped'] as const)('items are linked to their output: %s answers', async (answer) => {
	Object.assign(service.dialect, { answers: answer, changes: answer === 'wrapped' ? 'answered' : 'unsaid' });
	const people = [of(telegram), of(whatsapp, { Город: 'Омск' }), of(viber)];
	const { outputs } = await run({ items: people });
	expect(outputs).toEqual([people.map((_, item) => ({ json: success, pairedItem: { item } }))]);
});

test('items of one contact keep their order', async () => {
	service.faults.add({ kind: 'delay', ms: [0, 30] });
	const later = { Город: 'Псков', Уровень: 'C1' };
	await run({ items: [of(telegram), of(whatsapp), of(telegram, later), of(telegram)] });
	expect(askedOf(service, telegram)).toEqual([...inForm, ...Object.entries(later), ...inForm]);
	// The other contact did not wait for them.
	expect(askedOf(service).findIndex(([id]) => id === whatsapp)).toBeLessThan(3);
});

test.each(modes)('an item with a wrong last value sends nothing: %s', async (onError) => {
	const items = [of(telegram), of(whatsapp, { ...form, 'Удобное время': { с: 18 } }), of(viber)];
	const { error, outputs } = await run({ items, node: { onError } });
	expect(askedOf(service, whatsapp)).toEqual([]);
	if (onError === 'stopWorkflow') {
		expect(error?.message).toMatch(/Удобное время'.* \[Item 1\]$/);
		expect(service.requests).toEqual([]);
		return;
	}
	expect([askedOf(service, telegram), askedOf(service, viber)]).toEqual([inForm, inForm]);
	expect(outputs.flat().filter(({ json }) => json.error)).toMatchObject([
		{ json: { error: expect.stringContaining('Удобное время') }, pairedItem: { item: 1 } },
	]);
});
