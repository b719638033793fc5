import type { INodeProperties } from 'n8n-workflow';

import { type Schema, readOperations } from '../../sandbox/emulator/document';
import { byTitle as titled, operations } from '../operations';
import type { Place } from '../operations/operation';
import { chosen, description, everyParameter, nodeType, operationsOf, properties, shownIn } from './editor';
import { byTitle, states, type State } from './states';

const documented = readOperations();

interface Sent {
	/** The parameter; `options.hidden` for one in a collection. */
	path: string;
	property: INodeProperties;
}

/** The parameters that a state sends. A collection sends what is added to it. */
function sentBy(each: State): Sent[] {
	const shown = shownIn(chosen(each)).flatMap((property) => [
		{ path: property.name, property },
		...(property.type === 'collection'
			? (property.options as INodeProperties[]).map((option) => ({
					path: `${property.name}.${option.name}`,
					property: option,
				}))
			: []),
	]);
	return shown.filter(({ property }) => property.routing?.send?.property);
}

test.each(titled(operations))('%s has its method and its endpoint', (_, each) => {
	const { routing } = operationsOf(each.resource).find(({ value }) => value === each.operation)!;
	expect(routing).toEqual({ request: { method: each.method, url: `/${each.endpoint}` } });
});

test('there is one operation for each endpoint of the contract', () => {
	const ours = operations.map(({ method, endpoint }) => `${method} /api/v1/${endpoint}`);
	expect(ours.sort()).toEqual(documented.map(({ method, path }) => `${method} ${path}`).sort());
});

describe('the parameters', () => {
	test.each(byTitle)('of %s have the names of the API', (_, each) => {
		const names = Object.entries(each.sent).map(([path, [, name]]) => [path, name]);
		const found = sentBy(each).map(({ path, property }) => [path, property.routing!.send!.property]);
		expect(Object.fromEntries(found)).toEqual(Object.fromEntries(names));
	});

	test('name the place where they travel, if it is the same for all operations', () => {
		const places = new Map<INodeProperties, Set<Place>>();
		for (const each of states) {
			for (const { path, property } of sentBy(each)) {
				places.set(property, (places.get(property) ?? new Set()).add(each.sent[path]![0]));
			}
		}
		const types = [...places].map(([{ name, routing }]) => [name, routing!.send!.type]);
		const expected = [...places].map(([{ name }, [place, other]]) => [name, other ? undefined : place]);
		expect(types).toEqual(expected);
	});

	test.each(byTitle)(
		'of %s match the contract and its places, with all required ones',
		(_, { resource, operation, sent }) => {
			const { endpoint } = operations.find(
				(each) => each.resource === resource && each.operation === operation,
			)!;
			const { parameters, requestBody } = documented.find(({ operationId }) => operationId === endpoint)!;
			const query = parameters.filter((parameter) => parameter.in === 'query');
			const body = requestBody?.content['application/json']!.schema as Schema & { required?: string[] };
			for (const [place, name] of Object.values(sent)) {
				const [parent, child] = name.split('.') as [string, string | undefined];
				if (place === 'query') expect(query.map((parameter) => parameter.name)).toContain(name);
				else expect(Object.keys(body.properties!)).toContain(parent);
				if (child) expect(Object.keys(body.properties![parent]!.properties!)).toContain(child);
			}
			const needed = [
				...query.filter(({ required }) => required).map(({ name }) => name),
				...(body?.required ?? []),
			];
			const names = Object.values(sent).map(([, name]) => name.split('.')[0]);
			expect(names).toEqual(expect.arrayContaining(needed));
		},
	);

	test('are the only values that the description adds to a request', () => {
		for (const { path, property } of everyParameter()) {
			const { send, ...others } = property.routing ?? {};
			if (path === 'resource') continue;
			expect([path, others]).toEqual([path, {}]);
			const { property: _name, type: _place, ...more } = send ?? {};
			expect([path, more]).toEqual([path, {}]);
		}
	});

	test('of one operation have different labels in the editor and different names in the request', () => {
		for (const { title, shown, sent } of states) {
			const wires = Object.values(sent).map(([place, name]) => `${place} ${name}`);
			expect([title, shown, wires]).toEqual([title, [...new Set(shown)], [...new Set(wires)]]);
		}
	});
});

describe('every request', () => {
	test('asks for JSON with the exact headers of a program', () => {
		expect(description.requestDefaults!.headers).toEqual({
			Accept: 'application/json',
			'X-Requested-With': 'XMLHttpRequest',
		});
	});

	test('follows no redirect', () => {
		expect(description.requestDefaults).toMatchObject({ disableFollowRedirect: true });
	});

	test('goes to the address of the credential', () => {
		expect(description.requestDefaults!.baseURL).toMatch(/^=\{\{ \$credentials\.baseUrl\b/);
		expect(description.credentials).toEqual([{ name: 'chatbotServiceApi', required: true }]);
	});

	test('is run by the same function for every operation', () => {
		const all = Object.entries(nodeType.customOperations).flatMap(([resource, own]) =>
			Object.entries(own).map(([operation, run]) => ({ title: `${resource}/${operation}`, run })),
		);
		expect(new Set(all.map(({ run }) => run))).toEqual(new Set([expect.any(Function)]));
		expect(all.map(({ title }) => title).sort()).toEqual(operations.map(({ title }) => title));
	});

	test('reaches the node also when n8n knows only declarative nodes', () => {
		expect(description.requestOperations!.pagination).toBeInstanceOf(Function);
		// Visible for all values of other parameters, including an expression in Resource.
		const resource = properties.find(({ name }) => name === 'resource')!;
		expect(resource.displayOptions).toBeUndefined();
		expect(resource.routing).toEqual({ send: { paginate: true } });
	});
});

test('the node is declarative: its description defines the requests, and n8n can run it as a tool of an AI agent', () => {
	expect(description.usableAsTool).toBe(true);
	expect('execute' in nodeType).toBe(false);
	// With `methods` but without this property, n8n does not run the routing.
	expect(description.requestDefaults).toBeDefined();
	expect(description.inputs).toEqual(['main']);
	expect(description.outputs).toEqual(['main']);
});

test('every list that the editor offers exists, and every list that exists is offered', () => {
	const named = everyParameter().flatMap(({ property }) =>
		(property.modes ?? []).flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []),
	);
	expect([...new Set(named)].sort()).toEqual(Object.keys(nodeType.methods.listSearch).sort());
	for (const method of Object.values(nodeType.methods.listSearch)) expect(method).toBeInstanceOf(Function);
});

test('values that can be selected from a list can be typed too', () => {
	const pickable = [
		...new Set(
			everyParameter()
				.filter(({ property }) => property.modes)
				.map(({ path }) => path),
		),
	];
	expect(pickable.sort()).toEqual(['fieldSlug', 'schemaId', 'tagName', 'variableId', 'variableName']);
	for (const { path, property } of everyParameter().filter((each) => each.property.modes)) {
		expect([path, property.modes!.map(({ type }) => type)]).toEqual([path, ['list', 'string']]);
		expect([path, property.default]).toEqual([path, { mode: 'list', value: '' }]);
	}
});
