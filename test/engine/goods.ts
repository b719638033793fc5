import type { INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';

/* List Item, Create and Update, of the list of goods. */

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
