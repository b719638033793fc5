import { requiredText, text } from '../fields';
import * as kinds from '../kinds';
import type { Field, Operation } from '../operation';
import { optionsFor } from './options';
import { namesRecipient, recipientFields, sendMessage } from './recipient';

/*
 * sendMessage has three kinds of content, each with its own rules. The parameters for them depend on 'Content', which takes no
 * expressions, because n8n always shows a parameter whose condition is an expression.
 */

const content: Field = {
	displayName: 'Content',
	name: 'content',
	type: 'multiOptions',
	noDataExpression: true,
	required: true,
	options: [
		{ name: 'File', value: 'file' },
		{ name: 'Image', value: 'image' },
		{ name: 'Text', value: 'text' },
	],
	default: ['text'],
	description: 'What the message contains. Empty parts are left out.',
};

const textOfContent: Field = { ...text, displayOptions: { show: { content: ['text'] } } };

const imageUrl: Field = {
	displayName: 'Image URL',
	name: 'imageUrl',
	...requiredText,
	placeholder: 'e.g. https://example.com/image.png',
	description: 'URL from which the service downloads the image',
	displayOptions: { show: { content: ['image'] } },
	routing: { send: { property: 'image' } },
	kind: kinds.address,
};

const fileUrl: Field = {
	displayName: 'File URL',
	name: 'fileUrl',
	...requiredText,
	placeholder: 'e.g. https://example.com/price-list.pdf',
	description: 'URL from which the service downloads the file',
	displayOptions: { show: { content: ['file'] } },
	routing: { send: { property: 'file' } },
	kind: kinds.address,
};

const { options, broadcast } = optionsFor(namesRecipient, [textOfContent, imageUrl, fileUrl]);

export const messageSend: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send message to contact',
		description: 'Send a message with text, an image or a file to one person',
		routing: { request: { method: 'POST', url: '/sendMessage' } },
	},
	fields: [...recipientFields, content, textOfContent, imageUrl, fileUrl, options],
	atLeastOneOf: ['text', 'image', 'file'],
	...sendMessage,
	broadcast,
};
