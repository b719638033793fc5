import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { usual } from './scene';

/* The operations of list items, with the list of goods. */

/** The value of a list or an item that was typed. */
export const id = (value: unknown) => ({ __rl: true, mode: 'id', value }) as INodeParameters;

export const create = (columns: object): INodeParameters => usual('listItem/create', { columns });

export const update = (columns: object): INodeParameters =>
	usual('listItem/update', { columns, itemId: id(SEEDED.listItems.good) });

/** All items. */
export const getMany = usual('listItem/getAll', { returnAll: true, fieldFilters: {}, itemOptions: {} });

export const where = (...filters: Array<[slug: unknown, value: unknown]>) => ({
	fieldFilters: { filter: filters.map(([slug, value]) => ({ slug, value })) },
});

export const orderedBy = (orderBy: unknown, orderByDirection?: unknown) => ({
	itemOptions: { orderBy, ...(orderByDirection !== undefined && { orderByDirection }) },
});

/** The fields of the list as the editor keeps them. */
export const { schema } = goodsColumns({});

/** The fields of the input item with the same slugs. */
export const automatic = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema };

export const labelAt = (slug: string) => schema.find((field) => field.id === slug)!.displayName;

/** @param slug of the field by which the item is recognized @param known the fields as the workflow knows them */
export const upsert = (value: IDataObject, slug = 'article', known: unknown[] = schema): INodeParameters =>
	usual('listItem/upsert', {
		matchOn: { __rl: true, mode: 'slug', value: slug },
		columns: { mappingMode: 'defineBelow', value, schema: known },
	});

/** Each field comes from the input item. */
export const mapped = (...slugs: string[]): IDataObject =>
	Object.fromEntries(slugs.map((slug) => [slug, `={{ $json.${slug} }}`]));

/** What an emulator has of the goods, and what its requests have changed. */
export const goodsOf = (service: Emulator) => ({
	changes: () =>
		service.requests.flatMap(({ operation }) => (operation?.startsWith('get') ? [] : [operation])),
	/** The data of the requests. */
	sent: () => service.requests.map(({ body }) => (body as IDataObject).data as IDataObject),
	fields: () => service.data.listSchemas.get(SEEDED.schemas.goods)!.fields,
	stored: (slug: string, value: unknown) =>
		[...service.data.listItems.values()].filter(
			({ schemaId, values }) => schemaId === SEEDED.schemas.goods && values[slug] === value,
		),
});
