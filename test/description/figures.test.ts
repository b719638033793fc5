import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { usualTimeoutMs } from '../../nodes/ChatbotService/client/client';
import { timedOut } from '../../nodes/ChatbotService/client/failure';
import {
	accountLimits,
	shareOf,
	type Limit,
	type Limits,
} from '../../nodes/ChatbotService/client/pace/limits';
import { requestOptions } from '../../nodes/ChatbotService/description/requestOptions';
import { limit } from '../../nodes/ChatbotService/resources/fields';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { name, version } from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import { dependencies as ofHost } from '../../sandbox/host/package.json';
import { operations } from '../operations';
import { pageOf, read } from './page';

/* The figures in the documents match the code, and the Russian pages have the same figures. */

const words = (page: string) => read(page).replace(/[\s ]+/g, ' ');
const bothOf = (page: string) => [`docs/${page}.md`, `docs/ru/${page}.md`];
const readmes = ['README.md', 'docs/ru/README.md'];

/** Checks that each of the pages contains these words. */
function expectIn(pages: string[], sentence: string | RegExp) {
	const is = typeof sentence === 'string' ? expect.stringContaining : expect.stringMatching;
	for (const page of pages) expect([page, words(page)]).toEqual([page, is(sentence as string)]);
}

/** Where the code states a figure, and the words of the pages for it. Unit tests of each file prove that the code keeps to it. */
const figures: Array<[code: string, file: string, pages: string[], words: RegExp]> = [
	[
		'longestTotalMs = 300_000',
		'client/retry.ts',
		['limits', 'errors', 'queue-mode'],
		/waited for five minutes|прождал в сумме пять минут/,
	],
	[
		'longestTotalMs = 300_000',
		'client/retry.ts',
		['errors'],
		/again and again for five minutes|снова и снова, пока он не прождал в сумме пять минут/,
	],
	[
		'longestAskedMs = 120_000',
		'client/retry.ts',
		['limits', 'queue-mode'],
		/more than two minutes|больше двух минут/,
	],
	['afterMaintenance: 6,', 'client/retry.ts', ['limits', 'errors'], /\b6 (attempts|попыт)/],
	['ifHarmless: 3,', 'client/retry.ts', ['errors'], /\b3 (attempts|попыт)/],
	['always: 3,', 'client/retry.ts', ['errors'], /\b3 (attempts|попыт)/],
	['firstWaitMs = 1000', 'client/retry.ts', ['limits'], /1, 2, 4, (then|дальше) 5 (seconds|секунд)/],
	['longestWaitAtLimitMs = 5000', 'client/retry.ts', ['limits'], /1, 2, 4, (then|дальше) 5 (seconds|секунд)/],
	[
		'mostInFlight = 10',
		'client/pace/scheduler.ts',
		['sending', 'limits'],
		/At most ten requests of an account|не больше десяти запросов аккаунта/,
	],
	[
		'longestInFlightMs = 10_000',
		'client/pace/scheduler.ts',
		['limits'],
		/no answer after ten seconds|нет ответа десять секунд/,
	],
	['longestTarget = 4000', 'client/placement.ts', ['sending'], /Above 4,000 bytes|4 ?000 байт/],
	[
		'mostRemembered = 100_000',
		'run/ledger/entries.ts',
		['interrupted'],
		/newest 100,000 recipients|100 ?000/,
	],
	['leastWaitMs = 250', 'run/ledger/calls.ts', ['interrupted'], /\b250 (milliseconds|миллисекунд)/],
	['broadcast = 300', 'description/hints.ts', ['interrupted'], /\b300\b/],
	['usualTimeoutMs = 300_000', 'client/client.ts', ['limits'], /\b300 (seconds|секунд)/],
];

test.each(figures)('the pages say what is stated by "%s" in %s', (code, file, pages, words) => {
	expect(read(`nodes/ChatbotService/${file}`)).toMatch(new RegExp(`\\b${code}[;,]?$`, 'm'));
	expectIn(pages.flatMap(bothOf), words);
});

test('what the node says of its usual timeout is that timeout', () => {
	expect(timedOut().description).toContain(`it is ${usualTimeoutMs} milliseconds`);
	expect(JSON.stringify(requestOptions)).toContain(
		`it is ${usualTimeoutMs} (${usualTimeoutMs / 60_000} minutes)`,
	);
});

test('by default, Get Many returns 50 results', () => {
	expect(limit.default).toBe(50);
	expectIn(bothOf('operations'), /\b50\b/);
});

const ofMessages = (messenger: string) => Object.values(messageLimits(messenger));
const [ofNumber] = Object.values(whatsAppNumberLimits) as [Limit];

const minutesOfThousand = (ofOperation: Limits) => {
	const seconds = Object.values({ ...accountLimits(2), ...ofOperation }).map(
		({ count, windowMs }) => windowMs / count / 1000,
	);
	return Math.round((1000 * Math.max(...seconds)) / 60);
};

test('the limits match the table of docs/limits.md', () => {
	const ofAccount = new ChatbotServiceApi().properties.find(({ name }) => name === 'requestsPerSecond');
	expect(ofAccount!.default).toBe(2);
	expect(ofMessages('whatsapp')).toEqual([{ count: 1, windowMs: 10_000 }]);
	for (const each of ['telegram', 'viber', 'max'])
		expect(ofMessages(each)).toEqual([{ count: 10, windowMs: 10_000 }]);
	expect(ofMessages('vk')).toEqual([]);
	expect(ofNumber).toEqual({ count: 1, windowMs: 1000 });
	for (const row of [
		'| 2 requests per second',
		'| 1 message in 10 seconds | *Send*, WhatsApp |',
		'| 10 messages in 10 seconds, each | *Send*: Telegram, Viber, MAX |',
		'| no separate limit | *Send*, VK |',
		'| 1 message per second | *Send to WhatsApp Number* |',
	])
		expectIn(['docs/limits.md'], row);
});

test('a thousand items take as many minutes as the pages say', () => {
	expect(minutesOfThousand({})).toBe(8);
	expectIn(bothOf('limits'), /\b8 (мин|min)/);
	expect(minutesOfThousand(messageLimits('telegram'))).toBe(17);
	expect(minutesOfThousand(whatsAppNumberLimits)).toBe(17);
	expectIn(bothOf('limits'), /\b17 (мин|min)/);
	expect(minutesOfThousand(messageLimits('whatsapp'))).toBe(2 * 60 + 47);
	expectIn([...bothOf('limits'), ...readmes], /2 hours 47 minutes|2 часа 47 минут/);
});

test('570 messages to VK and 30 to WhatsApp take as many minutes as the pages say', () => {
	const secondsOfAll = 600 / 2;
	const [{ count, windowMs }] = ofMessages('whatsapp') as [Limit];
	expect(Math.max(secondsOfAll, (30 * windowMs) / count / 1000) / 60).toBe(5);
	expectIn(bothOf('limits'), /570 [^]*\b30 [^]*(?:five|пять)\s(?:minutes|минут)/);
});

test.each(bothOf('queue-mode'))('%s says how one to four workers share the limits', (page) => {
	const whole: Limit[] = [
		{ count: 2, windowMs: 1000 },
		...ofMessages('telegram'),
		...ofMessages('whatsapp'),
		ofNumber,
	];
	const rows = pageOf(page)
		.tables.flat()
		.filter(([first]) => /^\d$/.test(first!));
	expect(rows.map(([workers]) => workers)).toEqual(['1', '2', '3', '4']);
	for (const [workers, ...cells] of rows) {
		cells.forEach((cell, index) => {
			const [count, per = 1] = cell.match(/[\d.,]+/g)!.map((each) => Number(each.replace(',', '.')));
			const share = shareOf(whole[index]!, Number(workers));
			expect(count! / per).toBeCloseTo((share.count / share.windowMs) * 1000, 3);
		});
	}
});

test('the versions of n8n in the documents match those in the tests', () => {
	const [major, minor] = ofHost.n8n.split('.');
	expectIn(readmes, ofHost.n8n);
	expectIn([...readmes, ...bothOf('try-it')], `${major}.${minor}`);
	// In that release line, the minor version of n8n is one ahead of its engine's.
	expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
	expectIn(readmes, /1\.123\D.*2\.8\D.*2\.41/);
});

test('the READMEs name the package, and count the operations', () => {
	expect(operations).toHaveLength(16);
	expectIn(readmes, /\| \[(?:sixteen operations|шестнадцать операций)\]/);
	expectIn(readmes, `\`${name}\``);
});

test('the version of the package in the documents matches package.json', () => {
	expectIn(bothOf('install'), `n8n-nodes-chatbot-service-${version}.tgz`);
	expectIn(
		['docs/queue-mode/compose.yaml'],
		`[{ "name": "n8n-nodes-chatbot-service", "version": "${version}" }]`,
	);
});
