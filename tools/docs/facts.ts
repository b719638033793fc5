import { isDeepStrictEqual } from 'node:util';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import type { Limit } from '../../nodes/ChatbotService/client/pace/limits';
import { resources } from '../../nodes/ChatbotService/resources';
import { messengers } from '../../nodes/ChatbotService/resources/choices';
import {
	messageLimits,
	whatsAppNumberLimits,
} from '../../nodes/ChatbotService/resources/message/messageLimits';
import type { Texts } from './texts';

/* Rows of the tables about operations, the credential's test, and limits. */

/** Of each resource: its operations, in the order of the editor. */
export const resourceRows = (): string[][] =>
	resources.map(({ option, operations }) => [
		option.name,
		operations.map(({ option: { name } }) => name).join(', '),
	]);

/** Of each resource: its operations with their endpoints. */
export function operationRows(texts: Texts): string[][] {
	const several = texts.get<Record<string, string>>('operations', 'endpoints');
	return resources.map(({ option: resource, operations }) => [
		resource.name,
		operations
			.map(({ option: { name, value, routing } }) => {
				const endpoint = `\`${routing.request.url.replace('/', '')}\``;
				return `**${name}** (${several[`${resource.value}/${value}`] ?? endpoint})`;
			})
			.join(', '),
	]);
}

/** The messages of the test, by the names of their explanations. What is wrong with a field, its message says itself. */
export function credentialRows(texts: Texts): string[][] {
	const names = new Map<string, string>();
	for (const { properties } of new ChatbotServiceApi().test.rules!) {
		const { key, value, message } = properties as { key?: string; value: unknown; message: string };
		if (!names.has(message)) names.set(message, key ?? String(value));
	}
	return [...names].map(([message, name]) => [message, texts.get('credential', 'texts', name)]);
}

const [ofAccount] = Object.values(readAccount({}).limits) as [Limit];
const [ofNumbers] = Object.values(whatsAppNumberLimits) as [Limit];

/** Each limit with the name of its text, and the messengers that each have it. */
const limits: Array<{ name: string; of: string[]; limit: Limit }> = [
	{ name: 'account', of: [], limit: ofAccount },
];
for (const { name, value } of messengers) {
	const [limit] = Object.values(messageLimits(value));
	const same = limits.find((each) => each.of.length > 0 && isDeepStrictEqual(each.limit, limit));
	if (same) same.of.push(name);
	else if (limit) limits.push({ name: 'messages', of: [name], limit });
}
limits.push({ name: 'numbers', of: [], limit: ofNumbers });

/** The pace of a limit, which is never faster than that of the account. */
const secondsEach = (limit: Limit) =>
	Math.max(...[ofAccount, limit].map(({ count, windowMs }) => windowMs / count / 1000));

/** How long the pace of a limit takes. Rounded to minutes if it is more than a few. */
function duration(language: string, count: number, limit: Limit): string {
	const exact = count * secondsEach(limit);
	const total = exact < 300 ? Math.round(exact) : Math.round(exact / 60) * 60;
	const parts = { hour: total / 3600, minute: (total / 60) % 60, second: total % 60 };
	return Object.entries(parts)
		.filter(([, value]) => value >= 1)
		.map(([unit, value]) =>
			Math.floor(value).toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }),
		)
		.join(' ');
}

/** As people write it: in Russian, a number of four digits has no space. */
const numberIn = (language: string, value: number) =>
	value.toLocaleString(language, {
		maximumFractionDigits: 1,
		useGrouping: language !== 'ru' || value >= 10_000,
	});

/** How many messages the table says the duration of. */
const counts = [1000, 3000];

/** From 10:00 until 21:00, for example. */
const hoursOfDay = 11;

/** The columns that name a number. */
export const limitColumns = (texts: Texts): string[] => [
	...counts.map((count) => texts.get('limits', 'takes').replace('{count}', numberIn(texts.language, count))),
	texts.get('limits', 'day').replace('{hours}', String(hoursOfDay)),
];

export function limitRows(texts: Texts): string[][] {
	const { language } = texts;
	const numbers = (value: number) => numberIn(language, value);
	const listed = new Intl.ListFormat(language, { type: 'conjunction' });
	return limits.map(({ name, of, limit }) => {
		const title = texts.get('limits', of.length > 1 ? 'eachMessenger' : name);
		const seconds = limit.windowMs / 1000;
		const pace = texts.get('limits', seconds === 1 ? 'perSecond' : 'inSeconds');
		return [
			title.replace('{messengers}', listed.format(of)),
			pace.replace('{count}', numbers(limit.count)).replace('{seconds}', numbers(seconds)),
			...counts.map((count) => duration(language, count, limit)),
			numbers(Math.floor((hoursOfDay * 3600) / secondsEach(limit))),
		];
	});
}
