import type { RecordedRequest } from '../sandbox/emulator';

/*
 * The messages of a run: the data of the items, the expressions with which a user builds the text, and what reached the contacts. The
 * engine's process uses the first two, the emulator's process uses the last one.
 */

/** Contacts, one item each. Every text contains the label, which identifies the run in the emulator's record. */
export interface Batch {
	contactIds: number[];
	label: string;
}

/** The number of expressions: one for the contact ID and one for the text; or five in the text, besides that for the contact ID. */
export type Expressions = '2' | '5';

export const itemsOf = ({ contactIds, label }: Batch) =>
	contactIds.map((contactId, index) => ({
		contactId,
		text: `${label} ${index}`,
		name: ' Мария ',
		order: { number: `${label} ${index}`, price: 1290, pieces: 2, address: 'Казань, улица Баумана, 7' },
		keepUntil: '30 ноября',
	}));

type Item = ReturnType<typeof itemsOf>[number];

export const contactId = '={{ $json.contactId }}';

export const texts: Record<Expressions, { expression: string; of: (item: Item) => string }> = {
	2: { expression: '={{ $json.text }}', of: ({ text }) => text },
	// Three that only name a field, as n8n writes them when a user drags one in, and two that calculate.
	5: {
		expression:
			'=Здравствуйте, {{ $json.name.trim() }}! Ваш заказ {{ $json.order.number }} ждёт по адресу ' +
			'{{ $json.order.address }} до {{ $json.keepUntil }}. К оплате {{ $json.order.price * $json.order.pieces }} ₽.',
		of: ({ name, order, keepUntil }) =>
			`Здравствуйте, ${name.trim()}! Ваш заказ ${order.number} ждёт по адресу ` +
			`${order.address} до ${keepUntil}. К оплате ${order.price * order.pieces} ₽.`,
	},
};

/** What the service recorded of a run. */
export interface Reached {
	/** Requests answered with 429. */
	refused: number;
	/** Items whose text took effect for their contact once, never, and more than once. */
	once: number;
	lost: number;
	doubled: number;
	/** When the accepted requests were counted, in milliseconds. */
	moments: number[];
}

export function reachedBy(requests: RecordedRequest[], batch: Batch, expressions: Expressions): Reached {
	const counts = new Map(
		itemsOf(batch).map((item) => [`${item.contactId} ${texts[expressions].of(item)}`, 0]),
	);
	const messageIn = ({ input }: RecordedRequest) => `${input.contact_id} ${input.text}`;
	const own = requests.filter((request) => counts.has(messageIn(request)));
	const accepted = own.filter((request) => request.accepted);
	for (const message of accepted.map(messageIn)) counts.set(message, counts.get(message)! + 1);
	const times = [...counts.values()];
	return {
		refused: own.filter(({ status }) => status === 429).length,
		once: times.filter((count) => count === 1).length,
		lost: times.filter((count) => count === 0).length,
		doubled: times.filter((count) => count > 1).length,
		moments: accepted.map(({ countedAt }) => countedAt!),
	};
}

/**
 * The share of the limit that was used between the first and the last accepted request: the shortest time that the limit allows for so
 * many requests, divided by the actual time. 1 is as fast as the service allows.
 */
export function shareOfLimit(moments: number[], limit: { requests: number; windowMs: number }): number {
	const shortestMs = Math.floor((moments.length - 1) / limit.requests) * limit.windowMs;
	return shortestMs / (Math.max(...moments) - Math.min(...moments));
}
