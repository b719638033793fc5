import type { IDataObject } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { scene } from './scene';
import { asJson, asRows, askedOf, upsertMany, variablesOf, type Row } from './variablesMany';

/*
 * Contact Variable, Create or Update Many: one request after the other, and nothing leaves of an item that is wrong. Values that are
 * refused: cases/contactCases; a model that passes them: tool.test.ts.
 */

const { service, run } = scene(upsertMany());
const { telegram } = SEEDED.contacts;

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
	['an object of the item', asJson('={{ $json.form }}')],
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
