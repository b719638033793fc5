import { useVirtualTime } from '../virtualTime';
import { limited, ok } from './answers';
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

const three = (messenger: unknown) => [messenger, messenger, messenger];

test.each<[unknown]>([['whatsapp'], [' WhatsApp '], ['ватсап'], [['whatsapp']], [{ type: 'whatsapp' }]])(
	'%j has the pace of WhatsApp',
	async (messenger) => {
		expect((await broadcast(three(messenger))).seconds).toBe(20);
	},
);

test.each<[unknown]>([['telegram'], [undefined], [''], [null], ['widget'], [12], [{}], [[]], [NaN]])(
	'%p has the usual pace, without a notice',
	async (messenger) => {
		const { seconds, notice } = await broadcast(Array.from({ length: 21 }, () => messenger));
		expect([seconds, notice]).toEqual([20, '']);
	},
);

test('messengers do not wait for each other', async () => {
	const { times, to } = await broadcast(range(0, 44).map((index) => (index < 4 ? 'whatsapp' : 'vk')));
	const lastAt = (isLast: (id: number) => boolean) => times[to.findLastIndex(isLast)]!;
	expect([lastAt((id) => id > 4) < 25_000, lastAt((id) => id <= 4) >= 30_000]).toEqual([true, true]);
});

test.each<[string, object, string, number]>([
	['the choice outweighs the item', { contactMessenger: 'vk' }, 'whatsapp', 1],
	['the choice outweighs the item', { contactMessenger: 'whatsapp' }, 'vk', 20],
	// Such as a manager who is told of customers.
	['one contact for all has no messenger', { ...leftAlone, contactId: '7' }, 'whatsapp', 1],
])('%s: %j %s', async (_, parameters, messenger, seconds) => {
	expect((await broadcast(three(messenger), parameters)).seconds).toBe(seconds);
});

test.each<[string | undefined, RegExp]>([
	[undefined, /waited 8 s in total\. .* choose WhatsApp as 'Contact's Messenger'\.$/],
	['telegram', / waited 8 s in total\.$/],
])('a notice names the field if it could help: %s', async (messenger, expected) => {
	const answerTo: AnswerTo = (_, { length }) => (length === 2 ? limited(7) : ok);
	expect((await broadcast(three(messenger), leftAlone, answerTo)).notice).toMatch(expected);
});
