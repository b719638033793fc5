import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { id } from './goods';
import { callInBothWays, credentialFor, runNode, useEmulator, type RunOptions } from './harness';

/* The fields of a list that filters and 'Order By' name: picked from the list, typed, or by an expression. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const getMany = (parameters: INodeParameters): INodeParameters => ({
	...{ resource: 'listItem', operation: 'getAll', returnAll: true, schemaId: id(goods) },
	...parameters,
});

const read = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: getMany(parameters), credential: credentialFor(service), ...options });

const where = (...filters: Array<[slug: unknown, value: string]>): INodeParameters =>
	({ fieldFilters: { filter: filters.map(([slug, value]) => ({ slug, value })) } }) as INodeParameters;

const orderedBy = (orderBy: unknown) => ({ itemOptions: { orderBy } }) as INodeParameters;

describe.each<[string, (slug: string) => unknown]>([
	['as a text, as earlier versions stored it', (slug) => slug],
	['picked from the list', (slug) => ({ __rl: true, mode: 'list', value: slug, cachedResultName: 'Поле' })],
	['typed', (slug) => ({ __rl: true, mode: 'slug', value: slug })],
	['by a program, without a mode', (slug) => ({ __rl: true, mode: '', value: slug })],
	['by a path', (slug) => ({ __rl: true, mode: 'slug', value: `={{ $json.${slug} }}` })],
	['by a path, as a text', (slug) => `={{ $json.${slug} }}`],
	['by code', (slug) => ({ __rl: true, mode: 'slug', value: `={{ '${slug}'.trim() }}` })],
	['by code that returns what the editor stores', (slug) => `={{ { mode: 'slug', value: '${slug}' } }}`],
])('a field %s', (_, written) => {
	const parameters = {
		...where([written('active'), 'да'], [written('article'), '00418']),
		...orderedBy(written('price')),
	};
	const item = { active: 'active', article: 'article', price: 'price' };

	test('finds and sorts items, in each way in which n8n calls the node', async () => {
		const found = [(await read(parameters, { items: [item] })).json];
		// A tool has no items.
		if (!JSON.stringify(parameters).includes('$json'))
			found.push(
				...((await callInBothWays(
					{ parameters: getMany(parameters), credential: credentialFor(service) },
					{},
				)) as IDataObject[][]),
			);
		expect(found).toMatchObject(found.map(() => [{ article: '00418' }]));
		for (const { body } of service.requests.filter(({ operation }) => operation === 'getListItems'))
			expect(body).toMatchObject({ order_by: 'price,asc', filters: { article: '00418' } });
	});
});

test('a field that a model fills in is read from where the editor stores it', async () => {
	const slug = { __rl: true, mode: 'slug', value: "={{ $fromAI('field') }}" };
	const parameters = getMany(where([slug, '00418']));
	const call = async (field: string) =>
		await callInBothWays({ parameters, credential: credentialFor(service) }, { field });
	for (const rows of await call('article')) expect(rows).toMatchObject([{ article: '00418' }]);
});
