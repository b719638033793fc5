import { NodeHelpers, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { resources } from '../../nodes/ChatbotService/resources';
import { placesIn } from '../../nodes/ChatbotService/resources/places';
import { operations, variants } from '../operations';
import * as editor from './editor';
import { byTitle, chosen, kept, sampleOf, states } from './editor';

/* Which fields the editor shows and requires, by n8n's own resolution, and which values it keeps. */

const { description, everyParameter, flaggedIn, notices, parameters, properties, shownIn } = editor;

/** 'List: Get Many' with all results has no fields but its choices. */
const withFields = byTitle.filter(([, { shown, choices }]) => shown.some((name) => !(name in choices)));

const different = (names: string[]) => [...new Set(names)].sort();

test('the node has the operations of test/operations', () => {
	const [resource] = properties.filter(({ name }) => name === 'resource');
	const offered = (resource!.options as INodePropertyOptions[]).flatMap(({ value: of }) =>
		editor.operationsOf(String(of)).map(({ value }) => `${of}/${value}`),
	);
	expect(offered.sort()).toEqual(operations.map(({ title }) => title));
});

test('every parameter and notice belongs to an operation', () => {
	const expected = ['resource', 'operation', ...states.flatMap(({ shown }) => shown)];
	expect(different(parameters.map(({ name }) => name))).toEqual(different(expected));
	const noticed = variants.flatMap(({ notice }) => notice ?? []);
	expect(different(notices.map(({ name }) => name))).toEqual(different(noticed));
});

// Otherwise the node would read one of them where the other stands.
test('each field stands at one place of its operation', () => {
	for (const { option, fields } of resources.flatMap((resource) => resource.operations)) {
		const placed = placesIn(fields).map(([field]) => field);
		expect([option.action, placed.length]).toEqual([option.action, new Set(placed).size]);
	}
});

/** What the editor still holds of another operation. */
const held = states.map((before) => kept(chosen(before)));

test.each(byTitle)('the fields of %s are visible in their order', (_, each) => {
	const sample = kept(sampleOf(each));
	for (const before of held) {
		const shown = editor.shownWith({ ...before, ...sample });
		expect([before, ...shown.map(({ name }) => name)]).toEqual([before, ...each.shown]);
	}
	const { notice } = each.variant;
	expect(editor.noticesIn(chosen(each))).toEqual(notice ? [notice] : []);
});

test('a new node is set to send a text to a contact', () => {
	expect(kept({})).toMatchObject({ resource: 'message', operation: 'send' });
	const shown = ['recipient', 'contactId', 'contactMessenger', 'content', 'text', 'options'];
	expect(shownIn({}).map(({ name }) => name)).toEqual(shown);
});

test.each(['create', 'update', 'upsert'])('for %s, all fields of a list are mapped', (operation) => {
	const columnsOf = (list: string) => {
		const schemaId = { __rl: true, mode: 'id', value: list };
		return shownIn({ resource: 'listItem', operation, schemaId }).find(({ name }) => name === 'columns');
	};
	expect(columnsOf('64b7f0c2')!.typeOptions!.resourceMapper!.addAllFields).toBe(true);
	// Without a list, they would show an error.
	expect(columnsOf('')).toBeUndefined();
});

test.each(withFields)('the only empty field of %s is flagged if needed', (_, each) => {
	const values = sampleOf(each);
	for (const property of shownIn(chosen(each)).filter(({ name }) => !(name in each.choices))) {
		const expected = each.required.filter((name) => name === property.name || name === 'content');
		expect(flaggedIn({ ...values, [property.name]: editor.emptied(property) })).toEqual(expected);
	}
});

test("a condition has a 'Value' if it compares", () => {
	const conditions = ['equals', 'notEquals', 'exists', 'notExists'].map((condition) => {
		return { name: 'Город', condition, value: 'Казань' };
	});
	const entered = { resource: 'contact', operation: 'getAll', filters: { variables: { conditions } } };
	const stored = conditions.map(({ value, ...row }, place) => (place < 2 ? { ...row, value } : row));
	expect(kept(entered).filters).toEqual({ variables: { conditions: stored } });
});

test.each(withFields)('what other operations share with %s is kept', (_, from) => {
	const entered = kept(sampleOf(from));
	for (const to of states) {
		const switched = kept({ ...entered, ...chosen(to) });
		// 'Options' has other options in some operations.
		const isShared = (name: string) => to.shown.includes(name) && !(name in to.choices) && name !== 'options';
		for (const name of from.shown.filter(isShared))
			expect([to.title, name, switched[name]]).toEqual([to.title, name, entered[name]]);
	}
});

test.each([
	['freeText', true],
	['approval', false],
])('the button of a text is an option of %s: %s', (responseType, isOffered) => {
	const question = kept({ resource: 'message', operation: 'sendAndWait', responseType });
	const node = editor.nodeWith(question);
	const { options } = shownIn(question).find(({ name }) => name === 'options')!;
	const path = [node, description] as const;
	const offered = (options as INodeProperties[])
		.filter((each) => NodeHelpers.displayParameterPath(node as never, each, 'parameters.options', ...path))
		.map(({ name }) => name);
	expect(offered.includes('responseFormButtonLabel')).toBe(isOffered);
	expect(offered).toContain('responseFormTitle');
});

// With an expression for a choice that display options depend on, n8n shows all fields.
test('choices that decide accept no expressions', () => {
	const all = everyParameter();
	const deciding = new Set(all.flatMap(({ property }) => Object.keys(property.displayOptions?.show ?? {})));
	expect(deciding).toContain('content');
	const decisive = all.filter(({ path, property }) => deciding.has(property.name) && path !== 'returnAll');
	expect(decisive.filter(({ property }) => !property.noDataExpression)).toEqual([]);
});
