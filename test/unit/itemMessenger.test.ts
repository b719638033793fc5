import { useVirtualTime } from '../virtualTime';
import { limited, ok } from './answers';
import { newCredential, range, runFor, type AnswerTo } from './runs';

/* 'Contact's Messenger' left alone: the pace is that of the item's own `messenger`. Times are virtual. */

useVirtualTime();

const leftAlone = { contactMessenger: 'unknown' };

const broadcast = async (
	messengers: unknown[],
	parameters: Record<string, unknown> = leftAlone,
	answerTo?: AnswerTo,
) =>
	await runFor(
		messengers.length,
		{ credential: newCredential(2), ...(answerTo && { answerTo }) },
		parameters,
		messengers.map((messenger, index) => ({ id: index + 1, messenger })),
	);

/** Whole seconds from the first message to the last. */
const secondsIn = (times: number[]) => Math.round((times.at(-1)! - times[0]!) / 1000);

test.each<[unknown]>([
	['whatsapp'],
	[' WhatsApp '],
	['Whats App'],
	['ватсап'],
	[['whatsapp']],
	[{ type: 'whatsapp', id: 7 }],
])('messages to contacts whose item says %j leave at the pace of WhatsApp', async (messenger) => {
	expect(secondsIn((await broadcast([messenger, messenger, messenger])).times)).toBe(20);
});

test.each<[unknown]>([['telegram'], [undefined], [''], [null], ['widget'], [12], [{}], [[]], [NaN]])(
	'messages to contacts whose item says %p leave as before, without a notice',
	async (messenger) => {
		const { times, notice } = await broadcast(Array.from({ length: 21 }, () => messenger));
		expect([secondsIn(times), notice]).toEqual([20, '']);
	},
);

test('messengers of one broadcast do not wait for each other', async () => {
	const { times, to } = await broadcast(range(0, 44).map((index) => (index < 4 ? 'whatsapp' : 'vk')));
	const lastAt = (isLast: (id: number) => boolean) => times[to.findLastIndex(isLast)]!;
	expect([lastAt((id) => id > 4) < 25_000, lastAt((id) => id <= 4) >= 30_000]).toEqual([true, true]);
});

test('a messenger that the user has chosen outweighs that of the item', async () => {
	expect(
		secondsIn((await broadcast(['whatsapp', 'whatsapp', 'whatsapp'], { contactMessenger: 'vk' })).times),
	).toBe(1);
	expect(secondsIn((await broadcast(['vk', 'vk', 'vk'], { contactMessenger: 'whatsapp' })).times)).toBe(20);
});

test('a contact who is the same for all items has not the messenger of the item, such as a manager who is told of customers', async () => {
	const toManager = { ...leftAlone, contactId: '7' };
	expect(secondsIn((await broadcast(['whatsapp', 'whatsapp', 'whatsapp'], toManager)).times)).toBe(1);
});

test('after refusals, the notice names the field if the messenger was not known', async () => {
	const answerTo: AnswerTo = (_, { length }) => (length === 2 ? limited(7) : ok);
	const noticeFor = async (messenger?: string) =>
		(await broadcast([messenger, messenger, messenger], leftAlone, answerTo)).notice;
	const advice = "If these contacts use WhatsApp, choose WhatsApp as 'Contact's Messenger'.";
	expect(await noticeFor()).toContain(`waited 8 s in total. ${advice}`);
	expect(await noticeFor('telegram')).toMatch(/ waited 8 s in total\.$/);
});
