/** Finds the records a request names, or refuses it with 404. */

import type { Bot, Contact, Data, ListSchema } from '../data';
import { notFound } from '../refusal';

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
