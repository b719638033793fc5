import type { INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

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
	valuesFor,
} from './editor';
import * as table from './table';
import { byTitle, cases, type Case } from './table';

describe('the names that stand in workflows', () => {
	test('of resources', () => {
		const [resource] = properties.filter(({ name }) => name === 'resource');
		expect((resource!.options as INodePropertyOptions[]).map(({ value }) => value)).toEqual(table.resources);
	});

	test.each(table.resources)('of the operations of %s, with their labels', (resource) => {
		const expected = table.operations.filter((each) => each.resource === resource);
		const found = operationsOf(resource).map(({ value, name }) => [value, name]);
		expect(found.sort()).toEqual(expected.map(({ operation, label }) => [operation, label]).sort());
	});

	test('of parameters', () => {
		const expected = ['resource', 'operation', ...cases.flatMap(({ shown }) => shown)];
		expect([...new Set(parameters.map(({ name }) => name))].sort()).toEqual([...new Set(expected)].sort());
	});

	test.each(Object.entries(table.choices))('of the values of %s', (name, values) => {
		const found = properties.filter((property) => property.name === name);
		expect(found).not.toEqual([]);
		for (const { options } of found) {
			expect((options as INodePropertyOptions[]).map(({ value }) => value).sort()).toEqual(
				[...values].sort(),
			);
		}
	});

	test("of the attributes in a row of 'Fields'", () => {
		const [group, ...others] = properties.find(({ name }) => name === 'fields')!
			.options as INodePropertyCollection[];
		expect(others).toEqual([]);
		expect(group!.name).toBe('field');
		expect(group!.values.map(({ name }) => name).sort()).toEqual(table.rowAttributes);
		const type = group!.values.find(({ name }) => name === 'type')!;
		expect((type.options as INodePropertyOptions[]).map(({ value }) => value).sort()).toEqual(
			table.choices.fieldType,
		);
	});

	test('are the same for all that means the same: what shares a name shares its type and its label', () => {
		for (const name of new Set(properties.map((property) => property.name))) {
			const kinds = properties.filter((property) => property.name === name);
			expect(new Set(kinds.map(({ type }) => type)).size).toBe(1);
			expect(new Set(kinds.map(({ displayName }) => displayName)).size).toBe(1);
		}
	});
});

describe('what is on display', () => {
	test.each(byTitle)('%s', (_, each) => {
		expect(shownIn(chosen(each)).map(({ name }) => name)).toEqual(each.shown);
	});

	test.each(byTitle)('notices: %s', (_, each) => {
		const path = [each.resource, each.operation, ...[each.choices.recipient ?? []].flat()].join('/');
		expect(noticesIn(chosen(each))).toEqual(table.notices[path] ?? []);
	});

	test('every notice has its place', () => {
		expect(notices.map(({ name }) => name).sort()).toEqual(Object.values(table.notices).flat().sort());
	});

	test('in a node just dragged in: a text to a contact', () => {
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

	test.each(table.resources)('when %s is chosen: one of its operations', (resource) => {
		const { operation } = kept({ resource });
		expect(table.operations).toContainEqual(expect.objectContaining({ resource, operation }));
	});

	test('every operation is in the table', () => {
		for (const { resource, operation } of table.operations) {
			expect(cases).toContainEqual(expect.objectContaining({ resource, operation }));
		}
	});

	test('holds nothing that is only for the node: n8n hands the description to the editor', () => {
		for (const { path, property } of everyParameter()) {
			for (const key of ['kind', 'names', 'thing'])
				expect([path, Object.keys(property)]).not.toEqual([path, expect.arrayContaining([key])]);
		}
	});
});

describe('what is flagged', () => {
	test.each(byTitle)('when empty: %s', (_, each) => {
		expect(flaggedIn(valuesFor(each, emptied)).sort()).toEqual([...each.required].sort());
	});

	test.each(byTitle)('each on its own: %s', (_, each) => {
		const values = valuesFor(each, filled);
		for (const property of shownIn(chosen(each)).filter(({ name }) => !(name in each.choices))) {
			const expected = each.required.filter((name) => name === property.name || name === 'content');
			expect(flaggedIn({ ...values, [property.name]: emptied(property) })).toEqual(expected);
		}
	});

	test.each(byTitle.filter(([, { required }]) => !required.includes('content')))(
		'nothing when all is filled in: %s',
		(_, each) => {
			expect(flaggedIn(valuesFor(each, filled))).toEqual([]);
		},
	);

	test('nothing that is an expression', () => {
		for (const each of cases.filter(({ required }) => !required.includes('content'))) {
			const values = valuesFor(each, ({ type }) =>
				type === 'resourceLocator' ? { __rl: true, mode: 'list', value: '={{ $json.x }}' } : '={{ $json.x }}',
			);
			expect(flaggedIn(values)).toEqual([]);
		}
	});

	test("in a row of 'Fields' that was added and left empty: what makes it a field", () => {
		const values = kept({
			resource: 'listSchema',
			operation: 'create',
			listName: 'Заказы',
			fields: { field: [{}] },
		});
		expect(flaggedIn(values).sort()).toEqual(table.neededRowAttributes);
	});
});

describe('switching to another operation', () => {
	const shared = ({ shown }: Case, other: Case) =>
		shown.filter((name) => other.shown.includes(name) && !(name in other.choices));

	test.each(byTitle)('keeps what both have, from %s', (_, from) => {
		const entered = kept(valuesFor(from, filled));
		for (const to of cases) {
			const switched = kept({ ...entered, ...chosen(to) });
			for (const name of shared(from, to))
				expect([to.title, name, switched[name]]).toEqual([to.title, name, entered[name]]);
		}
	});

	test('keeps nothing of what the other does not have', () => {
		const entered = kept(
			valuesFor(
				cases.find(({ title }) => title.startsWith('message/send,'))!,
				filled,
			),
		);
		const switched = kept({ ...entered, resource: 'tag', operation: 'detach' });
		expect(Object.keys(switched).sort()).toEqual(['contactId', 'operation', 'resource', 'tagName']);
	});
});

test('choices that decide what is on display take no expressions, under which n8n shows everything', () => {
	const deciding = new Set(
		everyParameter().flatMap(({ property }) => Object.keys(property.displayOptions?.show ?? {})),
	);
	expect([...deciding].sort()).toEqual([
		'content',
		'deleteBy',
		'fieldsInput',
		'operation',
		'recipient',
		'resource',
		'returnAll',
	]);
	for (const { path, property } of everyParameter()) {
		if (deciding.has(path) && path !== 'returnAll') expect(property.noDataExpression).toBe(true);
	}
});
