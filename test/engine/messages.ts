import type { INodeParameters } from 'n8n-workflow';

import { addContacts, type Fault, type Emulator } from '../../sandbox/emulator';

/* What most of these tests do: messages to as many different people, or a tag for each of them. */

/** Not harmless to repeat. */
export const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '={{ $json.text }}',
};

/** Harmless to repeat. */
export const attach: INodeParameters = {
	resource: 'tag',
	operation: 'attach',
	contactId: '={{ $json.id }}',
	tagName: { __rl: true, mode: 'name', value: 'VIP' },
};

/** Items for as many new contacts. */
export const lettersFor = ({ data }: Emulator, count: number) =>
	addContacts(data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }));

/** The service refuses the values of a request. */
export const refusal: Fault = {
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.' },
};
