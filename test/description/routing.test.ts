import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';

import { chosen, description, everyParameter, nodeType, operationsOf, properties, shownIn } from './editor';
import * as table from './table';
import { byTitle, type Case } from './table';

interface DocumentedOperation {
	parameters?: Array<{ name: string; in: string; required?: boolean }>;
	requestBody?: { content: { 'application/json': { schema: ObjectSchema } } };
}

interface ObjectSchema {
	required?: string[];
	properties?: Record<string, ObjectSchema>;
}

/** Operations of docs/openapi.yaml by path. */
let documented: Map<string, { method: string; operation: DocumentedOperation }>;
beforeAll(async () => {
	const source = parse(readFileSync(join(__dirname, '../../docs/openapi.yaml'), 'utf8')) as Document;
	const api = new OpenAPIBackend({ definition: source, quick: true, validate: false });
	await api.init();
	documented = new Map(
		Object.entries(api.definition.paths!).flatMap(([path, item]) =>
			Object.entries(item as Record<string, DocumentedOperation>)
				.filter(([method]) => method !== 'parameters')
				.map(([method, operation]) => [path, { method: method.toUpperCase(), operation }]),
		),
	);
});

const requestOf = (resource: string, operation: string) =>
	operationsOf(resource).find(({ value }) => value === operation)!.routing!.request!;

/** What a case sends: by parameter, the place and the name. A collection sends what is added to it. */
function sentBy(each: Case): Case['sent'] {
	const sends = ({ name, routing }: INodeProperties, prefix = ''): Array<[string, [table.Place, string]]> =>
		routing?.send?.property ? [[`${prefix}${name}`, [routing.send.type!, routing.send.property]]] : [];
	return Object.fromEntries(
		shownIn(chosen(each)).flatMap((property) => [
			...sends(property),
			...(property.type === 'collection'
				? (property.options as INodeProperties[]).flatMap((option) => sends(option, `${property.name}.`))
				: []),
		]),
	);
}

describe('the method and the path', () => {
	test.each(table.operations)('of $resource/$operation', ({ resource, operation, method, endpoint }) => {
		expect(requestOf(resource, operation)).toEqual({ method, url: `/${endpoint}` });
		expect(documented.get(`/api/v1/${endpoint}`)?.method).toBe(method);
	});

	test('are those of the contract, each of which has exactly one operation', () => {
		const all = table.resources.flatMap((resource) =>
			operationsOf(resource).map(({ routing }) => {
				const { method, url } = routing!.request!;
				return `${method} /api/v1${url}`;
			}),
		);
		const contract = [...documented].map(([path, { method }]) => `${method} ${path}`);
		expect(contract).toHaveLength(table.operations.length);
		expect(all.sort()).toEqual(contract.sort());
	});
});

describe('the parameters', () => {
	test.each(byTitle)('of %s travel where the interface wants them', (_, each) => {
		expect(sentBy(each)).toEqual(each.sent);
	});

	test.each(byTitle)(
		'of %s are those of the contract, in its places, and none that it needs is missing',
		(_, each) => {
			const { endpoint } = table.operations.find(
				({ resource, operation }) => resource === each.resource && operation === each.operation,
			)!;
			const { operation } = documented.get(`/api/v1/${endpoint}`)!;
			const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
			const body = operation.requestBody?.content['application/json'].schema;
			for (const [place, name] of Object.values(sentBy(each))) {
				const [parent, child] = name.split('.') as [string, string | undefined];
				if (place === 'query') expect(query.map((parameter) => parameter.name)).toContain(name);
				else expect(Object.keys(body!.properties!)).toContain(parent);
				if (child) expect(Object.keys(body!.properties![parent]!.properties!)).toContain(child);
			}
			const needed = [
				...query.filter(({ required }) => required).map(({ name }) => name),
				...(body?.required ?? []),
			];
			const sent = Object.values(sentBy(each)).map(([, name]) => name.split('.')[0]);
			expect(sent).toEqual(expect.arrayContaining(needed));
		},
	);

	test('travel by themselves: nothing else in the description adds to a request', () => {
		for (const { path, property } of everyParameter()) {
			const { send, ...others } = property.routing ?? {};
			if (path === 'resource') continue;
			expect([path, others]).toEqual([path, {}]);
			if (send) expect([path, Object.keys(send).sort()]).toEqual([path, ['property', 'type']]);
		}
	});

	test.each(['name', 'property'])('no operation shows two that travel under one %s', (by) => {
		for (const [title, each] of byTitle) {
			const names =
				by === 'name' ? each.shown : Object.values(sentBy(each)).map(([place, name]) => `${place} ${name}`);
			expect([title, names]).toEqual([title, [...new Set(names)]]);
		}
	});
});

describe('every request', () => {
	test('asks for JSON, exactly so, and as a program does', () => {
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

	test('is run by one and the same function, whatever the operation', () => {
		const functions = table.operations.map(
			({ resource, operation }) => nodeType.customOperations[resource]![operation],
		);
		expect(new Set(functions)).toEqual(new Set([expect.any(Function)]));
		const named = Object.entries(nodeType.customOperations).flatMap(([resource, operations]) =>
			Object.keys(operations).map((operation) => `${resource}/${operation}`),
		);
		expect(named.sort()).toEqual(
			table.operations.map(({ resource, operation }) => `${resource}/${operation}`).sort(),
		);
	});

	test('reaches the node where n8n knows only declarative nodes, too', () => {
		expect(description.requestOperations!.pagination).toBeInstanceOf(Function);
		// Shown whatever the others hold, an expression under Resource included.
		const resource = properties.find(({ name }) => name === 'resource')!;
		expect(resource.displayOptions).toBeUndefined();
		expect(resource.routing).toEqual({ send: { paginate: true } });
	});
});

test('the node is declarative: its description says what is sent, and n8n may run it as a tool of an AI agent', () => {
	expect(description.usableAsTool).toBe(true);
	expect('execute' in nodeType).toBe(false);
	// With `methods` but without this, n8n would not run the routing at all.
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

test('what can be picked from a list can be typed as well', () => {
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
