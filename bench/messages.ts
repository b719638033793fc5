/*
 * The messages: the data of the items, the expressions with which a user builds the text, and the text that has to arrive. The
 * engine's process uses the first two, the emulator's process uses the last one.
 */

/** Contacts, one item each. Every text contains the label, which identifies the run in the emulator's record. */
export interface Batch {
	contactIds: number[];
	label: string;
}

/** The number of expressions: one for the contact ID and one for the text; or five in the text, besides that for the contact ID. */
export const expressionCounts = ['2', '5'] as const;
export type Expressions = (typeof expressionCounts)[number];

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

interface Text {
	expression: string;
	of: (item: Item) => string;
}

export const texts: Record<Expressions, Text> = {
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
