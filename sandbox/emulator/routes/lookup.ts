/** Finds the records a request names, or refuses it with 404; and the items of a list. */

import type { Bot, Contact, Data, ListItem, ListSchema } from '../data';
import { notFound, type Refusal } from '../refusal';

export function botOf(data: Data, id: unknown): Bot {
	const bot = data.bots.get(Number(id));
	if (!bot) throw notFound('Бот не найден');
	return bot;
}

export function contactOf(data: Data, id: unknown): Contact {
	const contact = data.contacts.get(Number(id));
	if (!contact) throw notFound('Контакт не найден');
	return contact;
}

export function listSchemaOf(data: Data, id: unknown): ListSchema {
	const schema = data.listSchemas.get(String(id));
	if (!schema) throw notFound('Список не найден');
	return schema;
}

/** In the order of their creation. */
export function itemsOf(data: Data, schema: ListSchema): ListItem[] {
	return [...data.listItems.values()].filter(({ schemaId }) => schemaId === schema.id);
}

export function listItemOf(data: Data, id: unknown): ListItem {
	const item = data.listItems.get(String(id));
	if (!item) throw itemNotFound();
	return item;
}

/** Also for an item of another list. */
export function itemNotFound(): Refusal {
	return notFound('Элемент не найден');
}
