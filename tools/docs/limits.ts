import { isDeepStrictEqual } from 'node:util';

import { accountLimits, usualRequestsPerSecond } from '../../nodes/ChatbotService/client/credential/account';
import type { Limit } from '../../nodes/ChatbotService/client/pace/limits';
import { messengers } from '../../nodes/ChatbotService/resources/choices';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/* The table of limits, in docs/limits.md. */

const [ofAccount] = Object.values(accountLimits(usualRequestsPerSecond)) as [Limit];
const [ofNumbers] = Object.values(whatsAppNumberLimits) as [Limit];

/** Each limit with the name of its text, and the messengers that each have it. */
interface Row {
	name: string;
	of: string[];
	limit: Limit;
}

const ofMessengers: Row[] = [];
for (const { name, value } of messengers) {
	const [limit] = Object.values(messageLimits(value));
	const same = ofMessengers.find((row) => isDeepStrictEqual(row.limit, limit));
	if (same) same.of.push(name);
	else if (limit) ofMessengers.push({ name: 'messages', of: [name], limit });
}

const rows: Row[] = [
	{ name: 'account', of: [], limit: ofAccount },
	...ofMessengers,
	{ name: 'numbers', of: [], limit: ofNumbers },
];

/** For example "MAX, Telegram, and Viber". */
const listed = ({ language }: Texts, names: string[]): string =>
	new Intl.ListFormat(language, { type: 'conjunction' }).format(names);

const titleOf = (texts: Texts, { name, of }: Row): string =>
	texts.get('limits', of.length > 1 ? 'eachMessenger' : name).replace('{messengers}', listed(texts, of));

/** For example "10 per 10 s". */
function written(texts: Texts, { count, windowMs }: Limit): string {
	const seconds = windowMs / 1000;
	const number = (value: number) => value.toLocaleString(texts.language, { maximumFractionDigits: 1 });
	return texts
		.get('limits', seconds === 1 ? 'perSecond' : 'inSeconds')
		.replace('{count}', number(count))
		.replace('{seconds}', number(seconds));
}

/** The pace of a limit, which is never faster than that of the account. */
const secondsEach = (limit: Limit) =>
	Math.max(...[ofAccount, limit].map(({ count, windowMs }) => windowMs / count / 1000));

/** How long the pace of a limit takes. Rounded to minutes if it is more than a few. */
function duration({ language }: Texts, count: number, limit: Limit): string {
	const exact = count * secondsEach(limit);
	const total = exact < 300 ? Math.round(exact) : Math.round(exact / 60) * 60;
	const parts = { hour: total / 3600, minute: (total / 60) % 60, second: total % 60 };
	return Object.entries(parts)
		.map(([unit, value]): [string, number] => [unit, Math.floor(value)])
		.filter(([, value]) => value > 0)
		.map(([unit, value]) => value.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }))
		.join(' ');
}

/** How many messages the table says the duration of. */
const counts = [1000, 3000];

/** From 10:00 until 21:00, for example. */
const hoursOfDay = 11;

/** How many requests the pace of a limit allows in a day. */
const inDay = ({ language }: Texts, limit: Limit) =>
	Math.floor((hoursOfDay * 3600) / secondsEach(limit)).toLocaleString(language);

export function limitsTable(texts: Texts): string {
	const columns = texts.get<string[]>('limits', 'columns');
	const takes = (count: number) =>
		texts.get('limits', 'takes').replace('{count}', count.toLocaleString(texts.language));
	const day = texts.get('limits', 'day').replace('{hours}', String(hoursOfDay));
	const cells = rows.map((row) => [
		titleOf(texts, row),
		written(texts, row.limit),
		...counts.map((count) => duration(texts, count, row.limit)),
		inDay(texts, row.limit),
	]);
	return tableOf([...columns, ...counts.map(takes), day], cells);
}
