/**
 * Contacts: an endpoint that the node does not use and an example calls with the HTTP Request node. docs/openapi.yaml does not
 * describe it.
 *
 * Publicly documented, by WatBot (https://docs.watbot.ru/rabota-s-api/kontakty) and by CleverApp, whose page has no `page`:
 * the parameters bot_id, date_from, date_to (Unix time), count (500 at most) and page; `data` with the fields below.
 * Assumed: bot_id is required, a greater count is refused, a page has 50 contacts without count, and `links` and `meta` are
 * those of getListSchemas. No page documents a filter by tag.
 */

import { json } from '../answers';
import type { Contact } from '../data';
import type { Operation } from '../exchange';
import { pageOf, paginate } from '../pages';
import { integer, invalid, required, validate } from '../validation';
import { botOf } from './lookup';

const MAX_COUNT = 500;

/** The emulator does not keep when a contact was created. */
const CREATED_AT = '2023-10-02T09:30:00+03:00';

export const contacts: Record<string, Operation> = {
	getContacts({ data, input, query, url }) {
		validate(input, {
			bot_id: [required, integer],
			date_from: [integer],
			date_to: [integer],
			count: [integer],
			page: [integer],
		});
		const perPage = Number(input.count ?? 50);
		if (perPage > MAX_COUNT)
			throw invalid({ count: [`Значение поля count не может быть больше ${MAX_COUNT}.`] });
		const { id } = botOf(data, input.bot_id);
		const created = Date.parse(CREATED_AT) / 1000;
		const isInTime = created >= Number(input.date_from ?? 0) && created <= Number(input.date_to ?? Infinity);
		const found = isInTime ? [...data.contacts.values()].filter(({ botId }) => botId === id) : [];
		return json(paginate(found.map(asAnswered), { page: pageOf(input.page), perPage, path: url, query }));
	},
};

const asAnswered = ({ id, botId, phone, name, messenger, externalId }: Contact) => ({
	id,
	bot_id: botId,
	phone: phone ?? null,
	email: null,
	name,
	messenger,
	...(messenger === 'telegram' && { telegram_id: externalId }),
	address: null,
	utm: null,
	created_at: CREATED_AT,
});
