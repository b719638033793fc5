import { type Messenger, SEEDED } from '../../sandbox/emulator';
import { botId, contactId, sendOncePer } from './fields';
import type { EditorState, Field, OperationFixture, SoakItem, SoakPart } from './operation';

const { contacts, bots } = SEEDED;

const text = 'Здравствуйте.\nВаш урок — завтра & в 10:00 + кофе';
const image = 'https://example.com/%D0%BA%D0%BE%D1%82.png?x=1&y=2';
const file = 'https://example.com/%D0%BF%D1%80%D0%B0%D0%B9%D1%81.pdf';

const contents: Field[] = [
	{
		name: 'content',
		label: 'Content',
		value: ['text', 'image', 'file'],
		decides: true,
		offers: ['text', 'image', 'file'],
	},
	{ name: 'text', label: 'Text', value: text, wire: 'text' },
	{
		name: 'imageUrl',
		label: 'Image URL',
		value: 'https://example.com/кот.png?x=1&y=2',
		given: ' https://example.com/кот.png?x=1&y=2 ',
		sent: image,
		wire: 'image',
	},
	{ name: 'fileUrl', label: 'File URL', value: 'https://example.com/прайс.pdf', sent: file, wire: 'file' },
	sendOncePer,
];

const recipient: Field = {
	name: 'recipient',
	label: 'Send To',
	value: 'contact',
	decides: true,
	offers: ['contact', 'externalId'],
};

const messengers = ['max', 'telegram', 'viber', 'vk', 'whatsapp'];

/** The editor for each choice of contents: each selected content is required, and without any, 'Content' itself is. */
const statesWith = (choice: string, shown: string[], required: string[]): EditorState[] =>
	[[], ['text'], ['image'], ['file'], ['text', 'image'], ['text', 'file'], ['image', 'file']]
		.concat([['text', 'image', 'file']])
		.map((content) => {
			const chosen = content.map((each) => (each === 'text' ? each : `${each}Url`));
			return {
				choices: { recipient: choice, content },
				shown: ['recipient', ...shown, 'content', ...chosen, 'options'],
				required: [...required, ...(content.length ? chosen : ['content'])],
			};
		});

/** Some texts are too long for the query. */
const letter = ({ number, marked }: SoakItem) =>
	marked(number % 17 ? 'Здравствуйте' : 'Здравствуйте! '.repeat(60));

const toContact = (messenger: Messenger, weight: number, contactMessenger: string): SoakPart => ({
	weight,
	messenger,
	values: {
		contactId: (item) => item.recipient.contactId,
		contactMessenger,
		content: ['text'],
		text: letter,
	},
});

const toExternalId = (messenger: Messenger, weight: number, by: 'externalId' | 'phone'): SoakPart => ({
	weight,
	messenger,
	values: {
		messenger,
		botId: String(bots.school),
		externalId: (item) => item.recipient[by],
		content: ['text', 'image'],
		text: letter,
		imageUrl: ({ number }) => (number % 2 ? `https://example.com/${number}.png` : ''),
	},
});

export const fixture: OperationFixture = {
	label: 'Send',
	method: 'POST',
	endpoint: 'sendMessage',
	place: 'query',
	answer: 'done',
	idempotent: false,
	unknown: 'The message may have been sent, so the node did not send it again. Check the chat first.',
	variants: [
		{
			title: 'to a contact',
			fields: [
				recipient,
				contactId,
				{
					name: 'contactMessenger',
					label: "Contact's Messenger",
					value: 'unknown',
					offers: ['unknown', ...messengers],
				},
				...contents,
			],
			items: [{ success: true }],
			isDone: ({ deliveries }) =>
				deliveries.some(
					(sent) =>
						sent.contactId === contacts.telegram &&
						sent.text === text &&
						sent.image === image &&
						sent.file === file,
				),
			states: statesWith('contact', ['contactId', 'contactMessenger'], ['contactId']),
			soak: [
				toContact('telegram', 5, 'telegram'),
				toContact('viber', 5, 'viber'),
				toContact('max', 4, 'max'),
				toContact('vk', 7, 'vk'),
				toContact('telegram', 2, 'unknown'),
				// The limit is one message in ten seconds.
				toContact('whatsapp', 0.5, 'whatsapp'),
			],
		},
		{
			title: 'to an external ID',
			fields: [
				{ ...recipient, value: 'externalId' },
				{
					name: 'messenger',
					label: 'Messenger',
					value: 'viber',
					given: 'Viber',
					wire: 'messenger',
					required: true,
					offers: messengers,
				},
				{ ...botId, value: String(bots.flowers), given: ` ${bots.flowers} `, sent: bots.flowers },
				{
					name: 'externalId',
					label: 'Phone Number or Messenger ID',
					value: '+79264440303',
					given: ' +79264440303 ',
					wire: 'contact_external_id',
					required: true,
					whatItIs: 'contact with this phone number or messenger ID',
				},
				...contents,
			],
			items: [{ success: true }],
			isDone: ({ deliveries }) =>
				deliveries.some((sent) => sent.contactId === contacts.viber && sent.text === text),
			notice: 'boundPhone',
			states: statesWith(
				'externalId',
				['messenger', 'botId', 'externalId'],
				['messenger', 'botId', 'externalId'],
			),
			soak: [
				toExternalId('max', 2, 'phone'),
				toExternalId('telegram', 2, 'externalId'),
				toExternalId('vk', 3, 'externalId'),
			],
		},
	],
	secondItem: { text: 'Спасибо' },
};
