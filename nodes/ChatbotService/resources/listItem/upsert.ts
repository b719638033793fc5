import type { IDataObject } from 'n8n-workflow';

import { keyEncrypted, keyNotUnique, newItemIncomplete, type Failure } from '../../client/failure/failure';
import { isDone } from '../../client/failure/result';
import { isEmpty } from '../../shared/values';
import { schemaId } from '../fields';
import {
	harmless,
	type Field,
	type FieldReader,
	type Operation,
	type WireValues,
	type Steps,
} from '../operation';
import { requestFor } from '../operationRequest';
import { fieldsIn } from '../listFields';
import { areKnown, columnsOfItem, keyOf, storing } from './columns';
import { listItemCreate } from './create';
import { fieldOfList, itemId, listOfItems } from './itemFields';
import { fieldFilters, itemsBy, readByType, schemaOf } from './itemFilters';
import { listItemGetAll } from './getAll';
import { listItemUpdate } from './update';

const matchOnSlug: Field = {
	displayName: 'Match On',
	name: 'matchOn',
	description:
		"The field by which the item is recognized, such as the article. Its value stands under 'Fields'. Another program that saves the same item at the same time can still create it twice.",
	...fieldOfList,
};

/** Sent as a filter. Items with the same value wait for each other, so that the second one finds the first. */
const matchOn: Field = {
	...matchOnSlug,
	routing: { send: { property: 'filters' } },
	target: 'key',
	compose(values) {
		const slug = values.read(matchOnSlug, 'needed') as string | undefined;
		if (slug === undefined) return undefined;
		const key = keyOf(values, slug, matchOnSlug.displayName);
		return key === undefined ? undefined : { [slug]: key };
	},
};

const sameKey = `An earlier item of this run has the same value of '${matchOn.displayName}', so both change the same item of the list`;

/** Looks for the item, and saves it. */
function stepsOf(sent: WireValues, values: FieldReader): Steps {
	const list = sent.of(schemaId);
	// Copies, because they change when the types of the fields are known.
	const data = { ...(sent.of(columnsOfItem) as IDataObject) };
	const filters = { ...(sent.of(matchOn) as IDataObject) };
	const [[slug, key] = []] = Object.entries(filters);
	const stored = storing(sent, values);
	const isTyped = areKnown(values, Object.keys(data));
	return async (requests) => {
		const { ask, own } = requests;
		const types = isTyped ? undefined : await schemaOf(requests, list);
		if (isDone(types)) readByType(data, types.rows[0]!);
		const itemsWith = async (key: IDataObject) =>
			await itemsBy(requests, {
				filters: key,
				list,
				most: 2,
				named: [{ label: matchOn.displayName, slug: slug! }],
				// Not together with other items: one of them may have created the item.
				pages: () => [ask(requestFor(listItemGetAll, [schemaId, list], [fieldFilters, key]), 2)],
			});
		let found = await itemsWith(filters);
		const written = data[slug!];
		const isSpelled = typeof written === 'string' && typeof key === 'string' && written.trim() !== key;
		// Earlier versions have stored the key as it is written.
		if (isSpelled && isDone(found) && !found.rows.length) found = await itemsWith({ [slug!]: written });
		if (!isDone(found)) return found;
		if (isSpelled) data[slug!] = filters[slug!];
		const [item, other] = found.rows;
		if (other) return { failure: keyNotUnique(matchOn.displayName, key) };
		const schema = item ? undefined : await schemaOf(requests, list);
		// If the field is encrypted, each run would create the item again.
		if (schema && !isDone(schema)) return schema;
		const failure = schema && whyNotCreated(schema.rows[0]!, slug!, data);
		if (failure) return { failure };
		const change = item
			? requestFor(listItemUpdate, [schemaId, list], [itemId, item.id], [columnsOfItem, data])
			: requestFor(listItemCreate, [schemaId, list], [columnsOfItem, data]);
		const saved = stored(await ask({ ...change, advice: own.advice }), { isNew: !item });
		if (!isDone(saved)) return saved;
		const id = item?.id ?? saved.rows[0]?.id;
		const notice = requests.saved.has(id) && [saved.notice, sameKey].filter(Boolean).join(' ');
		if (id !== undefined) requests.saved.add(id);
		return notice ? { ...saved, notice } : saved;
	};
}

/** @param schema of the list @param slug of the field by which the item was looked for */
function whyNotCreated(schema: IDataObject, slug: string, data: IDataObject): Failure | undefined {
	const definitions = fieldsIn(schema);
	if (definitions.some(([each, field]) => each === slug && field?.is_encryptable === true))
		return keyEncrypted(matchOn.displayName, slug);
	const missing = definitions.filter(([each, field]) => field?.is_required === true && isEmpty(data[each]));
	return missing.length
		? newItemIncomplete(missing.map(([each, field]) => `${String(field!.name)} (${each})`))
		: undefined;
}

/** Then addListItem or updateListItem. */
export const listItemUpsert: Operation = {
	option: {
		name: 'Create or Update',
		value: 'upsert',
		action: 'Create or update list item',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		builderHint: {
			propertyHint:
				"Use a list as a database: 'matchOn' is the slug of the field that is different in each item, such as an article, and 'columns' contains its value too.",
		},
		routing: listItemGetAll.option.routing,
	},
	fields: [listOfItems, matchOn, columnsOfItem],
	answer: 'created',
	steps: stepsOf,
	// The node looks for the item again.
	advice: harmless('The item may have been created or updated. Creating or updating it again'),
};
