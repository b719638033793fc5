import type { INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { byTitle as titled, operationOf, operations, resources, variants } from '../operations';
import {
	chosen,
	emptied,
	everyParameter,
	filled,
	flaggedIn,
	kept,
	notices,
	noticesIn,
	operationsOf,
	parameters,
	properties,
	shownIn,
	shownWith,
	valuesFor,
} from './editor';
import { byTitle, states, type State } from './states';

/** The attributes in each row of 'Fields' by their API names; some of them are required. */
const rowAttributes = ['is_encryptable', 'is_hidden', 'is_required', 'name', 'slug', 'type'];
const neededRowAttributes = ['name', 'slug'];
const fieldTypes = operationOf('listSchema/addField').variants[0]!.fields.find(
	({ name }) => name === 'fieldType',
)!.offers!;

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

	test.each(titled(variants))('the fields of %s offer their values', (_, { fields }) => {
		const every = everyParameter();
		for (const { name, offers } of fields) {
			const values = every
				.filter(({ path }) => path === name)
				.map(({ property }) =>
					['options', 'multiOptions'].includes(property.type)
						? (property.options as INodePropertyOptions[]).map(({ value }) => value).sort()
						: undefined,
				);
			expect([name, ...values]).toEqual([name, ...values.map(() => offers && [...offers].sort())]);
		}
	});

	test("a row of 'Fields' has the attributes and types of the API", () => {
		const [group, ...others] = properties.find(({ name }) => name === 'fields')!
			.options as INodePropertyCollection[];
		expect(others).toEqual([]);
		expect(group!.name).toBe('field');
		expect(group!.values.map(({ name }) => name).sort()).toEqual(rowAttributes);
		const type = group!.values.find(({ name }) => name === 'type')!;
		expect((type.options as INodePropertyOptions[]).map(({ value }) => value).sort()).toEqual(
			[...fieldTypes].sort(),
		);
	});

	test('parameters with the same name have the same type and label', () => {
		const names = new Set(properties.map(({ name }) => name));
		const kinds = properties.map(({ name, type, displayName }) => `${name} ${type} ${displayName}`);
		expect(new Set(kinds).size).toBe(names.size);
	});
});

describe('visible fields', () => {
	test.each(byTitle)(
		'the fields of %s are visible in their order, also when the editor still holds choices of another operation',
		(_, each) => {
			for (const before of states) {
				const shown = shownWith({ ...kept(chosen(before)), ...kept(chosen(each)) });
				expect([before.title, ...shown.map(({ name }) => name)]).toEqual([before.title, ...each.shown]);
			}
		},
	);

	test.each(byTitle)('only the notice of %s is visible, if it has one', (_, each) => {
		expect(noticesIn(chosen(each))).toEqual(each.notice ? [each.notice] : []);
	});

	test('every notice belongs to an operation', () => {
		const shown = variants.flatMap(({ notice }) => notice ?? []);
		expect(notices.map(({ name }) => name).sort()).toEqual([...new Set(shown)].sort());
	});

	test('a new node is set to send a text to a contact', () => {
		expect(kept({})).toMatchObject({ resource: 'message', operation: 'send' });
		expect(shownIn({}).map(({ name }) => name)).toEqual([
			'recipient',
			'contactId',
			'contactMessenger',
			'content',
			'text',
			'options',
		]);
	});

	test.each(resources)('when %s is selected, one of its operations is selected', (resource) => {
		const { operation } = kept({ resource });
		expect(operations).toContainEqual(expect.objectContaining({ resource, operation }));
	});

	test('the description that the editor receives contains no data that only the node needs', () => {
		for (const { path, property } of everyParameter()) {
			for (const key of ['kind', 'names', 'whatItIs'])
				expect([path, Object.keys(property)]).not.toEqual([path, expect.arrayContaining([key])]);
		}
	});
});

describe('flagged fields', () => {
	test.each(byTitle)('of the fields of %s, the only empty one is flagged if it is required', (_, each) => {
		const values = valuesFor(each, filled);
		for (const property of shownIn(chosen(each)).filter(({ name }) => !(name in each.choices))) {
			const expected = each.required.filter((name) => name === property.name || name === 'content');
			expect(flaggedIn({ ...values, [property.name]: emptied(property) })).toEqual(expected);
		}
	});

	test('an expression is never flagged', () => {
		for (const each of states.filter(({ required }) => !required.includes('content'))) {
			const values = valuesFor(each, ({ type }) =>
				type === 'resourceLocator' ? { __rl: true, mode: 'list', value: '={{ $json.x }}' } : '={{ $json.x }}',
			);
			expect(flaggedIn(values)).toEqual([]);
		}
	});

	test("the required attributes are flagged in an empty row of 'Fields'", () => {
		const values = kept({
			resource: 'listSchema',
			operation: 'create',
			listName: 'Заказы',
			fields: { field: [{}] },
		});
		expect(flaggedIn(values).sort()).toEqual(neededRowAttributes);
	});
});

describe('switching to another operation', () => {
	const shared = ({ shown }: State, other: State) =>
		shown.filter((name) => other.shown.includes(name) && !(name in other.choices));

	test.each(byTitle)('values that another operation shares are kept when the user leaves %s', (_, from) => {
		const entered = kept(valuesFor(from, filled));
		for (const to of states) {
			const switched = kept({ ...entered, ...chosen(to) });
			for (const name of shared(from, to))
				expect([to.title, name, switched[name]]).toEqual([to.title, name, entered[name]]);
		}
	});

	test('values that another operation does not have are dropped', () => {
		const entered = kept(
			valuesFor(
				states.find(({ title }) => title.startsWith('message/send,'))!,
				filled,
			),
		);
		const switched = kept({ ...entered, resource: 'tag', operation: 'detach' });
		expect(Object.keys(switched).sort()).toEqual([
			'contactId',
			'operation',
			'requestOptions',
			'resource',
			'tagName',
		]);
	});
});

test('choices that display options depend on accept no expressions, with which n8n shows all fields', () => {
	const deciding = new Set(
		everyParameter().flatMap(({ property }) => Object.keys(property.displayOptions?.show ?? {})),
	);
	expect([...deciding].sort()).toEqual([
		'approvalType',
		'content',
		'deleteBy',
		'fieldsInput',
		'limitType',
		'operation',
		'recipient',
		'resource',
		'responseType',
		'returnAll',
	]);
	for (const { path, property } of everyParameter()) {
		if (deciding.has(property.name) && path !== 'returnAll')
			expect([path, property.noDataExpression]).toEqual([path, true]);
	}
});
