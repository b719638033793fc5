import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { schemaId } from '../resources/fields';
import { listSchemaGet } from '../resources/listSchema/get';
import { load, matching } from './load';

/** Fields of the list schema chosen under 'List'. */
export async function searchSchemaFields(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } = await load(this, listSchemaGet, { owner: schemaId });
	const fields = Object.entries((rows[0]?.fields ?? {}) as Record<string, IDataObject | null>);
	return {
		results: matching(
			fields.map(([slug, field]) => ({ value: slug, name: field?.name, detail: slug })),
			filter,
		),
	};
}
