import { VirtualClock } from '../../bench/simulation/clock';
import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import {
	serviceFailed,
	tooManyRequests,
	underMaintenance,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import {
	accountLimits,
	shareOf,
	type Limit,
	type Limits,
} from '../../nodes/ChatbotService/client/pace/limits';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import { Attempts } from '../../nodes/ChatbotService/client/retry';
import { Scheduler } from '../../nodes/ChatbotService/client/pace/scheduler';
import { onceHint } from '../../nodes/ChatbotService/description/hints';
import { limit } from '../../nodes/ChatbotService/resources/fields';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Settings } from '../../nodes/ChatbotService/run/values/settings';
import { mostRemembered } from '../../nodes/ChatbotService/run/ledger/entries';
import { Store } from '../../nodes/ChatbotService/run/ledger/store';
import { version } from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import { dependencies as ofHost } from '../../sandbox/host/package.json';
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

/** All waits in milliseconds of a request that always fails in this way, until it is given up. */
function waitsOf(failure: Failure, idempotent: boolean): number[] {
	const attempts = new Attempts(idempotent);
	const waits: number[] = [];
	for (;;) {
		const next = attempts.nextAfter(failure);
		if (next === undefined) return waits;
		waits.push(next);
	}
}

/** How often the request is sent. */
const attemptsAt = (failure: Failure, idempotent: boolean) => waitsOf(failure, idempotent).length + 1;

/** Whether a request is repeated after consecutive refusals with these waits. */
function isTried(...askedSeconds: number[]): boolean {
	const attempts = new Attempts(true);
	const nexts = askedSeconds.map((seconds) => attempts.nextAfter(tooManyRequests(429, seconds * 1000)));
	return !nexts.includes(undefined);
}

/** How many requests of different runs have started by a given time when none is answered. */
async function begunAfter(milliseconds: number): Promise<number> {
	const clock = new VirtualClock();
	const scheduler = new Scheduler(clock);
	let begun = 0;
	for (let each = 0; each < 30; each++)
		scheduler.enqueue({}, { limits: {}, workers: 1, bursts: false }, () => {
			begun++;
		});
	await clock.run(milliseconds);
	return begun;
}

const isInBody = (bytes: number) =>
	'text' in
	placeParameters([{ name: 'text', place: 'query', value: 'a'.repeat(bytes - 6) }], {
		path: '',
		tokenLength: 0,
		longInBody: true,
	}).body;

const ofMessages = (messenger: string) => Object.values(messageLimits(messenger));
const [ofNumber] = Object.values(whatsAppNumberLimits) as [Limit];

const minutesOfThousand = (ofOperation: Limits) => {
	const seconds = Object.values({ ...accountLimits(2), ...ofOperation }).map(
		({ count, windowMs }) => windowMs / count / 1000,
	);
	return Math.round((1000 * Math.max(...seconds)) / 60);
};

test('a request that is refused for a limit is given up after five minutes of waiting', () => {
	const waitedMs = waitsOf(tooManyRequests(429), false).reduce((sum, each) => sum + each);
	expect(waitedMs).toBeGreaterThan(295_000);
	expect(waitedMs).toBeLessThanOrEqual(300_000);
	expect([isTried(100, 100, 100), isTried(100, 100, 101)]).toEqual([true, false]);
	expectIn(
		[...bothOf('limits'), ...bothOf('errors'), ...bothOf('queue-mode')],
		/waited for five minutes|прождал в сумме пять минут/,
	);
	expectIn(
		bothOf('errors'),
		/again and again for five minutes|снова и снова, пока он не прождал в сумме пять минут/,
	);
});

test('a request that meets maintenance has six attempts', () => {
	expect(attemptsAt(underMaintenance(503, 0), false)).toBe(6);
	expectIn([...bothOf('limits'), ...bothOf('errors')], /\b6 (attempts|попыт)/);
});

test('a request that was not sent and an idempotent request have three attempts', () => {
	expect(attemptsAt(unreachable(''), false)).toBe(3);
	expect(attemptsAt(serviceFailed(500), true)).toBe(3);
	expectIn(bothOf('errors'), /\b3 (attempts|попыт)/);
});

test('a refused request waits for at most two minutes at a time', () => {
	expect([isTried(120), isTried(121)]).toEqual([true, false]);
	expectIn([...bothOf('limits'), ...bothOf('queue-mode')], /more than two minutes|больше двух минут/);
});

test('a request that is refused repeatedly waits longer each time', () => {
	expect(waitsOf(tooManyRequests(429), true).slice(0, 5)).toEqual([1000, 2000, 4000, 5000, 5000]);
	expectIn(bothOf('limits'), /1, 2, 4, (then|дальше) 5 (seconds|секунд)/);
});

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

test('at most ten requests of an account are in progress at once, except for those without an answer after ten seconds', async () => {
	expect([await begunAfter(9999), await begunAfter(10_000)]).toEqual([10, 20]);
	expectIn(
		[...bothOf('sending'), ...bothOf('limits')],
		/At most ten requests of an account|не больше десяти запросов аккаунта/,
	);
	expectIn(bothOf('limits'), /no answer after ten seconds|нет ответа десять секунд/);
});

test('a message of more than 4,000 bytes is sent in the body', () => {
	expect([isInBody(4000), isInBody(4001)]).toEqual([false, true]);
	expectIn(bothOf('sending'), /Above 4,000 bytes|4 ?000 байт/);
});

test('the store keeps the documented number of recipients, and the editor mentions Send Once Per from the documented number of messages', () => {
	expect(mostRemembered).toBe(100_000);
	expectIn(bothOf('interrupted'), /newest 100,000 recipients|100 ?000/);
	expect(onceHint.displayCondition).toContain('>= 300');
	expectIn(bothOf('interrupted'), /\b300\b/);
});

test('a claim waits for at least a quarter of a second until it is confirmed', () => {
	const entries = { owner: 'nobody', add: async () => await Promise.resolve([]), remove: async () => {} };
	expect(new Store(entries).claimMs).toBe(250);
	expectIn(bothOf('interrupted'), /\b250 (milliseconds|миллисекунд)/);
});

test('by default, Get Many returns 50 results, and a request may take 300 seconds', () => {
	expect(limit.default).toBe(50);
	expectIn(bothOf('operations'), /\b50\b/);
	const usual = new Settings({ raw: {}, evaluated: () => ({}) }).of(0);
	expect(usual).toMatchObject({ sending: { timeout: 300_000 } });
	expectIn(bothOf('limits'), /\b300 (seconds|секунд)/);
});

test('the versions of n8n in the documents match those in the tests', () => {
	const [major, minor] = ofHost.n8n.split('.');
	expectIn(readmes, ofHost.n8n);
	expectIn([...readmes, ...bothOf('try-it')], `${major}.${minor}`);
	// In that release line, the minor version of n8n is one ahead of its engine's.
	expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
	expectIn(readmes, /1\.123\D.*2\.8\D.*2\.41/);
});

test('the version of the package in the documents matches package.json', () => {
	expectIn(bothOf('install'), `n8n-nodes-chatbot-service-${version}.tgz`);
	expectIn(
		['docs/queue-mode/compose.yaml'],
		`[{ "name": "n8n-nodes-chatbot-service", "version": "${version}" }]`,
	);
});
