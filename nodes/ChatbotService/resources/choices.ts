import { cleaned } from '../client/values';

/** One of the values that a parameter can have. */
export interface Choice {
	/** As the editor shows it. */
	name: string;
	/** As the service names it. */
	value: string;
	description?: string;
	/** What people and other programs call it, in lower case, where nothing else could be meant. */
	aliases?: string[];
}

/** Types of a list's field, as the creation input names them. */
export const fieldTypes: Choice[] = [
	{ name: 'Bot', value: 'bot', description: 'ID of a bot' },
	{ name: 'Contact', value: 'contact', description: 'ID of a contact' },
	// Answers name the type `bool`.
	{ name: 'Logical', value: 'boolean', description: 'True or false', aliases: ['bool'] },
	{ name: 'Number', value: 'number', description: 'A number' },
	{ name: 'Text', value: 'string', description: 'A line of text or more' },
];

/** Messengers by the ID that the service gives them. */
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

/** Stands for the messenger of a contact that nobody has named. */
export const unknownMessenger = 'unknown';

/** Messengers of a contact, which only the service knows for certain. */
export const contactMessengers: Choice[] = [
	{ name: 'Not Known', value: unknownMessenger, aliases: ['not known', 'неизвестно'] },
	...messengers,
];

/** A name of a choice, however it is written. */
export const nameOf = (text: string) =>
	cleaned(text)
		.toLowerCase()
		.replace(/[\s_-]/g, '');

/** All names of a choice, as `nameOf` writes them. */
export const namesOf = ({ value, aliases = [] }: Choice): string[] => [value, ...aliases].map(nameOf);

/** The choices of a parameter as the editor takes them. */
export const optionsOf = (choices: Choice[]) => choices.map(({ aliases: _aliases, ...option }) => option);
