import { useVirtualTime } from '../virtualTime';
import { limited, ok } from './answers';
import { times } from './pacing';
import { newCredential, range, runFor, type AnswerTo } from './runs';

/* 'Contact's Messenger' left alone: the pace is that of the item's own `messenger`. Times are virtual. */

useVirtualTime();

const leftAlone = { contactMessenger: 'unknown' };

async function broadcast(messengers: unknown[], parameters: object = leftAlone, answerTo?: AnswerTo) {
	const items = messengers.map((messenger, index) => ({ id: index + 1, messenger }));
	const run = { credential: newCredential(2), ...(answerTo && { answerTo }) };
	const done = await runFor(items.length, run, { ...parameters }, items);
	/** Whole seconds from the first message to the last. */
	const seconds = Math.round((done.times.at(-1)! - done.times[0]!) / 1000);
	return { ...done, seconds };
}

test.each<{ of: unknown; count: number }>([
	...[' WhatsApp ', 'ватсап', ['whatsapp'], { type: 'whatsapp' }].map((of) => ({ of, count: 3 })),
	...['telegram', undefined, '', null, 'widget', 12, {}, [], NaN].map((of) => ({ of, count: 21 })),
])('$of has its own pace, without a notice', async ({ of, count }) => {
	const { seconds, notice } = await broadcast(times(count, of));
	expect([seconds, notice]).toEqual([20, '']);
});

test('messengers do not wait for each other', async () => {
	const { times: sentAt, to } = await broadcast(range(0, 44).map((index) => (index < 4 ? 'whatsapp' : 'vk')));
	const lastAt = (isLast: (id: number) => boolean) => sentAt[to.findLastIndex(isLast)]!;
	expect([lastAt((id) => id > 4) < 25_000, lastAt((id) => id <= 4) >= 30_000]).toEqual([true, true]);
});

test.each<[string, object, string, number]>([
	['the choice outweighs the item', { contactMessenger: 'vk' }, 'whatsapp', 1],
	['the choice outweighs the item', { contactMessenger: 'whatsapp' }, 'vk', 20],
	// Such as a manager who is told of customers.
	['one contact for all has no messenger', { ...leftAlone, contactId: '7' }, 'whatsapp', 1],
])('%s: %j %s', async (_, parameters, messenger, seconds) => {
	expect((await broadcast(times(3, messenger), parameters)).seconds).toBe(seconds);
});

test.each<[string | undefined, RegExp]>([
	[undefined, /waited 8 s in total\. .* choose WhatsApp as 'Contact's Messenger'\.$/],
	['telegram', / waited 8 s in total\.$/],
])('a notice names the field if it could help: %s', async (messenger, expected) => {
	const answerTo: AnswerTo = (_, { length }) => (length === 2 ? limited(7) : ok);
	expect((await broadcast(times(3, messenger), leftAlone, answerTo)).notice).toMatch(expected);
});
