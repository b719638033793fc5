import { accountLimits, usualRequestsPerSecond } from '../../nodes/ChatbotService/client/account';
import { shareOf, type Limit } from '../../nodes/ChatbotService/client/pace/limits';
import { messengers } from '../../nodes/ChatbotService/resources/choices';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { tableOf, type Texts } from './texts';

interface Row {
	/** The name of its text. */
	name: string;
	/** Messengers that each have this limit. */
	of?: string[];
	limit: Limit;
}

const [ofAccount] = Object.values(accountLimits(usualRequestsPerSecond)) as [Limit];
const [ofNumbers] = Object.values(whatsAppNumberLimits) as [Limit];

/** The messengers with the same limit share a row. */
const ofMessengers = (): Row[] => {
	const rows = new Map<string, Row & { of: string[] }>();
	for (const { name, value } of messengers) {
		const [limit] = Object.values(messageLimits(value));
		if (!limit) continue;
		const row = rows.get(JSON.stringify(limit)) ?? { name: 'messages', of: [], limit };
		row.of.push(name);
		rows.set(JSON.stringify(limit), row);
	}
	return [...rows.values()];
};

const rows: Row[] = [
	{ name: 'account', limit: ofAccount },
	...ofMessengers(),
	{ name: 'numbers', limit: ofNumbers },
];

const titleOf = (texts: Texts, { name, of = [] }: Row): string =>
	texts.get('limits', of.length > 1 ? 'eachMessenger' : name).replace('{messengers}', of.join(', '));

/** For example "10 in 10 s". */
function written(texts: Texts, { count, windowMs }: Limit): string {
	const seconds = windowMs / 1000;
	const number = (value: number) => value.toLocaleString(texts.language, { maximumFractionDigits: 1 });
	return texts
		.get('limits', seconds === 1 ? 'perSecond' : 'inSeconds')
		.replace('{count}', number(count))
		.replace('{seconds}', number(seconds));
}

/** How long the pace of a limit takes. Rounded to minutes if it is more than a few. */
function duration({ language }: Texts, count: number, limit: Limit): string {
	const secondsPerItem = Math.max(
		...[ofAccount, limit].map(({ count: most, windowMs }) => windowMs / most / 1000),
	);
	const exact = count * secondsPerItem;
	const total = exact < 300 ? Math.round(exact) : Math.round(exact / 60) * 60;
	const parts = [
		['hour', Math.floor(total / 3600)],
		['minute', Math.floor(total / 60) % 60],
		['second', total % 60],
	] as const;
	return parts
		.filter(([, value]) => value > 0)
		.map(([unit, value]) => value.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }))
		.join(' ');
}

function tableFor(texts: Texts, counts: number[]): string {
	const columns = texts.get<string[]>('limits', 'columns');
	const takes = (count: number) =>
		texts.get('limits', 'takes').replace('{count}', count.toLocaleString(texts.language));
	return tableOf(
		[...columns, ...counts.map(takes)],
		rows.map((row) => [
			titleOf(texts, row),
			written(texts, row.limit),
			...counts.map((count) => duration(texts, count, row.limit)),
		]),
	);
}

export const limitsTable = (texts: Texts): string => tableFor(texts, [100, 1000, 3000, 10_000]);

export const briefLimitsTable = (texts: Texts): string => tableFor(texts, [1000]);

/** What each of several workers uses of a limit. */
export function sharesTable(texts: Texts): string {
	const workers = [1, 2, 3, 4];
	return tableOf(
		[texts.get('limits', 'workers'), ...rows.map((row) => titleOf(texts, row))],
		workers.map((count) => [
			String(count),
			...rows.map(({ limit }) => written(texts, shareOf(limit, count))),
		]),
	);
}
