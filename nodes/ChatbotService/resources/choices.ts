/** Types of a list's field, as the creation input names them. */
export const fieldTypes: Array<{ name: string; value: string; description: string }> = [
	{ name: 'Bot', value: 'bot', description: 'ID of a bot' },
	{ name: 'Contact', value: 'contact', description: 'ID of a contact' },
	{ name: 'Logical', value: 'boolean', description: 'True or false' },
	{ name: 'Number', value: 'number', description: 'A number' },
	{ name: 'Text', value: 'string', description: 'A line of text or more' },
];

/** Messengers by the ID that the service gives them. */
export const messengers: Array<{ name: string; value: string }> = [
	{ name: 'MAX', value: 'max' },
	{ name: 'Telegram', value: 'telegram' },
	{ name: 'Viber', value: 'viber' },
	{ name: 'VK', value: 'vk' },
	{ name: 'WhatsApp', value: 'whatsapp' },
];
