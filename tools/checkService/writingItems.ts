import type { IDataObject } from 'n8n-workflow';

import { listItemCreate } from '../../nodes/ChatbotService/resources/listItem/create';
import { listItemDelete } from '../../nodes/ChatbotService/resources/listItem/delete';
import { listItemUpdate } from '../../nodes/ChatbotService/resources/listItem/update';
import { listSchemaAddField } from '../../nodes/ChatbotService/resources/listSchema/addField';
import { listSchemaDeleteField } from '../../nodes/ChatbotService/resources/listSchema/deleteField';
import { listSchemaGet } from '../../nodes/ChatbotService/resources/listSchema/get';
import { field, hasValue, slugs, type OwnList } from './ownList';
import { formOf, isRefusal, parametersRefused, placeIn, said } from './remarks';

/* What happens to items that exist: other values, other fields, and their end. */

/** @param canFilter whether filters work */
export async function changeItems(list: OwnList, canFilter: boolean): Promise<void> {
	await addWrongItems(list);
	await update(list);
	await changeFields(list, canFilter);
	await deleteItem(list);
}

async function addWrongItems({ writer, schema_id, form }: OwnList): Promise<void> {
	const add = async (title: string, values: IDataObject) => {
		const added = await writer.change(title, listItemCreate, { schema_id, ...form(values) });
		added.mayFail = true;
		return added;
	};
	const typed = await add('An item whose number is a word', {
		[slugs.text]: 'Слово',
		[slugs.number]: 'много',
	});
	const incomplete = await add('An item without a required value', { [slugs.number]: 7 });
	const { session } = writer;
	if (!typed.isUnknown) session.found('itemTypes', isRefusal(typed), said(typed));
	if (!incomplete.isUnknown) session.found('itemRequired', isRefusal(incomplete), said(incomplete));
}

async function update(list: OwnList): Promise<void> {
	const { writer, schema_id, first, form, read } = list;
	const { session } = writer;
	const item_id = String(first.id);
	const change = async (title: string, values: IDataObject) =>
		await writer.change(title, listItemUpdate, { item_id, ...values });
	const now = async (title: string) => (await read(title)).rows.find(({ id }) => id === item_id);

	let changed = await change('Another number, without the ID of the list', form({ [slugs.number]: 4.25 }));
	const needed = parametersRefused(changed);
	if (!changed.failure || needed.length) {
		const isNeeded = needed.includes('schema_id');
		session.found(
			'updateNeedsList',
			isNeeded,
			`a request without it is ${isNeeded ? 'refused' : 'accepted'}`,
		);
	}
	if (changed.failure && !changed.isUnknown) {
		changed.mayFail = needed.length > 0;
		changed = await change('Another number', { schema_id, ...form({ [slugs.number]: 4.25 }) });
	}
	const then = await now('The items after a change');
	if (then && !changed.failure) {
		const isChanged = then[slugs.number] === 4.25;
		session.found('updateDone', isChanged, ['the value is there exactly', 'the value is not there']);
		const isKept = [slugs.text, slugs.yes].every((slug) => then[slug] === first[slug]);
		session.found('updateKeeps', isKept, ['they do', 'another value is lost or changed']);
		session.found(
			'updateAnswer',
			placeIn(changed, item_id) === 'data.id',
			`the answer ${placeIn(changed, item_id) ? 'contains' : 'does not contain'} the ID`,
		);
		formOf(session, changed, false);
	}

	const required = await change('An empty required text', { schema_id, ...form({ [slugs.text]: '' }) });
	required.mayFail = true;
	if (!required.isUnknown) session.found('updateRequired', isRefusal(required), said(required));
	const emptied = await change('An empty number, and a field of no list', {
		schema_id,
		...form({ [slugs.number]: '', [slugs.other]: 'x' }),
	});
	const flat = await change('A value beside the ID of the item', { schema_id, [slugs.yes]: false });
	flat.mayFail = true;
	const last = await now('The items after other changes');
	if (!last) return;
	if (!emptied.failure) {
		const isEmpty = !hasValue(last[slugs.number]);
		session.found('updateEmpties', isEmpty, ['it does', 'the value stays']);
		session.found('updateOtherSlugs', !(slugs.other in last), ['ignored', 'stored']);
	} else if (!emptied.isUnknown) session.found('updateEmpties', false, said(emptied));
	const isStored = last[slugs.yes] === false;
	session.notes.push(
		`updateListItem, values beside \`item_id\`: ${isStored ? 'stored' : flat.failure ? said(flat) : 'not stored'}.`,
	);
}

async function changeFields(
	{ writer, schema_id, second, form, read }: OwnList,
	canFilter: boolean,
): Promise<void> {
	const { session } = writer;
	const item_id = String(second.id);
	const secret = { ...field(slugs.secret, 'string'), is_encryptable: true };
	const added = await writer.change('An encrypted field', listSchemaAddField, { schema_id, field: secret });
	if (added.failure) return;
	formOf(session, added);
	const row = (await read('The items with the new field')).rows.find(({ id }) => id === item_id);
	const schema = await writer.read('The list with the new field', listSchemaGet, { schema_id });
	const fieldsOf = ({ rows }: typeof schema) => (rows[0]?.fields ?? {}) as IDataObject;
	if (!schema.failure) {
		const isThere = slugs.secret in fieldsOf(schema);
		session.found('fieldAdded', isThere, ['it is there', 'it is not there']);
	}
	if (row)
		session.found(
			'fieldNull',
			row[slugs.secret] === null,
			row[slugs.secret] === null ? 'null' : slugs.secret in row ? 'a value' : 'missing',
		);
	const value = 'Тайна';
	const filled = await writer.change('A secret value', listItemUpdate, {
		item_id,
		schema_id,
		...form({ [slugs.secret]: value }),
	});
	const found = await read('Items by a secret value', { filters: { [slugs.secret]: value } });
	if (canFilter && !filled.failure && !found.failure)
		session.found(
			'filterEncrypted',
			!found.rows.length,
			found.rows.length === 0
				? 'nothing is found'
				: found.rows.length === 1
					? 'the item is found'
					: 'the filter is ignored',
		);
	const deleted = await writer.change('The encrypted field', listSchemaDeleteField, {
		schema_id,
		slug: slugs.secret,
	});
	const without = await writer.read('The list without the field', listSchemaGet, { schema_id });
	if (!deleted.failure && !without.failure) {
		formOf(session, deleted);
		const isThere = slugs.secret in fieldsOf(without);
		session.found('fieldDeleted', !isThere, ['it is gone', 'it is still there']);
	}
}

async function deleteItem({ writer, first, read }: OwnList): Promise<void> {
	const { session } = writer;
	const item_id = String(first.id);
	const deleted = await writer.change('An item', listItemDelete, { item_id });
	if (!deleted.failure) {
		const names = ['data', 'errors', 'message', 'success'];
		const isFull = names.every((name) => name in (deleted.said ?? {}));
		session.found('deleteAnswer', isFull, ['all four come', 'not all of them come']);
	}
	const { failure, rows } = await read('The items after that');
	if (failure || deleted.failure) return;
	const isThere = rows.some(({ id }) => id === item_id);
	session.found('itemDeleted', !isThere, ['it is gone', 'it is still there']);
}
