import type { INodeParameters } from 'n8n-workflow';

import { addContacts, type Fault, type Emulator } from '../../sandbox/emulator';

/* Common inputs of these tests: messages to different people, or a tag for each of them. */

/** Not idempotent. */
export const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '={{ $json.text }}',
};

/** Idempotent. */
export const attach: INodeParameters = {
	resource: 'tag',
	operation: 'attach',
	contactId: '={{ $json.id }}',
	tagName: { __rl: true, mode: 'name', value: 'VIP' },
};

/** Items for the given number of new contacts. */
export const lettersFor = ({ data }: Emulator, count: number) =>
	addContacts(data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }));

/** The service refuses the values of a request. */
export const refusal: Fault = {
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.' },
};
