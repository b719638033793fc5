import type { INodeParameters } from 'n8n-workflow';

import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import type { Checked } from '../../nodes/ChatbotService/resources/kind';
import { addContacts, SEEDED, type Fault, type Emulator } from '../../sandbox/emulator';

/* Common inputs of these tests: messages to different people, or other requests for each of them. And what their errors contain. */

/** Not idempotent. */
export const send: INodeParameters = {
	...{ resource: 'message', operation: 'send', contactId: '={{ $json.id }}', text: '={{ $json.text }}' },
};

/** VK has no limit of its own. */
export const toVk: INodeParameters = { ...send, contactMessenger: 'vk' };

export const toWhatsApp: INodeParameters = {
	...{ resource: 'message', operation: 'sendToWhatsApp', text: '={{ $json.text }}' },
	...{ botId: '={{ $json.botId }}', phone: '={{ $json.phone }}', contactName: 'Анна' },
};

/** Idempotent. */
export const attach: INodeParameters = {
	...{ resource: 'tag', operation: 'attach', contactId: '={{ $json.id }}' },
	tagName: { __rl: true, mode: 'name', value: 'VIP' },
};

/** A GET and a POST about the contact of each item. */
export const getReferrals: INodeParameters = {
	...{ resource: 'api', operation: 'request', endpoint: 'getReferrals' },
	...{ parametersInput: 'json', parametersJson: '={{ { contact_id: $json.id } }}' },
};
export const postContact: INodeParameters = {
	...{ ...getReferrals, method: 'POST', endpoint: 'createOrUpdateContact' },
	parametersJson: `={{ { bot_id: ${SEEDED.bots.school}, messenger: "vk", vk_id: String($json.id), name: "Анна" } }}`,
};

/** Three requests for each item, which are idempotent. */
export const setVariables: INodeParameters = {
	...{ resource: 'contactVariable', operation: 'upsertMany', contactId: '={{ $json.id }}' },
	...{ variablesInput: 'json', variablesJson: '={{ { Город: "Омск", Уровень: 5, Время: "утро" } }}' },
};

/** Items for the given number of new contacts. */
export const lettersFor = ({ data }: Emulator, count: number) =>
	addContacts(data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }));

/** The contact of the person who tries a run. */
export const me = SEEDED.contacts.vk;

/** Options with a test run. @param values of it @param options besides it */
export const testing = (values: unknown = {}, options: object = {}) => ({
	options: { ...options, testRun: { values } },
});

/** What a test run shows of an item. */
export const previewOf = ({ id, text }: { id: number; text: string }) => ({
	...{ testRun: true, recipient: id, text },
});

/** What a kind of value finds wrong. */
export function problemOf(checked: Checked): Problem {
	if ('value' in checked) throw new Error(`The node accepts ${JSON.stringify(checked.value)}`);
	return checked.problems[0]!;
}

/** The numbers in a sentence of the node. */
export const numbersIn = (text = '') => (text.match(/\d+/g) ?? []).map(Number);

/** The counts at the beginning of the error of a run: all items, those that were done or skipped, that failed, and that were not attempted. */
export function countsIn(text?: string | null): number[] {
	const [line = ''] = /^\d[^.]*/.exec(text ?? '') ?? [];
	const all = numbersIn(line).reduce((sum, each) => sum + each, 0);
	const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
	return [all, count('(?:done|sent)') + count('skipped'), count('failed'), count('not attempted')];
}

/** The service refuses the values of a request. */
const body = { message: 'The given data was invalid.' };
export const refusal: Fault = { kind: 'answer', status: 422, body };
