export interface Choice {
	/** Label in the editor. */
	name: string;
	/** Name in the API. */
	value: string;
	description?: string;
	/** Other unambiguous names that people and programs use, in lower case. */
	aliases?: string[];
}

/** Types of a list field, as createListSchema names them. */
export const fieldTypes: Choice[] = [
	{ name: 'Bot', value: 'bot', description: 'ID of a bot' },
	{ name: 'Contact', value: 'contact', description: 'ID of a contact' },
	{ name: 'Number', value: 'number', description: 'A number' },
	{ name: 'Text', value: 'string', description: 'A line of text or more' },
	// Answers call this type `bool`.
	{ name: 'Yes or No', value: 'boolean', description: 'True or false', aliases: ['bool'] },
];

/** Messengers, with their IDs in the API. */
export const messengers: Choice[] = [
	{ name: 'MAX', value: 'max', aliases: ['макс'] },
	{ name: 'Telegram', value: 'telegram', aliases: ['tg', 'тг', 'телеграм', 'телеграмм'] },
	{ name: 'Viber', value: 'viber', aliases: ['вайбер'] },
	{ name: 'VK', value: 'vk', aliases: ['vkontakte', 'вк', 'вконтакте'] },
	{
		name: 'WhatsApp',
		value: 'whatsapp',
		aliases: ['wa', 'ватсап', 'ватсапп', 'вацап', 'вотсап', 'вотсапп'],
	},
];

/** Value for a contact whose messenger nobody has chosen, and for one that is not known. */
export const unknownMessenger = 'unknown';

/** Others in which contacts talk to bots. The API names no limits for them. */
const otherMessengers = ['avito', 'facebook', 'icq', 'instagram', 'odnoklassniki', 'ok'];

const notKnown: Choice = {
	name: 'From Input',
	value: unknownMessenger,
	description: "The field 'messenger' of the item, as Contact: Get Many returns it",
	aliases: ['not known', 'not known (not whatsapp)', 'неизвестно', ...otherMessengers],
};

/** Choices of 'Contact's Messenger'. Only the service knows the messenger for certain. */
export const contactMessengers: Choice[] = [...messengers, notKnown].sort((a, b) =>
	a.name.localeCompare(b.name, 'en'),
);

/** The choices as n8n's options. */
export const optionsOf = (choices: Choice[]) => choices.map(({ aliases: _aliases, ...option }) => option);
