import type { IDataObject } from 'n8n-workflow';

import { listItemCreate } from '../../nodes/ChatbotService/resources/listItem/create';
import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaCreate } from '../../nodes/ChatbotService/resources/listSchema/create';
import { listSchemaGet } from '../../nodes/ChatbotService/resources/listSchema/get';
import type { Observation } from './call';
import type { Writer } from './change';
import { listNamed } from './made';
import { field, hasValue, slugs } from './ownList';
import { changeItems } from './writingItems';
import { findItems } from './findingItems';
import { formOf, idIn, parametersRefused, placeIn, said } from './remarks';

/* A list of the check's own, and its first items. */

const fields = {
	[slugs.text]: field(slugs.text, 'string', true),
	[slugs.number]: field(slugs.number, 'number'),
	[slugs.yes]: field(slugs.yes, 'boolean'),
};

/** What services might change: leading zeros, letters, quotes, characters of HTML, numbers with a sign and a fraction. */
const first = { [slugs.text]: '007 «Ёж» "q" \'s\' & <b> 🚀', [slugs.number]: -12.5, [slugs.yes]: true };
const flat = { [slugs.text]: 'Плоско', [slugs.number]: 20, [slugs.yes]: false };
const second = { [slugs.text]: 'Ять 2', [slugs.number]: 3 };

/** @param botId of a bot of the account, if one is known */
export async function writeList(writer: Writer, name: string, botId: number | undefined): Promise<void> {
	const made = await createList(writer, name, botId);
	if (!made) return;
	const list = await addItems(writer, made.schema_id, botId);
	if (!list) return;
	const own = { ...list, isOfBot: made.isOfBot };
	const canFilter = await findItems(own);
	await changeItems(own, canFilter);
}

async function createList(writer: Writer, name: string, bot_id: number | undefined) {
	const { session, undo } = writer;
	const known = new Set<string>();
	const list = undo.add(listNamed(writer, name, known));
	let created = await writer.change('A list', listSchemaCreate, { name, fields });
	const needed = parametersRefused(created);
	if (!created.failure || needed.length) {
		const saying = (parameter: string) =>
			`a request without it is ${needed.includes(parameter) ? 'refused' : 'accepted'}`;
		session.found('listOfBot', needed.includes('bot_id'), saying('bot_id'));
		session.found('listInMenu', needed.includes('is_menu'), saying('is_menu'));
	}
	const isOfBot = needed.includes('bot_id');
	if (needed.length) {
		created.mayFail = true;
		const more = { is_menu: false, ...(isOfBot && { bot_id }) };
		created = await writer.change('A list, with what was missing', listSchemaCreate, {
			name,
			fields,
			...more,
		});
	}
	if (created.failure && !created.isUnknown) return undefined;
	const told = idIn(created);
	if (told) known.add(told);
	const found = await list.find();
	const schema_id = told ?? found?.[0];
	if (found && !created.failure) {
		session.found('listCreated', found.length === 1, found.length ? 'it is there' : 'it is not there');
		const place = found[0] && placeIn(created, found[0]);
		const isUsual = [undefined, 'data.id', 'id'].includes(place);
		session.found('listAnswer', isUsual, place ? `the ID is in \`${place}\`` : 'the answer contains no ID');
	}
	if (!schema_id) return undefined;
	session.found('listId', /^[\da-f]{24}$/.test(schema_id), 'the form of the ID');
	const { rows, failure } = await writer.read('The new list', listSchemaGet, { schema_id });
	const stored = rows[0]?.fields as Record<string, Partial<IDataObject> | undefined> | undefined;
	if (!failure) {
		const isKept = Object.entries(fields).every(
			([slug, { name: label, is_required }]) =>
				stored?.[slug]?.name === label && stored[slug].is_required === is_required,
		);
		session.found('listFields', isKept, ['the fields are kept', 'a field is lost or changed']);
		const isBool = stored?.[slugs.yes]?.type === 'bool';
		session.found('bool', isBool, ['it is `bool` in the answer', 'it has another name in the answer']);
	}
	return { schema_id, isOfBot };
}

async function addItems(writer: Writer, schema_id: string, botId: number | undefined) {
	const { session } = writer;
	const read = async (title: string, values: IDataObject = {}) =>
		await writer.read(title, listItemGetAll, { schema_id, ...values }, { most: 100 });
	const add = async (title: string, values: IDataObject) =>
		await writer.change(title, listItemCreate, { schema_id, ...values });

	const inData = await add('An item, its values in `data`', { data: first });
	const alone = await read('The items of the new list');
	const stored = alone.rows[0];
	if (!inData.failure && !alone.failure) {
		session.found(
			'itemAdded',
			alone.rows.length === 1,
			alone.rows.length ? 'it is there' : 'it is not there',
		);
		const place = stored && placeIn(inData, String(stored.id));
		session.found(
			'itemAnswer',
			place === 'data.id',
			place ? `the ID is in \`${place}\`` : 'the answer contains no ID',
		);
		formOf(session, inData, false);
	}
	const counts = stored !== undefined && Object.keys(first).some((slug) => hasValue(stored[slug]));
	if (stored && counts) compareValues(writer, stored, first);
	if (stored) session.found('itemId', /^[\da-f]{24}$/.test(String(stored.id)), 'the form of the ID');

	const beside = await add('An item, its values beside `schema_id`', flat);
	beside.mayFail = true;
	const both = await read('The items after that');
	const added = both.rows.find(({ id }) => id !== stored?.id);
	const flatCounts = added !== undefined && hasValue(added[slugs.text]);
	if (!alone.failure && !both.failure) {
		const stating = (isCounting: boolean, { failure, status }: Observation, row: unknown) =>
			isCounting
				? 'stored'
				: failure
					? `refused with ${status}`
					: row
						? 'not stored, the item is empty'
						: 'not stored';
		const here = `values in \`data\`: ${stating(counts, inData, stored)}; beside \`schema_id\`: ${stating(flatCounts, beside, added)}`;
		session.found('itemFlat', stored ? !counts : undefined, here);
		session.notes.push(`addListItem, ${here}.`);
	}
	if (!counts && !flatCounts) return undefined;

	const form = (values: IDataObject) => (counts ? { data: values } : values);
	const padded = { ...second, [slugs.text]: `  ${second[slugs.text]}  ` };
	const another = await add(
		'An item with blanks, and with a field of no list',
		form({ ...padded, [slugs.other]: 'x' }),
	);
	if (another.failure && !another.isUnknown) {
		session.found('itemOtherSlugs', false, said(another));
		await add('An item with blanks', form(padded));
	}
	const all = await read('The items in their own order');
	const own = all.rows.find(({ id }) => id !== stored?.id && id !== added?.id);
	if (!own) return undefined;
	if (!another.failure) {
		const isIgnored = !(slugs.other in own);
		session.found('itemOtherSlugs', isIgnored, ['ignored', 'stored']);
	}
	const text = own[slugs.text];
	session.found('trimmed', text === second[slugs.text], ['it does', 'it does not']);
	session.found(
		'itemNull',
		own[slugs.yes] === null,
		own[slugs.yes] === undefined ? 'missing' : own[slugs.yes] === null ? 'null' : 'a value',
	);
	const items = [stored, added, own].filter((row): row is IDataObject => row !== undefined);
	return { writer, schema_id, botId, items, first: items[0]!, second: own, read, form };
}

/** Compares every value exactly. */
function compareValues({ session }: Writer, stored: IDataObject, sent: IDataObject): void {
	const claimOf = {
		[slugs.text]: 'valueText',
		[slugs.number]: 'valueNumber',
		[slugs.yes]: 'valueBool',
	} as const;
	for (const [slug, value] of Object.entries(sent)) {
		const found = stored[slug];
		const here =
			found === value
				? 'the value comes back exactly'
				: !hasValue(found)
					? 'the value is lost'
					: String(found) === String(value)
						? `the value comes back as ${typeof found}`
						: 'the value comes back changed';
		session.found(claimOf[slug]!, found === value, here);
	}
}
