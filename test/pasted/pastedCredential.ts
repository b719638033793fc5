import { texts } from './table';

/* What people enter into the credential. */

const usual = 'https://app.example.ru/api/v1';

/** Base URLs, and the resulting URL of the methods. */
export const pastedBaseUrls = [
	...[
		...texts(`
			https://app.example.ru | https://app.example.ru/ | https://app.example.ru/api | https://app.example.ru/API/V1//
			https://app.example.ru/api/v1/getBotTags?api_token=x&bot_id=2048 | https://app.example.ru/api/v1//getBotTags
			"https://app.example.ru" | «https://app.example.ru» | <https://app.example.ru> | //app.example.ru | app.example.ru/bots/2048/schema/1/
		`),
		// Pages of the service, from the address bar.
		...texts(String.raw`
			https://app.example.ru/?tab=1 | https://app.example.ru/#/bots/2048/schema/1?tab=/api/v1
			https://app.example.ru//bots/2048 | https://app.example.ru/chatbot/api/v1 | https://app.example.ru\bots\2048
		`),
		...['https://app.example.ru/\n/api', ' https://app.example.ru\n', '\u200bhttps://app.example.ru'],
	].map((written) => [written, usual]),
	['app.example.ru:8443/', 'https://app.example.ru:8443/api/v1'],
	['http://127.0.0.1:8080/bots/2048/schema/1?tab=1#block-7', 'http://127.0.0.1:8080/api/v1'],
	['https://чат.рф/', 'https://чат.рф/api/v1'],
	['https://APP.ONEBOT.TECH/login?next=/bots', 'https://APP.ONEBOT.TECH/api/v1'],
	['https://anna:secret@proxy.example.com/chatbot', 'https://anna:secret@proxy.example.com/api/v1'],
] as Array<[received: string, read: string]>;

/** Texts that are not a base URL, and would send the token to somebody else. */
export const noBaseUrls: string[] = texts(`
	| / | https:// | /api/v1 | #/bots | мой сервис | WatBot: https://watbot.ru | https//app.example.ru
	https:/app.example.ru | http://https//app.example.ru | ftp://app.example.ru | file:///etc/passwd
	javascript:alert(1) | https://anna@example.ru | https:///app.example.ru | https:///http://example.com
	https://app example.ru
`);

const limitOf = (count: number, windowMs: number) => ({ account: { count, windowMs } });

/** Values of 'Requests per Second', and the resulting limits. */
export const pastedPaces: Array<[received: unknown, limits: object]> = [
	...['2', '2.0', '+2', "'2", '', null].map((two): [unknown, object] => [two, limitOf(2, 1000)]),
	['2,5', limitOf(1, 400)],
	['.5', limitOf(1, 2000)],
	[0.25, limitOf(1, 4000)],
	[0, {}],
	['0,0', {}],
];

export const noPaces: unknown[] = [
	...texts('-1 | Infinity | быстро | 2 в секунду | 1.000,5 | 1e3 | undefined'),
	...[-0.5, NaN, true, [2], {}, '={{ $vars.pace }}'],
];
