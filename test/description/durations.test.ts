import { accountLimits, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { pageOf, read, tableOf } from './page';

/* The times in the documents follow from the limits in the code. */

const secondsPer = (ofOperation: Limits) =>
	Math.max(
		...Object.values({ ...accountLimits(2), ...ofOperation }).map(
			({ count, windowMs }) => windowMs / count / 1000,
		),
	);

const units: Array<[unit: RegExp, seconds: number]> = [
	[/(\d+)\s(?:hour|час)/, 3600],
	[/(\d+)\s(?:minute|минут)/, 60],
	[/(\d+)\s(?:second|секунд)/, 1],
];

const secondsIn = (words: string) =>
	units.reduce((sum, [unit, seconds]) => sum + seconds * Number(unit.exec(words)?.[1] ?? 0), 0);

const rowsOf = (page: string) => tableOf(pageOf(page), /^(About how long|Сколько примерно)/);

/** The limits of the rows of the table. */
const kinds: Limits[][] = [
	[{}, messageLimits('vk')],
	[...['telegram', 'viber', 'max', undefined].map(messageLimits), whatsAppNumberLimits],
	[messageLimits('whatsapp')],
];

const counts = [100, 1000, 3000, 10_000];

test.each(['docs/limits.md', 'docs/ru/limits.md'])('%s says how long tags and messages take', (page) => {
	const rows = rowsOf(page);
	expect(rows).toHaveLength(kinds.length);
	for (const [kind, limits] of kinds.entries()) {
		for (const [column, count] of counts.entries()) {
			const cell = rows[kind]![column + 1]!;
			for (const each of limits) {
				const seconds = count * secondsPer(each);
				// Rounded to minutes, if it is more than a few.
				const accuracy = seconds < 300 ? 0 : 30;
				expect([cell, Math.abs(secondsIn(cell) - seconds) <= accuracy]).toEqual([cell, true]);
			}
		}
	}
});

/** The rows of the table of limits in both READMEs. */
const limited: Limits[] = [
	accountLimits(2),
	messageLimits('telegram'),
	messageLimits('whatsapp'),
	whatsAppNumberLimits,
];

test.each(['README.md', 'docs/ru/README.md'])(
	'%s says what the service accepts, and how long 1,000 take',
	(page) => {
		const rows = tableOf(pageOf(page), /^(What|Что)$/);
		expect(rows).toHaveLength(limited.length);
		for (const [index, limits] of limited.entries()) {
			const [, accepts, take] = rows[index]!;
			const { count, windowMs } = Object.values(limits)[0]!;
			const [requests, seconds = 1] = accepts!.match(/\d+/g)!.map(Number);
			expect([accepts, requests, seconds * 1000]).toEqual([accepts, count, windowMs]);
			expect([take, Math.abs(secondsIn(take!) - 1000 * secondsPer(limits)) <= 30]).toEqual([take, true]);
		}
	},
);

test.each(['questions', 'ru/questions'])('docs/%s.md repeats the times of 3,000', (page) => {
	const times = rowsOf(`docs/${page.replace('questions', 'limits')}.md`).map(
		(cells) => cells[counts.indexOf(3000) + 1]!,
	);
	expect(times).toHaveLength(kinds.length);
	const text = read(`docs/${page}.md`).replace(/\s+/g, ' ');
	for (const time of times) expect(text).toContain(time);
});
