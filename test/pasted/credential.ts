import { texts } from './table';

/* What people enter into the credential. */

/** Base URLs, and the resulting URL of the methods. */
export const pastedBaseUrls: Array<[received: string, read: string]> = [
	...[
		...['', '/', '/api', '/api/v1/getBotTags?api_token=x&bot_id=2048', '/api/v1//getBotTags', '/API/V1//'],
		// Pages of the service, from the address bar.
		...['/?tab=1', '/#/bots/2048/schema/1?tab=/api/v1', '/bots/2048/schema/1', '//bots/2048', '/bots//2048'],
		...['/account/api', '/dashboard', '/chatbot/api/v1', '/\n/api', '\\bots\\2048'],
	].map((path): [string, string] => [`https://app.example.ru${path}`, 'https://app.example.ru/api/v1']),
	...[
		...[
			' https://app.example.ru\n',
			'"https://app.example.ru"',
			'<https://app.example.ru>',
			'«https://app.example.ru»',
		],
		...['\u200bhttps://app.example.ru', '//app.example.ru', 'app.example.ru/bots/2048/schema/1/'],
	].map((written): [string, string] => [written, 'https://app.example.ru/api/v1']),
	['app.example.ru:8443/', 'https://app.example.ru:8443/api/v1'],
	['http://127.0.0.1:8080/bots/2048/schema/1?tab=1#block-7', 'http://127.0.0.1:8080/api/v1'],
	['https://чат.рф/', 'https://чат.рф/api/v1'],
	['https://APP.ONEBOT.TECH/login?next=/bots', 'https://APP.ONEBOT.TECH/api/v1'],
	['https://anna:secret@proxy.example.com/chatbot', 'https://anna:secret@proxy.example.com/api/v1'],
];

/** Texts that are not a base URL, and would send the token to somebody else. */
export const noBaseUrls: string[] = texts(`
	| / | https:// | /api/v1 | #/bots | мой сервис | WatBot: https://watbot.ru | https//app.example.ru
	https:/app.example.ru | http://https//app.example.ru | ftp://app.example.ru | file:///etc/passwd
	javascript:alert(1) | https://anna@example.ru | https:///app.example.ru | https:///http://example.com
	https://app example.ru
`);

/** Values of 'Requests per Second', and the resulting limit of the account: requests per milliseconds. */
export const pastedPaces: Array<[received: unknown, count: number, windowMs: number]> = [
	...['2', '2.0', '+2', "'2", '', null].map((two): [unknown, number, number] => [two, 2, 1000]),
	['2,5', 1, 400],
	['.5', 1, 2000],
	[0.25, 1, 4000],
];

export const noPaces: unknown[] = [
	...texts('-1 | Infinity | быстро | 2 в секунду | 1.000,5 | 1e3 | undefined'),
	...[-0.5, NaN, true, [2], {}, '={{ $vars.pace }}'],
];
