import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { contactVariableDelete } from '../../nodes/ChatbotService/resources/contactVariable/delete';
import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { contactVariableUpsert } from '../../nodes/ChatbotService/resources/contactVariable/upsert';
import { listItemCreate } from '../../nodes/ChatbotService/resources/listItem/create';
import { listItemDelete } from '../../nodes/ChatbotService/resources/listItem/delete';
import { listItemGetAll } from '../../nodes/ChatbotService/resources/listItem/getAll';
import { listSchemaCreate } from '../../nodes/ChatbotService/resources/listSchema/create';
import { listSchemaDelete } from '../../nodes/ChatbotService/resources/listSchema/delete';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { tagAttach } from '../../nodes/ChatbotService/resources/tag/attach';
import { tagDetach } from '../../nodes/ChatbotService/resources/tag/detach';
import { tagGetManyByContact } from '../../nodes/ChatbotService/resources/tag/getManyByContact';
import type { Contact } from './agreement';
import type { Call, Session } from './session';

/*
 * The writing scenario: makes four things, looks whether they are there, and removes them, however that ends. Each thing is noted before
 * the request that makes it, so that a lost answer leaves nothing behind.
 */

/** What may still be in the service. */
export interface Left {
	/** In the report. */
	what: string;
	/** For the person alone. */
	name: string;
	where: string;
}

interface Thing extends Left {
	make(): [Operation, IDataObject, expects?: string[]];
	/** How all things of its kind are read, and which of these is the thing. */
	list(): [Operation, IDataObject];
	isOwn(row: IDataObject): boolean;
	remove(id: unknown): [Operation, IDataObject];
	/** IDs with which it can be removed, as far as they are known. */
	ids: unknown[];
	/** What the API cannot remove. */
	keeps?: Left;
	/** What disappears with it. */
	contains?: Thing;
}

/** So that the report can name it: docs/openapi.yaml has this name too. */
const slug = 'text';

/** Waits before each look, in milliseconds. Between two looks, the thing is removed. */
const looks = [0, 0, 2000, 5000];

/** @param left what may still be there, at any moment @param wait before another look */
export async function write(session: Session, contact: Contact, left: Set<Left>, wait = sleep) {
	const made: Thing[] = [];
	try {
		for (const thing of thingsFor(contact)) {
			session.proceed();
			const [operation, values, expects] = thing.make();
			// Without a list, no item.
			if (Object.values(values).includes(undefined)) continue;
			made.unshift(thing);
			left.add(thing);
			if (thing.keeps) left.add(thing.keeps);
			const call = await session.call(titleOf(thing), operation, values, expects ? { expects } : {});
			const found = await find(session, thing);
			if (found?.length === 0 && call.failure === undefined)
				call.remarks.push({ about: 'effect', came: 'it is not there' });
		}
	} finally {
		session.cleanUp();
		for (const thing of made) {
			const making = session.calls.find(({ title }) => title === titleOf(thing));
			const isMade = making !== undefined && making.failure === undefined;
			if (thing.keeps && !isMade && !making?.isUnknown) left.delete(thing.keeps);
			if (!(await isRemoved(session, thing, isMade, wait))) continue;
			left.delete(thing);
			if (thing.contains) left.delete(thing.contains);
		}
	}
}

const titleOf = ({ what }: Thing) => `A new ${what}`;

/** @returns its rows; undefined if they cannot be read */
async function find(session: Session, thing: Thing): Promise<IDataObject[] | undefined> {
	const [operation, values] = thing.list();
	const { failure, rows } = await session.read(`Is the ${thing.what} there?`, operation, values);
	if (failure !== undefined) return undefined;
	const own = rows.filter(thing.isOwn);
	if (own.length) thing.ids = own.map(({ id }) => id);
	return own;
}

/** @param isMade whether the service has confirmed it: what then does not appear may appear later */
async function isRemoved(session: Session, thing: Thing, isMade: boolean, wait: typeof sleep) {
	let removal: Call | undefined;
	for (const [look, waitMs] of looks.entries()) {
		if (waitMs) await wait(waitMs);
		const found = await find(session, thing);
		if (found?.length === 0 && (removal || !isMade)) return true;
		if (found?.length && removal && removal.failure === undefined)
			removal.remarks.push({ about: 'effect', came: 'it is still there' });
		if (look < looks.length - 1)
			for (const id of thing.ids)
				removal = await session.call(`Removing the ${thing.what}`, ...thing.remove(id));
	}
	return false;
}

function thingsFor({ id: contact_id, botId }: Contact): Thing[] {
	// Nothing of the account has such a name.
	const name = `n8n check ${randomBytes(6).toString('hex')}`;
	const isNamed = (row: IDataObject) => row.name === name;
	const ofContact = { contact_id, name };
	const field = { name, slug, type: 'string', is_required: false, is_hidden: false, is_encryptable: false };
	const ofBot = botId === undefined ? {} : { bot_id: botId };
	const item: Thing = {
		...{ what: 'list item', name, where: 'the list of this name', ids: [] },
		make: () => [listItemCreate, { schema_id: list.ids[0] as string, data: { [slug]: name } }],
		list: () => [listItemGetAll, { schema_id: list.ids[0] as string }],
		// One that the service has stored without its value disappears with the list.
		isOwn: (row) => row[slug] === name,
		remove: (id) => [listItemDelete, { item_id: id as string }],
	};
	const list: Thing = {
		...{ what: 'list', name, where: 'the lists of the service', ids: [], contains: item },
		make: () => [listSchemaCreate, { name, is_menu: false, ...ofBot, fields: { [slug]: field } }],
		list: () => [listSchemaGetAll, {}],
		isOwn: isNamed,
		remove: (id) => [listSchemaDelete, { schema_id: id as string }],
	};
	const variable: Thing = {
		...{ what: 'variable of a contact', name, where: `the variables of contact ${contact_id}`, ids: [name] },
		// JetBot requires `deletable`.
		make: () => [contactVariableUpsert, { ...ofContact, value: 'n8n', deletable: 0 }],
		list: () => [contactVariableGetAll, { contact_id }],
		isOwn: isNamed,
		remove: () => [contactVariableDelete, ofContact],
		keeps: { what: 'variable of a bot', name, where: "the variables of the contact's bot" },
	};
	const tag: Thing = {
		...{ what: 'tag of a contact', name, where: `the tags of contact ${contact_id}`, ids: [name] },
		// Only some services create a tag that the bot does not have.
		make: () => [tagAttach, ofContact, ['2XX', '404']],
		list: () => [tagGetManyByContact, { contact_id }],
		isOwn: isNamed,
		remove: () => [tagDetach, ofContact],
		keeps: { what: 'tag of a bot', name, where: "the tags of the contact's bot" },
	};
	return [list, item, variable, tag];
}
