import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { contactGetAll } from '../../nodes/ChatbotService/resources/contact/getAll';
import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaGet } from '../../nodes/ChatbotService/resources/listSchema/get';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { tagGetManyByBot } from '../../nodes/ChatbotService/resources/tag/getManyByBot';
import { tagGetManyByContact } from '../../nodes/ChatbotService/resources/tag/getManyByContact';
import type { Call, Session } from './session';

/* The calls that only read. Later ones use what earlier ones returned. */

/** An example for 'Send Request'. */
const getReferrals: Operation = {
	...tagGetManyByContact,
	option: {
		...tagGetManyByContact.option,
		routing: { request: { method: 'GET', url: '/getReferrals' } },
	},
};

/** As many as a page of lists has, so that one page is enough. */
const lists = { most: 50 };
/** So few that a small account has a second page too. */
const page = { most: 2 };
/** Enough to meet a contact with tags and variables. */
const moreRows = 50;
/** An ID that no contact has. */
const unknownId = 2_147_483_647;
/** A page that no account has. */
const farPage = 1_000_000;

/** @returns why the account cannot be read; then only the first call was made */
export async function read(session: Session): Promise<string | undefined> {
	const { credential } = session;
	const schemas = await session.read('All lists', listSchemaGetAll, {}, lists);
	if (schemas.failure !== undefined) return schemas.failure;
	const more = await session.read('All lists, page 2', listSchemaGetAll, {}, { ...lists, first: 2 });
	turned(schemas, more);

	const inHeader = { ...credential, tokenPlacement: 'bearer' };
	const unknown = { ...credential, token: randomUUID() };
	// A header for the token, so that the query has none.
	const none = { ...credential, token: '', tokenPlacement: 'header', tokenName: 'X-Api-Key' };
	for (const [title, other, expects] of [
		['The token in a header', inHeader, []],
		['A token that does not exist', unknown, ['401']],
		['No token', none, ['401']],
	] as const)
		await session.read(title, listSchemaGetAll, {}, { most: 1, credential: other, expects: [...expects] });

	const contact = await readContacts(session);
	if (contact) await readContact(session, contact);
	await session.read(
		'Tags of a contact that does not exist',
		tagGetManyByContact,
		{ contact_id: unknownId },
		{ expects: ['404'] },
	);
	await session.read('Tags of a bot, without its ID', tagGetManyByBot, {}, { expects: ['422'] });

	const schema = schemas.rows.find(slugOfText) ?? schemas.rows[0];
	if (schema) await readList(session, schema);
	return undefined;
}

/** @returns a contact, with tags and variables if there is one */
async function readContacts(session: Session): Promise<IDataObject | undefined> {
	const first = await session.read('Contacts, page 1', contactGetAll, {}, page);
	const second = await session.read('Contacts, page 2', contactGetAll, {}, { ...page, first: 2 });
	turned(first, second);
	const beyond = { ...page, first: farPage };
	await session.read('Contacts, a page beyond the last one', contactGetAll, {}, beyond);
	const parts = ['tags', 'variables'];
	const added = await session.read(
		'Contacts with tags and variables',
		contactGetAll,
		{ with: parts.join() },
		{ most: moreRows },
	);
	const has = (contact: IDataObject, part: string) => Object.values(contact[part] ?? {}).length > 0;
	const contacts = [...added.rows, ...first.rows];
	return contacts.find((each) => parts.every((part) => has(each, part))) ?? contacts[0];
}

async function readContact(session: Session, { id: contact_id, bot_id }: IDataObject): Promise<void> {
	await session.read('Tags of a contact', tagGetManyByContact, { contact_id });
	await session.read('Variables of a contact', contactVariableGetAll, { contact_id });
	await session.read('Tags of a bot', tagGetManyByBot, { bot_id });
	await session.read('Contacts whom a contact has invited', getReferrals, { contact_id });
}

async function readList(session: Session, schema: IDataObject): Promise<void> {
	const ofList = { schema_id: schema.id };
	await session.read('One list', listSchemaGet, ofList);
	const first = await session.read('List items, page 1', listItemGetAll, ofList, page);
	const second = await session.read('List items, page 2', listItemGetAll, ofList, { ...page, first: 2 });
	turned(first, second);
	const slug = slugOfText(schema);
	if (slug === undefined) return;
	const find = async (title: string, value: string) =>
		await session.read(title, listItemGetAll, { ...ofList, filters: { [slug]: value } }, page);
	const item = first.rows.find((row) => typeof row[slug] === 'string' && row[slug]);
	if (item) {
		const own = await find('List items by a value', String(item[slug]));
		if (!own.failure && !own.rows.length)
			own.remarks.push({ about: 'filters', came: 'no items, although one has the value' });
	}
	const none = await find('List items that do not exist', randomUUID());
	if (none.rows.length) none.remarks.push({ about: 'filters', came: 'items without the value' });
}

/** Notes a second page without other rows. */
function turned(first: Call, second: Call): void {
	const ids = first.rows.map(({ id }) => id);
	if (second.rows.length && second.rows.every(({ id }) => ids.includes(id)))
		second.remarks.push({ about: 'page', came: 'page 2 repeats page 1' });
}

/** A field by which the service can filter. */
const slugOfText = ({ fields }: IDataObject): string | undefined =>
	Object.entries((fields ?? {}) as Record<string, Partial<IDataObject> | null>).find(
		([, field]) => field?.type === 'string' && !field.is_encryptable,
	)?.[0];
