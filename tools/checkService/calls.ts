import { randomUUID } from 'node:crypto';

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Part } from '../../nodes/ChatbotService/client/http/pages';
import { contactGetAll } from '../../nodes/ChatbotService/resources/contact/getAll';
import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaGet } from '../../nodes/ChatbotService/resources/listSchema/get';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { tagGetManyByBot } from '../../nodes/ChatbotService/resources/tag/getManyByBot';
import { tagGetManyByContact } from '../../nodes/ChatbotService/resources/tag/getManyByContact';
import { observe, type Observation } from './observer';
import { additionsIn, filtersOf, pagesOf, refusalOf, valuesIn, variablesIn } from './remarks';

/* Which calls the check makes. Later ones use what earlier ones returned. */

/** An example for 'Send Request'. LEADTEX documents it as a POST. */
const getReferrals: Operation = {
	...tagGetManyByContact,
	option: {
		...tagGetManyByContact.option,
		routing: { request: { method: 'GET', url: '/getReferrals' } },
	},
};

/** As documented. */
const listsPerPage = 50;
/** So few that a small account has a second page too. */
const pageRows = 2;
/** Enough to meet a contact with tags and variables. */
const moreRows = 50;
/** An ID that no contact has. */
const unknownId = 2_147_483_647;

/**
 * @param starts called with the title of each call before it is made
 * @returns the calls; only the first if the account cannot be read
 */
export async function check(
	credential: ICredentialDataDecryptedObject,
	starts: (title: string) => void = () => {},
): Promise<Observation[]> {
	const calls: Observation[] = [];
	const call = async (
		title: string,
		operation: Operation,
		values?: IDataObject,
		part?: Part,
		used = credential,
	) => {
		starts(title);
		const observation = await observe(used, title, operation, values, part);
		calls.push(observation);
		return observation;
	};

	const schemas = await call('All lists', listSchemaGetAll, {}, { most: 1 });
	if (schemas.failure) return calls;

	const more = await call('All lists, page 2', listSchemaGetAll, {}, { most: 1, first: 2 });
	more.remarks.push(...pagesOf(schemas, more, listsPerPage));

	const inHeader = { ...credential, tokenPlacement: 'bearer' };
	const byHeader = await call('The token in a header', listSchemaGetAll, {}, { most: 1 }, inHeader);
	byHeader.mayFail = true;
	byHeader.remarks.push({ text: `A Bearer header ${byHeader.failure ? 'does not work' : 'works'}` });
	const wrong = { ...credential, token: randomUUID() };
	const byNobody = await call('A token that does not exist', listSchemaGetAll, {}, { most: 1 }, wrong);
	mustFail(byNobody);

	const page = { most: pageRows };
	const first = await call('Contacts, page 1', contactGetAll, {}, page);
	const second = await call('Contacts, page 2', contactGetAll, {}, { ...page, first: 2 });
	second.remarks.push(...pagesOf(first, second, pageRows));
	const parts = ['tags', 'variables'];
	const added = await call(
		'Contacts with tags and variables',
		contactGetAll,
		{ with: parts.join() },
		{ most: moreRows },
	);
	added.remarks.push(...additionsIn(first, added, parts));

	const has = (contact: IDataObject, part: string) => Object.values(contact[part] ?? {}).length > 0;
	const contacts = [...added.rows, ...first.rows];
	const contact = contacts.find((each) => parts.every((part) => has(each, part))) ?? contacts[0];
	if (contact) {
		const ofContact = { contact_id: contact.id };
		await call('Tags of a contact', tagGetManyByContact, ofContact);
		const variables = await call('Variables of a contact', contactVariableGetAll, ofContact);
		variables.remarks.push(...variablesIn(variables));
		await call('Tags of a bot', tagGetManyByBot, { bot_id: contact.bot_id });
		const invited = await call('Contacts whom a contact has invited', getReferrals, ofContact);
		invited.mayFail = true;
	}
	const ofNobody = { contact_id: unknownId };
	const stranger = await call('Tags of a contact that does not exist', tagGetManyByContact, ofNobody);
	mustFail(stranger);
	const incomplete = await call('Tags of a bot, without its ID', tagGetManyByBot);
	mustFail(incomplete);

	const schema = schemas.rows.find(slugOfText) ?? schemas.rows[0];
	if (schema) {
		const ofList = { schema_id: schema.id };
		await call('One list', listSchemaGet, ofList);
		const items = await call('List items, page 1', listItemGetAll, ofList, page);
		items.remarks.push(...valuesIn(items, Object.keys(schema.fields ?? {})));
		const others = await call('List items, page 2', listItemGetAll, ofList, { ...page, first: 2 });
		others.remarks.push(...pagesOf(items, others, pageRows));
		const slug = slugOfText(schema);
		if (slug) {
			const by = (value: string) => ({ ...ofList, filters: { [slug]: value } });
			const item = items.rows.find((row) => typeof row[slug] === 'string' && row[slug]);
			const own = item && (await call('List items by a value', listItemGetAll, by(String(item[slug])), page));
			const none = await call('List items that do not exist', listItemGetAll, by(randomUUID()), page);
			none.remarks.push(...filtersOf(item, own, none));
		}
	}
	return calls;
}

function mustFail(observation: Observation): void {
	observation.mayFail = true;
	observation.remarks.push(...refusalOf(observation));
}

/** A field by which the service can filter. */
const slugOfText = ({ fields }: IDataObject): string | undefined =>
	Object.entries((fields ?? {}) as Record<string, Partial<IDataObject> | null>).find(
		([, field]) => field?.type === 'string' && !field.is_encryptable,
	)?.[0];
