import type { INodeParameters } from 'n8n-workflow';

import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import type { Checked } from '../../nodes/ChatbotService/resources/kind';
import { addContacts, type Fault, type Emulator } from '../../sandbox/emulator';

/* Common inputs of these tests: messages to different people, or a tag for each of them. And what their errors contain. */

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

/** What a kind of value finds wrong. */
export function problemOf(checked: Checked): Problem {
	if ('value' in checked) throw new Error(`The node accepts ${JSON.stringify(checked.value)}`);
	return checked.problems[0]!;
}

/** The numbers in a sentence of the node. */
export const numbersIn = (text = '') => (text.match(/\d+/g) ?? []).map(Number);

/** The counts at the end of the error of a run: all items, those that were done, that failed, and that were not attempted. */
export const countsIn = (text?: string | null) =>
	[/Of (\d+) items/, /(\d+) \w+ done/, /(\d+) failed/, /(\d+) \w+ not attempted/].map((count) =>
		Number(count.exec(text ?? '')?.[1] ?? 0),
	);

/** The service refuses the values of a request. */
export const refusal: Fault = {
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.' },
};
