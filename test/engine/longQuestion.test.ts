import type { INodeParameters } from 'n8n-workflow';

import { noticeOfShortened } from '../../nodes/ChatbotService/resources/message/limits';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { linkIn } from '../operations/link';
import { labelOf } from '../operations/words';
import { credentialFor, hintsOf, openLink, runNode, useEmulator } from './harness';

/*
 * A question that does not fit into one message keeps its link: without it, nobody could answer, and the execution would wait for ever.
 * The page shows the whole question.
 */

const service = useEmulator();
const { telegram } = SEEDED.contacts;
const label = labelOf('message/sendAndWait', 'message');

const ask = async (message: string, recipient: INodeParameters = { contactId: String(telegram) }) =>
	await runNode({
		parameters: {
			resource: 'message',
			operation: 'sendAndWait',
			message: '={{ $json.message }}',
			...recipient,
		},
		items: [{ message }],
		credential: credentialFor(service),
	});

const to = (contactMessenger: string): INodeParameters => ({ contactId: String(telegram), contactMessenger });

function inMax(): INodeParameters {
	const [{ botId, externalId }] = addContacts(service.data, 1, { messenger: 'max' }) as [never];
	return { recipient: 'externalId', messenger: 'max', botId, externalId };
}

test.each<[string, () => INodeParameters, most: number]>([
	['in Telegram', () => to('telegram'), 4096],
	['in MAX', () => to('max'), 4000],
	['in MAX by an ID', inMax, 4000],
	['in Viber', () => to('viber'), 7000],
	['in a messenger that the node does not know', () => to('инста'), 4096],
	['of a contact whose messenger nobody names, which may be MAX', () => to('unknown'), 4000],
])('%s, as much of the question leaves as fits with the link', async (_, recipient, most) => {
	const parameters = recipient();
	await ask('ж', parameters);
	const added = service.deliveries()[0]!.text!.length - 1;
	for (const length of [most - added, most - added + 1, 20_000]) {
		const question = 'ж'.repeat(length);
		const result = await ask(question, parameters);
		const { text } = service.deliveries().at(-1)!;
		const fits = length + added <= most;
		const kept = fits ? question : `${'ж'.repeat(most - added - 1)}…`;
		expect(text).toBe(`${kept}\n\n${linkIn(text)}`);
		expect(hintsOf(result).some((hint) => hint.includes(noticeOfShortened(label, kept.length)))).toBe(!fits);
		expect((await openLink(result, linkIn(text))).html).toContain(`>${question}<`);
	}
});

test('it ends with a whole character, and without blanks', async () => {
	await ask('ж', to('telegram'));
	const added = service.deliveries()[0]!.text!.length - 1;
	for (const [question, end] of [
		[`${'ж'.repeat(4096 - added - 2)}😀😀`, 'ж…'],
		[`${'ж'.repeat(4096 - added - 4)} \n 😀 ${'ж'.repeat(10)}`, 'ж…'],
	] as const) {
		await ask(question, to('telegram'));
		const { text } = service.deliveries().at(-1)!;
		expect(text!.split('\n\nhttp')[0]!.endsWith(end)).toBe(true);
		expect(text!.length).toBeLessThanOrEqual(4096);
	}
});
