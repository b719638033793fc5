import { type Data, SEEDED } from '../../sandbox/emulator';
import { botId, contactId, unset, withoutInput } from './fields';
import type { EditorState, FieldFixture, OperationFixture } from './operation';

const { contacts, bots } = SEEDED;

const recipient = (value: string): FieldFixture => ({ name: 'recipient', value, decides: true });

const toContact: FieldFixture[] = [
	recipient('contact'),
	contactId,
	{ name: 'contactMessenger', value: 'unknown' },
];

/** The Viber contact of the emulator's second bot. */
const toExternalId: FieldFixture[] = [
	recipient('externalId'),
	{ name: 'messenger', value: 'viber', wire: 'messenger' },
	{ ...botId, value: String(bots.flowers) },
	{ name: 'externalId', value: '+79264440303', wire: 'contact_external_id', isSought: true },
];

const options: FieldFixture[] = [withoutInput, ...unset('options', 'sendOncePer', 'sendingHours')];

const text = 'Здравствуйте.\nВаш урок — завтра & в 10:00 + кофе';
const image = 'https://example.com/%D0%BA%D0%BE%D1%82.png?x=1&y=2';
const file = 'https://example.com/%D0%BF%D1%80%D0%B0%D0%B9%D1%81.pdf';

const contents: FieldFixture[] = [
	{ name: 'content', value: ['text', 'image', 'file'], decides: true },
	{ name: 'text', value: text, wire: 'text' },
	{ name: 'imageUrl', value: 'https://example.com/кот.png?x=1&y=2', sent: image, wire: 'image' },
	{ name: 'fileUrl', value: 'https://example.com/прайс.pdf', sent: file, wire: 'file' },
	...options,
];

/** The editor for each choice of contents: each selected content is required, and without any, 'Content' itself is. */
const statesWith = (to: FieldFixture[], required: string[]): EditorState[] =>
	[[], ['text'], ['image'], ['file'], ['text', 'file'], ['text', 'image', 'file']].map((content) => {
		const chosen = content.map((each) => (each === 'text' ? each : `${each}Url`));
		return {
			choices: { recipient: to[0]!.value as string, content },
			shown: [...to.map(({ name }) => name), 'content', ...chosen, 'options'],
			required: [...required, ...(content.length ? chosen : ['content'])],
		};
	});

const isDelivered = ({ deliveries }: Data, contact: number, begin: string) =>
	deliveries.some((sent) => sent.contactId === contact && sent.text?.startsWith(begin) === true);

const send: OperationFixture = {
	endpoint: 'sendMessage',
	answer: 'done',
	variants: [
		{
			title: 'to a contact',
			fields: [...toContact, ...contents],
			isDone: (data) => isDelivered(data, contacts.telegram, text),
			states: statesWith(toContact, ['contactId']),
		},
		{
			title: 'to an external ID',
			fields: [...toExternalId, ...contents],
			isDone: (data) => isDelivered(data, contacts.viber, text),
			notice: 'boundPhone',
			states: statesWith(toExternalId, ['messenger', 'botId', 'externalId']),
		},
	],
};

const question = 'Анна просит скидку 10 % & доставку.\nСогласны?';

const askFor = (responseType: string): FieldFixture[] => [
	{ name: 'message', value: question, wire: 'text', required: true },
	{ name: 'responseType', value: responseType, decides: true },
];

const approvalOptions = unset('approvalOptions', 'approvalType', 'approveLabel', 'disapproveLabel');

const questionOptions = unset(
	'options',
	...['limitWaitTime', 'responseFormButtonLabel', 'responseFormDescription', 'responseFormTitle'],
);

const sendAndWait: OperationFixture = {
	endpoint: 'sendMessage',
	answer: 'done',
	question: true,
	variants: [
		{
			title: 'to a contact',
			fields: [...toContact, ...askFor('approval'), ...approvalOptions, ...questionOptions],
			items: [{}],
			isDone: (data) => isDelivered(data, contacts.telegram, `${question}\n\nhttp`),
		},
		{
			title: 'to an external ID',
			fields: [...toExternalId, ...askFor('freeText'), ...questionOptions],
			items: [{}],
			isDone: (data) => isDelivered(data, contacts.viber, `${question}\n\nhttp`),
			notice: 'boundPhone',
		},
	],
};

const sendToWhatsApp: OperationFixture = {
	endpoint: 'sendMessageToWhatsApp',
	answer: 'done',
	fields: [
		botId,
		{ name: 'phone', value: '+79160000001', wire: 'phone' },
		{ name: 'text', value: 'Добро пожаловать!', wire: 'text' },
		{ name: 'contactName', value: 'Ольга', wire: 'name' },
		...options,
	],
	isDone: ({ deliveries }) =>
		deliveries.some(({ recipient: to, text: sent }) => to === '+79160000001' && sent === 'Добро пожаловать!'),
};

export const message = { send, sendAndWait, sendToWhatsApp };
