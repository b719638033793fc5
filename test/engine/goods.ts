import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { credentialFor, runNode, type RunOptions } from './harness';

/* List Item, Create, Update, and Create or Update, of the list of goods. */

/** The value of a list or an item that was typed. */
export const id = (value: unknown) => ({ __rl: true, mode: 'id', value }) as INodeParameters;

export const create = (columns: object): INodeParameters => ({
	...{ resource: 'listItem', operation: 'create', schemaId: id(SEEDED.schemas.goods) },
	columns: columns as INodeParameters,
});

export const update = (columns: object): INodeParameters => ({
	...create(columns),
	...{ operation: 'update', itemId: id(SEEDED.listItems.good) },
});

/** The fields of the list as the editor keeps them. */
export const { schema } = goodsColumns({});

export const labelAt = (slug: string) => schema.find((field) => field.id === slug)!.displayName;

/** @param slug of the field by which the item is recognized @param known the fields as the workflow knows them */
export const upsert = (value: IDataObject, slug = 'article', known: unknown[] = schema): INodeParameters => ({
	...{ resource: 'listItem', operation: 'upsert', schemaId: id(SEEDED.schemas.goods) },
	matchOn: { __rl: true, mode: 'slug', value: slug },
	columns: { mappingMode: 'defineBelow', value, schema: known } as INodeParameters,
});

/** Each field comes from the input item. */
export const mapped = (...slugs: string[]): IDataObject =>
	Object.fromEntries(slugs.map((slug) => [slug, `={{ $json.${slug} }}`]));

/** Saves goods in an emulator, and sees what that has done. */
export function goodsOf(service: Emulator) {
	const asked = () => service.requests.map(({ operation }) => operation);
	return {
		asked,
		changes: () => asked().filter((operation) => !operation?.startsWith('get')),
		save: async (
			parameters: INodeParameters,
			items: IDataObject[] = [{}],
			options: Partial<RunOptions> = {},
		) => await runNode({ parameters, items, credential: credentialFor(service), ...options }),
		stored: (slug: string, value: unknown) =>
			[...service.data.listItems.values()].filter(
				({ schemaId, values }) => schemaId === SEEDED.schemas.goods && values[slug] === value,
			),
	};
}
