import { type Messenger, SEEDED } from '../../sandbox/emulator';
import { messageOptions } from './fields';
import type { EditorState, Field, OperationFixture, SoakItem, SoakPart } from './operation';
import { recipientStates, toContact, toExternalId } from './recipients';

const { contacts, bots } = SEEDED;

const text = 'Здравствуйте.\nВаш урок — завтра & в 10:00 + кофе';
const image = 'https://example.com/%D0%BA%D0%BE%D1%82.png?x=1&y=2';
const file = 'https://example.com/%D0%BF%D1%80%D0%B0%D0%B9%D1%81.pdf';

const contents: Field[] = [
	{
		name: 'content',
		value: ['text', 'image', 'file'],
		decides: true,
		offers: ['text', 'image', 'file'],
	},
	{ name: 'text', value: text, wire: 'text' },
	{
		name: 'imageUrl',
		value: 'https://example.com/кот.png?x=1&y=2',
		given: ' https://example.com/кот.png?x=1&y=2 ',
		sent: image,
		wire: 'image',
	},
	{ name: 'fileUrl', value: 'https://example.com/прайс.pdf', sent: file, wire: 'file' },
	...messageOptions,
];

/** The editor for each choice of contents: each selected content is required, and without any, 'Content' itself is. */
const statesWith = (choice: keyof typeof recipientStates): EditorState[] =>
	[[], ['text'], ['image'], ['file'], ['text', 'image'], ['text', 'file'], ['image', 'file']]
		.concat([['text', 'image', 'file']])
		.map((content) => {
			const chosen = content.map((each) => (each === 'text' ? each : `${each}Url`));
			return {
				choices: { recipient: choice, content },
				shown: [...recipientStates[choice].shown, 'content', ...chosen, 'options'],
				required: [...recipientStates[choice].required, ...(content.length ? chosen : ['content'])],
			};
		});

/** Some texts are too long for the query. */
const letter = ({ number, marked }: SoakItem) =>
	marked(number % 17 ? 'Здравствуйте' : 'Здравствуйте! '.repeat(60));

const soakToContact = (messenger: Messenger, weight: number, contactMessenger: string): SoakPart => ({
	weight,
	messenger,
	values: {
		contactId: (item) => item.recipient.contactId,
		contactMessenger,
		content: ['text'],
		text: letter,
	},
});

const soakToExternalId = (messenger: Messenger, weight: number, by: 'externalId' | 'phone'): SoakPart => ({
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
	method: 'POST',
	endpoint: 'sendMessage',
	place: 'query',
	answer: 'done',
	idempotent: false,
	variants: [
		{
			title: 'to a contact',
			fields: [...toContact, ...contents],
			items: [{ success: true }],
			isDone: ({ deliveries }) =>
				deliveries.some(
					(sent) =>
						sent.contactId === contacts.telegram &&
						sent.text === text &&
						sent.image === image &&
						sent.file === file,
				),
			states: statesWith('contact'),
			soak: [
				soakToContact('telegram', 5, 'telegram'),
				soakToContact('viber', 5, 'viber'),
				soakToContact('max', 4, 'max'),
				soakToContact('vk', 7, 'vk'),
				soakToContact('telegram', 2, 'unknown'),
				// The limit is one message in ten seconds.
				soakToContact('whatsapp', 0.5, 'whatsapp'),
			],
		},
		{
			title: 'to an external ID',
			fields: [...toExternalId, ...contents],
			items: [{ success: true }],
			isDone: ({ deliveries }) =>
				deliveries.some((sent) => sent.contactId === contacts.viber && sent.text === text),
			notice: 'boundPhone',
			states: statesWith('externalId'),
			soak: [
				soakToExternalId('max', 2, 'phone'),
				soakToExternalId('telegram', 2, 'externalId'),
				soakToExternalId('vk', 3, 'externalId'),
			],
		},
	],
	secondItem: { text: 'Спасибо' },
};
