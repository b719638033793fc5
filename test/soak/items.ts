import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../sandbox/emulator';
import { parametersOf, variants, type Operation } from '../operations';

/* What the items of the soak test are about. Each request contains the number of its item, so that the service's record tells whose it is. */

/** IDs of the records that belong to an item start here; those of the seed are lower. */
const firstId = 1_000_000;

export type Item = ReturnType<typeof recordsOf>;

/** IDs as the service writes them: those of lists and their items have 24 hexadecimal characters. */
export function recordsOf(number: number) {
	const id = firstId + number;
	const [schemaId, listItemId] = ['5', '6'].map((fill) => id.toString(16).padStart(24, fill)) as [
		string,
		string,
	];
	return { number, id, schemaId, listItemId };
}

const marked =
	(text: string) =>
	({ number }: Item) =>
		`${text} №${number}`;

/** The item of a request, by its contents; undefined for requests that belong to none. */
export function itemIn(input: Record<string, unknown>): number | undefined {
	for (const text of [input.text, input.name]) {
		const marker = /№(\d+)$/.exec(String(text ?? ''));
		if (marker) return Number(marker[1]);
	}
	const listed = input.schema_id ?? input.item_id;
	if (typeof listed === 'string') return parseInt(listed.replace(/^[56]+/, ''), 16) - firstId;
	const id = [input.contact_id, input.bot_id].map(Number).find((each) => each >= firstId);
	return id === undefined ? undefined : id - firstId;
}

type ValueOf = (item: Item) => number | string;

/** The fields with a value of its own for each item. */
const own: Record<string, ValueOf> = {
	contactId: ({ id }) => id,
	variableId: ({ id }) => id,
	schemaId: ({ schemaId }) => schemaId,
	itemId: ({ listItemId }) => listItemId,
	externalId: ({ id }) => `7999${id}`,
	phone: ({ id }) => `+7 999 ${id}`,
	contactName: marked('Полина'),
	listName: marked('Заказы'),
	// Some texts are too long for the query.
	text: (item) => marked(item.number % 17 ? 'Здравствуйте' : 'Здравствуйте! '.repeat(60))(item),
};

/** What an operation needs besides these, by its title. Messages to VK have no limit, so that they take no longer than the rest. */
const special: Record<string, Record<string, ValueOf | boolean | number | string | string[] | undefined>> = {
	'tag/getManyByBot': { botId: ({ id }) => id, returnAll: true },
	'listItem/getAll': { fieldFilters: undefined },
	'listSchema/getAll': { limit: 60 },
	'message/send to a contact': { contactMessenger: 'vk', content: ['text'] },
	'message/send to an external ID': {
		messenger: 'vk',
		botId: '101',
		externalId: ({ id }) => String(id),
		content: ['text', 'image'],
		imageUrl: ({ number }) => (number % 2 ? `https://example.com/${number}.png` : ''),
	},
};

/** One node, whose items each have their own target. */
export interface SoakNode {
	operation: Operation;
	parameters: INodeParameters;
	own: Array<[field: string, valueOf: ValueOf]>;
}

// An operation that asks takes one item at a time. Of one that looks first, the record does not tell what it has changed.
export const nodes = variants
	.filter(({ of: { question, first } }) => !question && !first)
	.map((variant): SoakNode => {
		const usual = variant.fields.flatMap(({ name }) => (own[name] ? [[name, own[name]]] : []));
		const values = { ...Object.fromEntries(usual), ...special[variant.title] } as (typeof special)[string];
		const ofItem = Object.entries(values).filter((entry): entry is SoakNode['own'][number] => {
			return typeof entry[1] === 'function';
		});
		const expressions = ofItem.map(([field]) => [field, `={{ $json.${field} }}`]);
		const parameters = parametersOf(variant, { ...values, ...Object.fromEntries(expressions) });
		return { operation: variant.of, parameters, own: ofItem };
	});

/** The faults, with their number in a thousand requests. */
export const faults: Array<[perMille: number, fault: Fault]> = [
	[30, { kind: 'delay', ms: [5, 60] }],
	[15, { kind: 'delay', ms: [50, 400], when: 'after' }],
	[7, { kind: 'reset' }],
	[7, { kind: 'reset', when: 'after' }],
	[3, { kind: 'timeout' }],
	[2, { kind: 'timeout', when: 'before' }],
	[6, { kind: 'server error' }],
	[6, { kind: 'server error', when: 'after' }],
	[5, { kind: 'unavailable', retryAfter: 1 }],
	[5, { kind: 'html' }],
	[4, { kind: 'html', status: 502, when: 'after' }],
	[5, { kind: 'forbidden' }],
	[4, { kind: 'redirect' }],
	[4, { kind: 'malformed' }],
	[3, { kind: 'empty' }],
	[5, { kind: 'too many' }],
	[6, { kind: 'too many', retryAfter: 1 }],
];
