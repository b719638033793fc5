import { randomUUID } from 'node:crypto';

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { contactGetAll } from '../../nodes/ChatbotService/resources/contact/getAll';
import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaGet } from '../../nodes/ChatbotService/resources/listSchema/get';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { tagGetManyByBot } from '../../nodes/ChatbotService/resources/tag/getManyByBot';
import { tagGetManyByContact } from '../../nodes/ChatbotService/resources/tag/getManyByContact';
import { isKnownMessage } from './lines';
import { headersIn } from './names';
import { additionsIn, filtersOf, formOf, linksOf, pagesOf, said, valuesIn, variablesIn } from './remarks';
import type { Session } from './session';

/* The calls that only read. Later ones use what earlier ones returned. */

/** An example for 'Send Request'. LEADTEX documents it as a POST. */
const getReferrals: Operation = {
	...tagGetManyByContact,
	option: {
		...tagGetManyByContact.option,
		routing: { request: { method: 'GET', url: '/getReferrals' } },
	},
};

/** So that the service decides how many contacts a page has. */
const contactsUncounted: Operation = { ...contactGetAll, pageSize: undefined } as Operation;

/** As documented. */
const listsPerPage = 50;
/** So few that a small account has a second page too. */
const pageRows = 2;
/** Enough to meet a contact with tags and variables. */
const moreRows = 50;
/** An ID that no contact has. */
const unknownId = 2_147_483_647;
/** A page that no account has. */
const farPage = 1_000_000;

/** @returns whether the account can be read. If not, only the first call is made */
export async function read(session: Session): Promise<boolean> {
	const { credential } = session;
	const schemas = await session.observe('All lists', listSchemaGetAll, {}, { most: 1 });
	if (schemas.failure) return false;
	formOf(session, schemas, false);
	const more = await session.observe('All lists, page 2', listSchemaGetAll, {}, { most: 1, first: 2 });
	more.remarks.push(...pagesOf(schemas, more, listsPerPage));

	const inHeader = { ...credential, tokenPlacement: 'bearer' };
	const byHeader = await readWith(session, 'The token in a header', inHeader);
	const { failure, status } = byHeader;
	byHeader.remarks.push({ text: `A Bearer header ${failure ? 'does not work' : 'works'}` });
	session.found('headerFails', status === 500, failure ? said(byHeader) : 'it works');
	await refuse(session, 'A token that does not exist', { ...credential, token: randomUUID() });
	// A header for the token, so that the query has none.
	await refuse(session, 'No token', {
		...credential,
		token: '',
		tokenPlacement: 'header',
		tokenName: 'X-Api-Key',
	});

	const contact = await readContacts(session);
	if (contact) await readContact(session, contact);
	const ofNobody = { contact_id: unknownId };
	const stranger = await session.observe(
		'Tags of a contact that does not exist',
		tagGetManyByContact,
		ofNobody,
	);
	stranger.mayFail = true;
	session.found('unknownRecord', stranger.status === 404, `an unknown contact is ${said(stranger)}`);
	const incomplete = await session.observe('Tags of a bot, without its ID', tagGetManyByBot);
	incomplete.mayFail = true;
	session.found('invalid', incomplete.status === 422, `a missing ID is ${said(incomplete)}`);

	const schema = schemas.rows.find(slugOfText) ?? schemas.rows[0];
	if (schema) await readList(session, schema);
	return true;
}

async function readWith(session: Session, title: string, credential: ICredentialDataDecryptedObject) {
	const observation = await session.observe(title, listSchemaGetAll, {}, { most: 1, credential });
	observation.mayFail = true;
	return observation;
}

/** How the service refuses a token. */
async function refuse(session: Session, title: string, credential: ICredentialDataDecryptedObject) {
	const refused = await readWith(session, title, credential);
	const { status, answers } = refused;
	const here = `${title.charAt(0).toLowerCase()}${title.slice(1)} is ${said(refused)}`;
	session.found('unknownToken', status === 401, here);
	const { message: text } = refused.said ?? {};
	const message = isKnownMessage(text) ? `message "${text}"` : 'another message';
	session.notes.push(
		`${title}: status ${status}, ${message}, headers ${headersIn(answers.at(-1)?.headers)}.`,
	);
}

/** @returns a contact, with tags and variables if there is one */
async function readContacts(session: Session): Promise<IDataObject | undefined> {
	const page = { most: pageRows };
	const first = await session.observe('Contacts, page 1', contactGetAll, {}, page);
	const second = await session.observe('Contacts, page 2', contactGetAll, {}, { ...page, first: 2 });
	second.remarks.push(...pagesOf(first, second, pageRows));
	const beyond = await session.observe(
		'Contacts, a page beyond the last one',
		contactGetAll,
		{},
		{ ...page, first: farPage },
	);
	if (!first.failure) {
		session.found(
			'contactPages',
			first.hasPages || undefined,
			first.hasPages ? 'it has' : 'there is no `meta`',
		);
		session.found('contactLinks', ...linksOf(first, session.credential.token));
		// A service that does not know the parameter sends the first page.
		const isEmpty = !beyond.failure && !beyond.rows.length;
		const here = isEmpty ? 'empty' : beyond.failure ? said(beyond) : 'contacts come again';
		session.found('contactsBeyond', isEmpty || (first.hasPages ? false : undefined), here);
	}
	const usual = await session.observe('Contacts without `count`', contactsUncounted, {}, { most: 1 });
	const { per_page: size } = (usual.said?.meta ?? {}) as { per_page?: unknown };
	if (typeof size === 'number') session.found('contactsUsually', size === 50, String(size));
	const parts = ['tags', 'variables'];
	const added = await session.observe(
		'Contacts with tags and variables',
		contactGetAll,
		{ with: parts.join() },
		{ most: moreRows },
	);
	added.remarks.push(...additionsIn(session, first, added));
	const has = (contact: IDataObject, part: string) => Object.values(contact[part] ?? {}).length > 0;
	const contacts = [...added.rows, ...first.rows];
	return contacts.find((each) => parts.every((part) => has(each, part))) ?? contacts[0];
}

async function readContact(session: Session, { id: contact_id, bot_id }: IDataObject): Promise<void> {
	await session.observe('Tags of a contact', tagGetManyByContact, { contact_id });
	const variables = await session.observe('Variables of a contact', contactVariableGetAll, { contact_id });
	variables.remarks.push(...variablesIn(session, variables));
	await session.observe('Tags of a bot', tagGetManyByBot, { bot_id });
	const invited = await session.observe('Contacts whom a contact has invited', getReferrals, { contact_id });
	invited.mayFail = true;
	session.found('referrals', !invited.failure, invited.failure ? said(invited) : 'GET works');
}

async function readList(session: Session, schema: IDataObject): Promise<void> {
	const page = { most: pageRows };
	const ofList = { schema_id: schema.id };
	await session.observe('One list', listSchemaGet, ofList);
	const items = await session.observe('List items, page 1', listItemGetAll, ofList, page);
	items.remarks.push(...valuesIn(items, Object.keys(schema.fields ?? {})));
	const others = await session.observe('List items, page 2', listItemGetAll, ofList, { ...page, first: 2 });
	others.remarks.push(...pagesOf(items, others, pageRows));
	const slug = slugOfText(schema);
	if (!slug) return;
	const by = (value: string) => ({ ...ofList, filters: { [slug]: value } });
	const item = items.rows.find((row) => typeof row[slug] === 'string' && row[slug]);
	const own =
		item && (await session.observe('List items by a value', listItemGetAll, by(String(item[slug])), page));
	const none = await session.observe('List items that do not exist', listItemGetAll, by(randomUUID()), page);
	none.remarks.push(...filtersOf(session, item, own, none));
}

/** A field by which the service can filter. */
const slugOfText = ({ fields }: IDataObject): string | undefined =>
	Object.entries((fields ?? {}) as Record<string, Partial<IDataObject> | null>).find(
		([, field]) => field?.type === 'string' && !field.is_encryptable,
	)?.[0];
