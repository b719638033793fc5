import fc from 'fast-check';

import { credentialDiffers } from '../../nodes/ChatbotService/client/failure/failure';
import {
	noticeOfLength,
	noticeOfMessenger,
} from '../../nodes/ChatbotService/resources/message/messageLimits';
import { hints } from '../../nodes/ChatbotService/description/hints';
import { counted } from '../../nodes/ChatbotService/shared/counted';
import { labelOf } from '../operations/words';
import { credentialFor, hintsOf } from './harness';
import { lettersFor, send } from './messages';
import { scene } from './scene';

/* What a credential with expressions lets leave, and what a notice says of messages that may not be what was meant. */

const { service, run } = scene(send);

describe('a credential with expressions', () => {
	const letters = () => lettersFor(service, 3).map((each, row) => ({ ...each, row, token: service.token }));

	test.each<[string, Record<string, unknown>]>([
		['another token', { token: "={{ $json.row === 2 ? 'чужой' : 'свой' }}" }],
		['no token', { token: "={{ $json.row < 2 ? 'свой' : $json.missing.trim() }}" }],
		['another address', { baseUrl: "={{ 'https://' + ($json.row > 1) + '.example.com' }}" }],
	])('sends nothing as soon as one item has %s', async (_, changes) => {
		const { error } = await run({ items: letters(), credential: credentialFor(service, changes) });
		expect(error?.message).toBe(`${credentialDiffers(0, 2).message} [Item 0]`);
		expect(error?.description).toContain('Loop Over Items');
		expect(service.requests).toEqual([]);
	});

	test('sends all items of one address and token', async () => {
		const credential = credentialFor(service, { token: '={{ $json.token }}' });
		expect((await run({ items: letters(), credential })).json).toEqual(Array(3).fill({ success: true }));
	});
});

test('a notice counts the empty parts of many texts', async () => {
	const text = '=Здравствуйте, {{ $json.name }}! {{ $json.news?.toUpperCase() }}';
	const names = ['', 'А', 'Я', ' ', 'А', 'Я', '\u200b', 'А', 'Я', '', 'А', 'Я'];
	const items = lettersFor(service, 12).map((each, row) => ({ ...each, name: names[row]! }));
	const [notice] = hintsOf(await run({ with: { text }, items }));
	expect(notice).toMatch(/\{\{ \$json\.name \}\}.* 4 of 12.*\{\{ \$json\.news\?.* \}\}.* 12 of 12/);
});

/* The editor says both before a run of which it knows the items. */
test('what the editor warns of is said after a run, too', async () => {
	const texts = ['Здравствуйте!', 'Здравствуйте, {{ name }}!', '=Здравствуйте, {{ $json.name }}!'];
	const mix = fc.record({
		count: fc.integer({ min: 1, max: 3 }),
		isFixed: fc.boolean(),
		text: fc.constantFrom(...texts),
		isTest: fc.boolean(),
		unnamed: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(mix, async ({ count, isFixed, text, isTest, unnamed }) => {
			const items = lettersFor(service, count).map((each) => ({ ...each, name: unnamed ? '' : 'Анна' }));
			const options = isTest ? { testRun: { values: { messages: 1 } } } : {};
			const contactId = isFixed ? String(items[0]!.id) : '={{ $json.id }}';
			const result = await run({ with: { contactId, text, options }, items });
			expect(result.error).toBeUndefined();
			const warned = [
				...(isFixed && count > 1 && !isTest ? [hints.sameRecipient.message] : []),
				...(text.includes('{{ name }}') ? [hints.placeholder.message] : []),
			];
			expect(hintsOf(result, 'warning').slice(0, isTest ? -1 : undefined)).toEqual(warned);
			const empty = `In 'Text', \`{{ $json.name }}\` was empty for ${count} of ${counted(count, 'item')}.`;
			expect(hintsOf(result).includes(empty)).toBe(unnamed && text.startsWith('='));
		}),
		{ numRuns: 40 },
	);
});

const ofMessenger = (name: string) => noticeOfMessenger(labelOf('message/send', 'contactMessenger'), name)!;

test.each<[names: unknown[], notices: string[]]>([
	[['widget', 'vk', 'widget'], [`${ofMessenger('widget')} (2 of 3 items)`]],
	[['a', 'b', 'vk'], ['a', 'b'].map((name) => `${ofMessenger(name)} (1 of 3 items)`)],
	[['#Н/Д', undefined, ''], [`${ofMessenger('#Н/Д')} (1 of 3 items)`]],
	[['avito', 'facebook', 'icq', 'instagram', 'odnoklassniki', 'ok'], []],
])('an unknown messenger is sent to, and named: %j', async (names, notices) => {
	const items = lettersFor(service, names.length).map((each, row) => ({ ...each, messenger: names[row] }));
	const contactMessenger = '={{ $json.messenger }}';
	const result = await run({ with: { contactMessenger }, items: items as never });
	expect(result.json).toEqual(items.map(() => ({ success: true })));
	expect(hintsOf(result).join()).toBe(notices.join('<br>'));
});

const toNumber = { operation: 'sendToWhatsApp', botId: '101', phone: '+79160000001', contactName: 'Ольга' };

test.each<[parameters: object, messenger: string, most: number, ...more: string[]]>([
	[{ contactMessenger: 'max' }, 'max', 4000],
	[{ contactMessenger: 'viber' }, 'viber', 7000],
	[{ contactMessenger: '={{ "widget" }}' }, 'widget', 4096, ofMessenger('widget')],
	[toNumber, 'whatsapp', 4096],
])('one notice says that a text is too long: %j', async (parameters, messenger, most, ...more) => {
	for (const length of [most, most + 1]) {
		const text = 'я'.repeat(length);
		const items = [{ ...lettersFor(service, 1)[0]!, text }];
		const notices = [...(length > most ? [noticeOfLength(text, messenger)] : []), ...more];
		expect(hintsOf(await run({ with: parameters, items })).join()).toContain(notices.join('. '));
		if (length > most) expect(notices[0]).toContain(`more than the ${most} characters`);
	}
});
