import type { INodeParameters } from 'n8n-workflow';

import type { Messenger } from '../../sandbox/service';

/*
 * What the items of the soak test do: every operation of the node, with items that have a number each. The number stands in
 * every request of an item, so that the books of the service can be held against what n8n says of it.
 */

/** IDs of the records that belong to an item begin here; those of the seed are lower. */
export const firstId = 1_000_000;

export const tag = 'VIP';
export const variable = 'Город';
export const fieldSlug = 'city';

/** As the service writes it: 24 hexadecimal characters. */
export const schemaIdOf = (item: number) => (firstId + item).toString(16).padStart(24, '5');

/** Ends every text that an item sends. */
const marked = (text: string, item: number) => `${text} №${item}`;

/** The item that a request belongs to, from what it says; undefined for lists of everything. */
export function itemIn(input: Record<string, unknown>): number | undefined {
	for (const text of [input.text, input.name, input.value]) {
		const marker = /№(\d+)$/.exec(String(text ?? ''));
		if (marker) return Number(marker[1]);
	}
	if (typeof input.schema_id === 'string') return parseInt(input.schema_id.replace(/^5+/, ''), 16) - firstId;
	const id = [input.contact_id, input.bot_id].map(Number).find((each) => each >= firstId);
	return id === undefined ? undefined : id - firstId;
}

export interface SoakOperation {
	/** The last part of its path. */
	method: string;
	/** How many of a hundred items, about. */
	weight: number;
	/** Whether repeating it leaves the service as one request does. */
	harmless: boolean;
	/** What the service must have before: a record of this kind with the item's ID, or somebody to write to. */
	needs?: 'contact' | 'bot' | 'schema' | { recipient: Messenger };
	/** Whether an answer can hold more than one item. */
	many?: true;
	parameters: INodeParameters;
	/** Data of an item; `recipient` is an ID of the service's, or in a messenger. */
	data?: (item: number, recipient: Recipient) => Record<string, unknown>;
}

/** Somebody to write to. */
export interface Recipient {
	contactId: number;
	externalId: string;
	phone: string;
}

const id = '={{ $json.id }}';
const pick = (mode: string, value: string) => ({ __rl: true, mode, value }) as never;
const ofItem = (item: number) => ({ id: firstId + item });
const ofSchema = (item: number) => ({ schema: schemaIdOf(item) });
const schemaId = pick('id', '={{ $json.schema }}');

/** Some texts are too long for the query. */
const letter = (item: number) => marked(item % 17 ? 'Здравствуйте' : 'Здравствуйте! '.repeat(60), item);

function toContact(messenger: Messenger, weight: number, known: boolean): SoakOperation {
	return {
		method: 'sendMessage',
		weight,
		harmless: false,
		needs: { recipient: messenger },
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: id,
			contactMessenger: known ? messenger : 'unknown',
			text: '={{ $json.text }}',
		},
		data: (item, { contactId }) => ({ id: contactId, text: letter(item) }),
	};
}

function toExternalId(messenger: Messenger, weight: number, by: 'externalId' | 'phone'): SoakOperation {
	return {
		method: 'sendMessage',
		weight,
		harmless: false,
		needs: { recipient: messenger },
		parameters: {
			resource: 'message',
			operation: 'send',
			recipient: 'externalId',
			messenger,
			botId: '101',
			externalId: '={{ $json.to }}',
			content: ['text', 'image'],
			text: '={{ $json.text }}',
			imageUrl: '={{ $json.image }}',
		},
		data: (item, recipient) => ({
			to: recipient[by],
			text: letter(item),
			image: item % 2 ? `https://example.com/${item}.png` : '',
		}),
	};
}

export const operations: SoakOperation[] = [
	{
		method: 'getBotTags',
		weight: 5,
		harmless: true,
		needs: 'bot',
		many: true,
		parameters: { resource: 'tag', operation: 'getManyByBot', botId: id, returnAll: true },
		data: ofItem,
	},
	{
		method: 'getContactTags',
		weight: 5,
		harmless: true,
		needs: 'contact',
		many: true,
		parameters: { resource: 'tag', operation: 'getManyByContact', contactId: id },
		data: ofItem,
	},
	{
		method: 'attachTagToContact',
		weight: 7,
		harmless: true,
		needs: 'contact',
		parameters: { resource: 'tag', operation: 'attach', contactId: id, tagName: pick('name', tag) },
		data: ofItem,
	},
	{
		method: 'detachTagFromContact',
		weight: 6,
		harmless: true,
		needs: 'contact',
		parameters: { resource: 'tag', operation: 'detach', contactId: id, tagName: pick('name', tag) },
		data: ofItem,
	},
	{
		method: 'getContactVariables',
		weight: 5,
		harmless: true,
		needs: 'contact',
		many: true,
		parameters: { resource: 'contactVariable', operation: 'getAll', contactId: id },
		data: ofItem,
	},
	{
		method: 'setContactVariable',
		weight: 7,
		harmless: true,
		needs: 'contact',
		parameters: {
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: id,
			variableName: pick('name', variable),
			variableValue: '={{ $json.value }}',
		},
		data: (item) => ({ id: firstId + item, value: marked('Тверь', item) }),
	},
	{
		method: 'deleteContactVariable',
		weight: 3,
		harmless: false,
		needs: 'contact',
		parameters: {
			resource: 'contactVariable',
			operation: 'delete',
			contactId: id,
			variableName: pick('name', variable),
		},
		data: ofItem,
	},
	{
		method: 'deleteContactVariable',
		weight: 3,
		harmless: false,
		needs: 'contact',
		parameters: {
			resource: 'contactVariable',
			operation: 'delete',
			contactId: id,
			deleteBy: 'id',
			variableId: pick('id', id),
		},
		data: ofItem,
	},
	toContact('telegram', 5, true),
	toContact('viber', 5, true),
	toContact('max', 4, true),
	toContact('vk', 7, true),
	toContact('telegram', 2, false),
	toContact('whatsapp', 0.5, true),
	toExternalId('max', 2, 'phone'),
	toExternalId('telegram', 2, 'externalId'),
	toExternalId('vk', 3, 'externalId'),
	{
		method: 'sendMessageToWhatsApp',
		weight: 6,
		harmless: false,
		parameters: {
			resource: 'message',
			operation: 'sendToWhatsApp',
			botId: '101',
			phone: '={{ $json.phone }}',
			text: '={{ $json.text }}',
			contactName: 'Анна',
		},
		data: (item) => ({ phone: `+7 999 ${firstId + item}`, text: marked('Здравствуйте', item) }),
	},
	{
		method: 'getListSchemas',
		weight: 2,
		harmless: true,
		many: true,
		parameters: { resource: 'listSchema', operation: 'getAll', limit: 60 },
	},
	{
		method: 'getListSchema',
		weight: 5,
		harmless: true,
		needs: 'schema',
		parameters: { resource: 'listSchema', operation: 'get', schemaId },
		data: ofSchema,
	},
	{
		method: 'createListSchema',
		weight: 4,
		harmless: false,
		parameters: {
			resource: 'listSchema',
			operation: 'create',
			listName: '={{ $json.name }}',
			fields: { field: [{ name: 'Город', slug: fieldSlug, type: 'string' }] },
		},
		data: (item) => ({ name: marked('Заказы', item) }),
	},
	{
		method: 'addListSchemaField',
		weight: 4,
		harmless: false,
		needs: 'schema',
		parameters: {
			resource: 'listSchema',
			operation: 'addField',
			schemaId,
			fieldName: 'Визиты',
			newFieldSlug: 'visits',
			fieldType: 'number',
		},
		data: ofSchema,
	},
	{
		method: 'deleteListSchemaField',
		weight: 4,
		harmless: false,
		needs: 'schema',
		parameters: {
			resource: 'listSchema',
			operation: 'deleteField',
			schemaId,
			fieldSlug: pick('slug', fieldSlug),
		},
		data: ofSchema,
	},
	{
		method: 'deleteListSchema',
		weight: 4,
		harmless: false,
		needs: 'schema',
		parameters: { resource: 'listSchema', operation: 'delete', schemaId },
		data: ofSchema,
	},
];
