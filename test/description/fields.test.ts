import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { describeResources } from '../../nodes/ChatbotService/description/properties';
import { resources as all } from '../../nodes/ChatbotService/resources';
import { contactId } from '../../nodes/ChatbotService/resources/fields';
import type { Resource } from '../../nodes/ChatbotService/resources/operation';
import { tagDetach } from '../../nodes/ChatbotService/resources/tag/detach';
import { operations, resources, variants } from '../operations';
import {
	chosen,
	description,
	emptied,
	everyParameter,
	sampleOf,
	flaggedIn,
	kept,
	nodeWith,
	notices,
	noticesIn,
	operationsOf,
	parameters,
	properties,
	shownIn,
	shownWith,
} from './editor';
import { byTitle, states, type State } from './states';

/* Which fields the editor shows and requires, by n8n's own resolution, and which values it keeps. */

/** 'List: Get Many' with all results has no fields but its choices. */
const withFields = byTitle.filter(([, { shown, choices }]) => shown.some((name) => !(name in choices)));

describe('released names', () => {
	test('the node has the operations of the files in test/operations', () => {
		const [resource] = properties.filter(({ name }) => name === 'resource');
		const offered = (resource!.options as INodePropertyOptions[]).flatMap(({ value: of }) =>
			operationsOf(String(of)).map(({ value }) => `${of}/${value}`),
		);
		expect(offered.sort()).toEqual(operations.map(({ title }) => title));
	});

	test('every parameter belongs to an operation', () => {
		const expected = ['resource', 'operation', ...states.flatMap(({ shown }) => shown)];
		expect([...new Set(parameters.map(({ name }) => name))].sort()).toEqual([...new Set(expected)].sort());
	});
});

describe('visible fields', () => {
	test.each(byTitle)(
		'the fields of %s are visible in their order, also when the editor still holds choices of another operation',
		(_, each) => {
			for (const before of states) {
				const shown = shownWith({ ...kept(chosen(before)), ...kept(sampleOf(each)) });
				expect([before.title, ...shown.map(({ name }) => name)]).toEqual([before.title, ...each.shown]);
			}
		},
	);

	test.each(byTitle)('only the notice of %s is visible, if it has one', (_, each) => {
		const { notice } = each.variant;
		expect(noticesIn(chosen(each))).toEqual(notice ? [notice] : []);
	});

	test('every notice belongs to an operation', () => {
		const shown = variants.flatMap(({ notice }) => notice ?? []);
		expect([...new Set(notices.map(({ name }) => name))].sort()).toEqual([...new Set(shown)].sort());
	});

	test('a new node is set to send a text to a contact', () => {
		expect(kept({})).toMatchObject({ resource: 'message', operation: 'send' });
		const shown = ['recipient', 'contactId', 'contactMessenger', 'content', 'text', 'options'];
		expect(shownIn({}).map(({ name }) => name)).toEqual(shown);
	});

	test.each(resources)('when %s is selected, one of its operations is selected', (resource) => {
		const { operation } = kept({ resource });
		expect(operations).toContainEqual(expect.objectContaining({ resource, operation }));
	});
});

test('a field of a new operation shows there, and in no other operation', () => {
	const contact = all.find(({ option: { value } }) => value === 'contact')!;
	const others = all.filter((each) => each !== contact);
	const option = { ...tagDetach.option, value: 'delete' };
	const added = { ...tagDetach, option, fields: [contactId] };
	const extended = { ...contact, operations: [...contact.operations, added] };
	const shown = (resources: Resource[], resource: string, operation: string) =>
		describeResources(resources, {})
			.filter((each) => NodeHelpers.displayParameter({ resource, operation }, each, null, null))
			.map(({ name }) => name)
			.slice(['resource', 'operation'].length);
	const inEach = (resources: Resource[]) =>
		operations.map(({ resource, operation }) => shown(resources, resource, operation));
	expect(inEach([extended, ...others])).toEqual(inEach(all));
	expect(shown([extended, ...others], 'contact', 'delete')).toEqual(['contactId']);
});

// Of each yes/no field that it shows, the editor stores false.
test.each<[string, boolean]>([
	['create', true],
	['update', false],
	['upsert', false],
])('for %s, the editor maps all fields of a list by itself: %s', (operation, mapsAll) => {
	const columnsOf = (list: string) =>
		shownIn({ resource: 'listItem', operation, schemaId: { __rl: true, mode: 'id', value: list } }).filter(
			({ name }) => name === 'columns',
		);
	expect(columnsOf('64b7f0c2')[0]!.typeOptions!.resourceMapper!.addAllFields).toBe(mapsAll);
	// Without a list, they would show an error.
	expect(columnsOf('')).toEqual([]);
});

describe('flagged fields', () => {
	test.each(withFields)('of the fields of %s, the only empty one is flagged if it is required', (_, each) => {
		const values = sampleOf(each);
		for (const property of shownIn(chosen(each)).filter(({ name }) => !(name in each.choices))) {
			const expected = each.required.filter((name) => name === property.name || name === 'content');
			expect(flaggedIn({ ...values, [property.name]: emptied(property) })).toEqual(expected);
		}
	});

	test("the required attributes are flagged in an empty row of 'Fields'", () => {
		const list = { resource: 'listSchema', operation: 'create', listName: 'Заказы' };
		expect(flaggedIn(kept({ ...list, fields: { field: [{}] } })).sort()).toEqual(['name', 'slug']);
	});
});

test.each<[string, boolean]>([
	['equals', true],
	['exists', false],
	['notEquals', true],
	['notExists', false],
])("a condition on a variable with %s has a 'Value': %s", (condition, hasValue) => {
	const entered = { name: 'Город', condition, value: 'Казань' };
	const { value, ...others } = entered;
	const filters = (row: object) => ({ variables: { conditions: [row] } }) as INodeParameters;
	const stored = kept({ resource: 'contact', operation: 'getAll', filters: filters(entered) });
	expect(stored.filters).toEqual(filters({ ...others, ...(hasValue && { value }) }));
});

describe('switching to another operation', () => {
	/** 'Options' has other options in some operations. */
	const shared = ({ shown }: State, other: State) =>
		shown.filter((name) => other.shown.includes(name) && !(name in other.choices) && name !== 'options');

	test.each(withFields)(
		'values that another operation shares are kept when the user leaves %s',
		(_, from) => {
			const entered = kept(sampleOf(from));
			for (const to of states) {
				const switched = kept({ ...entered, ...chosen(to) });
				for (const name of shared(from, to))
					expect([to.title, name, switched[name]]).toEqual([to.title, name, entered[name]]);
			}
		},
	);
});

test.each<[string, boolean]>([
	['freeText', true],
	['approval', false],
])('the button of a text is an option of %s: %s', (responseType, isOffered) => {
	const question = kept({ resource: 'message', operation: 'sendAndWait', responseType });
	const node = nodeWith(question);
	const { options } = shownIn(question).find(({ name }) => name === 'options')!;
	const offered = (options as INodeProperties[]).filter((each) =>
		NodeHelpers.displayParameterPath(node as never, each, 'parameters.options', node, description),
	);
	expect(offered.some(({ name }) => name === 'responseFormButtonLabel')).toBe(isOffered);
	expect(offered.map(({ name }) => name)).toContain('responseFormTitle');
});

test('choices that display options depend on accept no expressions, with which n8n shows all fields', () => {
	const deciding = new Set(
		everyParameter().flatMap(({ property }) => Object.keys(property.displayOptions?.show ?? {})),
	);
	expect(deciding).toContain('content');
	for (const { path, property } of everyParameter()) {
		if (deciding.has(property.name) && path !== 'returnAll')
			expect([path, property.noDataExpression]).toEqual([path, true]);
	}
});
