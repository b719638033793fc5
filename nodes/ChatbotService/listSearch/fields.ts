import type { IDataObject, ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { isEmpty } from '../shared/values';
import { schemaId } from '../resources/fields';
import { typesInEditor } from '../resources/listItem/columns';
import { listItemCreate } from '../resources/listItem/create';
import { listSchemaGet } from '../resources/listSchema/get';
import { fieldsIn } from '../resources/rows';
import { load, titleOf } from './load';

/* The fields of the list chosen under 'List'. How their values are read: resources/listItem/columns.ts. */

/** As the service defines them, with their slugs. */
export async function loadFields(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const { rows } = await load(context, listSchemaGet, schemaId);
	return fieldsIn(rows[0] ?? {}).map(([slug, field]) => ({ ...field, slug }));
}

/** For a resource mapper. */
export async function getListFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	// The editor asks also before the user has chosen a list.
	const list = this.getCurrentNodeParameter(schemaId.name, { extractValue: true });
	const fields = isEmpty(list) ? [] : await loadFields(this);
	const isNew = this.getCurrentNodeParameter('operation') === listItemCreate.option.value;
	return {
		fields: fields.map(({ slug, name, type, is_required: isRequired, ...others }) => ({
			id: slug as string,
			// For an AI agent, n8n names parameters after labels and keeps only their Latin letters and digits.
			displayName: titleOf({ value: slug, name, detail: name === slug ? undefined : slug }),
			// An update changes only some fields. The editor would begin with those that are required.
			required: isNew && isRequired === true,
			// The editor keeps these fields when the user switches to a new item.
			...(!isNew && isRequired === true && { isRequired }),
			...((others.is_encryptable === true || others.is_hidden === true) && { isSecret: true }),
			defaultMatch: false,
			// Older editors map fields only if one of them can identify the item.
			canBeUsedToMatch: true,
			display: true,
			type: typesInEditor[String(type)],
		})),
	};
}
