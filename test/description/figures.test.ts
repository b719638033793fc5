import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { parse } from 'yaml';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import {
	serviceFailed,
	tooManyRequests,
	underMaintenance,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { accountLimits, shareOf, type Limit, type Limits } from '../../nodes/ChatbotService/client/limits';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import { nextAttemptIn } from '../../nodes/ChatbotService/client/retry';
import { Turns } from '../../nodes/ChatbotService/client/turn';
import { onceHint } from '../../nodes/ChatbotService/description/hints';
import { limit } from '../../nodes/ChatbotService/resources/fields';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Settings } from '../../nodes/ChatbotService/run/settings';
import { mostRemembered } from '../../nodes/ChatbotService/run/store';
import { version } from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import { dependencies as ofHost } from '../../sandbox/host/package.json';

/* The figures in the documents are those of the code; the pages in Russian give the same ones. */

const root = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8').replace(/[\s ]+/g, ' ');
const readmes = ['README.md', 'docs/ru/README.md'];
const bothOf = (page: string) => [`docs/${page}.md`, `docs/ru/${page}.md`];

/** How often a request is sent that always fails in this way. */
function attemptsAt(failure: Failure, repeatable: boolean): number {
	let made = 1;
	while (nextAttemptIn(failure, repeatable, { made, waitedMs: 0 }) !== undefined) made++;
	return made;
}

const isTried = (askedSeconds: number, waitedMs = 0) =>
	nextAttemptIn(tooManyRequests(429, askedSeconds * 1000), true, { made: 2, waitedMs }) !== undefined;

describe('attempts', () => {
	const [atLimit, inMaintenance, unsent, harmless] = [
		attemptsAt(tooManyRequests(429, 1000), false),
		attemptsAt(underMaintenance(503, 0), false),
		attemptsAt(unreachable(''), false),
		attemptsAt(serviceFailed(500), true),
	];

	test('of a request that is refused, or meets maintenance', () => {
		expect([atLimit, inMaintenance, unsent, harmless]).toEqual([20, 6, 3, 3]);
		for (const page of [...bothOf('limits'), ...bothOf('errors')]) {
			expect(read(page)).toMatch(new RegExp(`\\b${atLimit}\\b`));
			expect(read(page)).toMatch(new RegExp(`\\b${inMaintenance} (attempts|попыт)`));
		}
		for (const page of bothOf('errors')) expect(read(page)).toMatch(/\b3 (attempts|попыт)/);
		expect(read('docs/queue-mode.md')).toContain('refused twenty times in a row');
	});

	test('waits that are asked for: two minutes at once, five in all', () => {
		expect([isTried(120), isTried(121)]).toEqual([true, false]);
		expect([isTried(100, 200_000), isTried(100, 201_000)]).toEqual([true, false]);
		const words = {
			en: ['more than two minutes', 'more than five minutes'],
			ru: ['двух минут', 'пяти минут'],
		};
		const [english, inRussian] = bothOf('limits');
		for (const each of words.en) expect(read(english!)).toContain(each);
		for (const each of words.ru) expect(read(inRussian!)).toContain(each);
		expect(read('docs/queue-mode.md')).toContain('more than five minutes in all');
	});

	test('waits of a request that is refused again and again', () => {
		const waits = [1, 2, 3, 4, 5].map(
			(made) => nextAttemptIn(tooManyRequests(429), true, { made, waitedMs: 0 })! / 1000,
		);
		expect(waits).toEqual([1, 2, 4, 5, 5]);
		expect(read('docs/limits.md')).toContain('1, 2, 4, then 5 seconds');
	});
});

const seconds = (limits: Limits) =>
	Math.max(
		...Object.values({ ...accountLimits(2), ...limits }).map(
			({ count, windowMs }) => windowMs / count / 1000,
		),
	);

describe('the limits', () => {
	const [first] = Object.values(messageLimits('whatsapp'));

	test('are those that the table gives', () => {
		const { default: perSecond } = new ChatbotServiceApi().properties.find(
			({ name }) => name === 'requestsPerSecond',
		)!;
		expect(perSecond).toBe(2);
		expect(first).toEqual({ count: 1, windowMs: 10_000 });
		for (const each of ['telegram', 'viber', 'max'])
			expect(Object.values(messageLimits(each))).toEqual([{ count: 10, windowMs: 10_000 }]);
		expect(messageLimits('vk')).toEqual({});
		expect(Object.values(whatsAppNumberLimits)).toEqual([{ count: 1, windowMs: 1000 }]);
		const text = read('docs/limits.md');
		for (const row of [
			'| 2 requests per second',
			'| 1 message in 10 seconds | *Send*, WhatsApp |',
			'| 10 messages in 10 seconds, each | *Send*: Telegram, Viber, MAX |',
			'| none of its own | *Send*, VK |',
			'| 1 message per second | *Send to WhatsApp Number* |',
		])
			expect(text).toContain(row);
	});

	test('make a thousand items take as long as the pages say', () => {
		const minutes = [{}, messageLimits('telegram'), messageLimits('whatsapp')].map((limits) =>
			Math.round((1000 * seconds(limits)) / 60),
		);
		expect(minutes).toEqual([8, 17, 2 * 60 + 47]);
		expect(seconds(whatsAppNumberLimits)).toBe(seconds(messageLimits('telegram')));
		for (const page of bothOf('limits')) {
			const text = read(page);
			expect(text).toMatch(/\b8 мин|\b8 min/);
			expect(text).toMatch(/\b17 мин|\b17 min/);
			expect(text).toMatch(/2 hours 47 minutes|2 часа 47 минут/);
		}
		for (const page of readmes) expect(read(page)).toMatch(/2 hours 47 minutes|2 часа 47 минут/);
	});

	test('are shared between workers as the table of queue mode says', () => {
		const whole: Limit[] = [
			{ count: 2, windowMs: 1000 },
			...[messageLimits('telegram'), messageLimits('whatsapp'), whatsAppNumberLimits].map(
				(limits) => Object.values(limits)[0]!,
			),
		];
		for (const page of bothOf('queue-mode')) {
			const rows = [...readFileSync(join(root, page), 'utf8').matchAll(/^\| (\d) \|(.*)\|$/gm)];
			expect(rows.map(([, workers]) => workers)).toEqual(['1', '2', '3', '4']);
			for (const [, workers, cells] of rows) {
				const rates = cells!.split('|').map((cell) => {
					const [count, per] = [...cell.matchAll(/[\d.,]+/g)].map(([figure]) =>
						Number(figure.replace(',', '.')),
					);
					return count! / (per ?? 1);
				});
				const wanted = whole.map((each) => {
					const { count, windowMs } = shareOf(each, Number(workers));
					return (count / windowMs) * 1000;
				});
				rates.forEach((rate, index) => expect(rate).toBeCloseTo(wanted[index]!, 3));
			}
		}
	});
});

describe('other figures', () => {
	test('requests that are under way at once', () => {
		const turns = new Turns();
		let begun = 0;
		for (let each = 0; each < 20; each++)
			turns.lineUp({ signal: new AbortController().signal }, {}, () => {
				begun++;
			});
		expect(begun).toBe(10);
		expect(read('docs/sending.md')).toContain('At most ten requests of an account');
	});

	test('bytes from which on a message travels in the body', () => {
		const isLong = (bytes: number) =>
			'text' in
			placeParameters([{ name: 'text', place: 'query', value: 'a'.repeat(bytes - 6) }], '', 0, true).body;
		expect([isLong(4000), isLong(4001)]).toEqual([false, true]);
		expect(read('docs/sending.md')).toContain('Above 4,000 bytes');
		expect(read('docs/ru/sending.md')).toMatch(/4 ?000 байт/);
	});

	test('recipients that are remembered, and messages from which on the editor reminds of Send Once Per', () => {
		expect(mostRemembered).toBe(100_000);
		expect(onceHint.displayCondition).toContain('>= 300');
		const [english, inRussian] = bothOf('cut-off').map(read);
		expect(english).toContain('newest 100,000 recipients');
		expect(english).toContain('300 messages or more');
		expect(inRussian).toMatch(/100 ?000/);
		expect(inRussian).toMatch(/\b300\b/);
	});

	test('results of Get Many, and the time-out', () => {
		expect(limit.default).toBe(50);
		const usual = new Settings({ raw: {}, evaluated: () => ({}) }).of(0);
		expect(usual).toMatchObject({ sending: { timeout: 300_000 } });
		for (const page of bothOf('operations')) expect(read(page)).toMatch(/\b50\b/);
		for (const page of bothOf('limits')) expect(read(page)).toMatch(/\b300 (seconds|секунд)/);
	});
});

describe('versions', () => {
	test('of n8n that are named are those that the tests use', () => {
		const [major, minor] = ofHost.n8n.split('.');
		for (const page of readmes) expect(read(page)).toContain(ofHost.n8n);
		for (const page of [...readmes, ...bothOf('try-it')]) expect(read(page)).toContain(`${major}.${minor}`);
		// n8n's own number is one ahead of its engine's in that line.
		expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
		for (const page of readmes) expect(read(page)).toMatch(/1\.123\D.*2\.8\D.*2\.41/);
	});

	test('of the package are this one', () => {
		const compose = parse(readFileSync(join(root, 'docs/queue-mode/compose.yaml'), 'utf8')) as {
			services: { n8n: { environment: { N8N_COMMUNITY_PACKAGES: string } } };
		};
		const packages = JSON.parse(compose.services.n8n.environment.N8N_COMMUNITY_PACKAGES) as unknown;
		expect(packages).toEqual([{ name: 'n8n-nodes-chatbot-service', version }]);
		for (const page of bothOf('install'))
			expect(read(page)).toContain(`n8n-nodes-chatbot-service-${version}.tgz`);
	});
});
