import { isDeepStrictEqual } from 'node:util';

import {
	ofReading,
	withAdvice,
	type Advice,
	type Expected,
} from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import { quote } from '../../nodes/ChatbotService/shared/quote';
import { everyFailure, words as said } from '../../tools/failures';
import { faultsOf } from './sentences';

/* What every failure of a request means, and what it says. docs/tables.yaml names each of them. */

/** By name, without the problems of values, which are in problems.test.ts. */
const named: Array<[string, Failure[]]> = Object.entries({ ...everyFailure, invalidValues: [] });
const ofRequests = named.flatMap(([, made]) => made);

test.each<[string, Partial<Failure>, string]>([
	[
		'The request may have been processed',
		{ outcome: 'unknown' },
		`inDoubt leftUnknown serviceFailed webPage malformedAnswer timedOut interrupted unconfirmed brokenHere
		unsupportedN8n noneStored`,
	],
	[
		'The other requests of the operation would do harm',
		{ concerns: 'operation', outcome: 'unknown' },
		'noneStored',
	],
	[
		'The request is repeated if that does no harm',
		{ repeat: 'ifHarmless' },
		'serviceFailed emptyAnswer malformedAnswer timedOut interrupted unconfirmed brokenHere',
	],
	[
		'The request is repeated after the trouble',
		{ repeat: 'afterTrouble', outcome: 'notDone' },
		'tooManyRequests underMaintenance unreachable handshakeFailed',
	],
	[
		'The other requests of the account would fail too, unless one has succeeded,',
		{ concerns: 'endpoint', outcome: 'notDone' },
		'unknownEndpoint',
	],
	[
		'The other requests of the account would fail too',
		{ concerns: 'account', outcome: 'notDone' },
		`tokenRefused accessRefused underMaintenance redirected webPage unreachable invalidAddress invalidPace
		invalidWorkers certificateRefused proxyRefused withoutHttps handshakeFailed addressBlocked refusedByN8n invalidToken
		manyUnknown credentialChanges unsupportedN8n`,
	],
])('%s after these failures and no others', (_, properties, names) => {
	const fits = (each: Failure) => isDeepStrictEqual({ ...each, ...properties }, each);
	const found = named.filter(([, made]) => made.some(fits)).map(([name]) => name);
	expect(found.sort()).toEqual(names.split(/\s+/).sort());
});

/** Operations that change something. */
const harmless: Advice = {
	unknown: 'It may have been set. Setting it again does no harm: run it again later.',
};
const once: Advice = { unknown: 'It may have been sent. Check the chat first.' };
const slow: Advice = { ...once, assumedLimits: "If these contacts use WhatsApp, choose it as 'Messenger'." };
/** Operations that only read. */
const reading = undefined;

test.each(Object.entries(everyFailure))(
	'%s says what to do, in words that n8n and its guidelines allow',
	(_, made) => {
		for (const failure of made)
			for (const advice of [harmless, once, slow, reading]) {
				const told = withAdvice(failure, advice, true);
				expect([told, faultsOf(told)]).toEqual([told, []]);
				expect(told.description).toMatch(
					/\b(check|choose|correct|enter|fill|open|put|remove|rename|run|save|shorten|start|switch on|try|use)\b/i,
				);
				if (advice !== once || failure.outcome !== 'unknown') continue;
				expect(told.description).toMatch(/Check the chat first\./);
				expect(told.description).not.toMatch(/try again|run (it|this)/i);
			}
	},
);

const limit = failures.tooManyRequests(429);

test.each<[string, Failure, Advice | undefined, boolean, string]>([
	['in doubt is the text of the operation', failures.serviceFailed(500), harmless, false, harmless.unknown],
	['in doubt is that text, whatever was assumed', { ...limit, outcome: 'unknown' }, slow, true, once.unknown],
	['in doubt after reading is that nothing was changed', failures.timedOut(), reading, false, ofReading],
	['after reading that would fail again is what to do', failures.webPage(200, ''), reading, false, ''],
	['at a limit is that it was only assumed', limit, slow, true, slow.assumedLimits!],
	['at a limit is what to do if no limit was assumed', limit, slow, false, ''],
	['at any other limit is what to do', limit, once, true, ''],
	['otherwise is what to do', failures.tokenRefused(401), slow, true, ''],
])('the first sentence %s', (_, failure, advice, hasAssumed, words) => {
	const description = `${words} ${failure.description}`.trim();
	expect(withAdvice(failure, advice, hasAssumed)).toStrictEqual({ ...failure, description });
});

test.each<[string | undefined, boolean, 'account' | undefined]>([
	[undefined, false, 'account'],
	['Доступ запрещён.', false, 'account'],
	['Доступ запрещен', false, 'account'],
	['Access denied.', false, 'account'],
	...['API', 'plan', 'tariff', 'subscription', 'тариф', 'подписка'].map(
		(word): [string, boolean, 'account'] => [`Смените: ${word}!`, false, 'account'],
	),
	['Forbidden: bot was blocked by the user', false, undefined],
	['Контакт заблокировал бота', false, undefined],
	[undefined, true, undefined],
])(
	'a refusal of access with the words %j, of a foreign record: %p, concerns: %p',
	(words, isForeign, concerned) => {
		const { concerns } = failures.accessRefused(403, { expected: [], isForeign }, words);
		expect(concerns).toBe(concerned);
	},
);

test.each<[number, string | undefined, Failure['concerns']]>([
	[404, undefined, 'endpoint'],
	[404, 'The route api/v1/sendMessage could not be found.', 'account'],
	[404, 'Нет контакта.', undefined],
	[405, undefined, 'account'],
	[405, 'The GET method is not supported for this route.', 'account'],
])('a missing endpoint with the status %i and the words %j concerns: %p', (status, words, concerned) => {
	expect(failures.unknownEndpoint(status, [], words).concerns).toBe(concerned);
});

const contact: Expected = { label: 'Контакт', whatItIs: 'contact with this ID' };
const list: Expected = { label: 'Список', whatItIs: 'list with this ID' };
const notThere = failures.notFound(404, [contact, list]);
const refused = failures.valuesRefused(422, ['Текст', 'Картинка'], '');
const noAccess = (expected: Expected[], isForeign: boolean) =>
	failures.accessRefused(403, { expected, isForeign }).description;
const noEndpoint = (expected: Expected[]) => failures.unknownEndpoint(404, expected).description;

test('the description says what to check, the likeliest cause first', () => {
	expect(noAccess([], false)).toMatch(/^Check that the plan .*access\.$/);
	expect(noAccess([contact], false)).toMatch(/^Check that the plan .* Check 'Контакт': it must belong/);
	expect(noAccess([contact, list], true)).toMatch(/^Check 'Контакт', 'Список': they .* Check that the plan/);
	expect(notThere.description).toMatch(/^Check 'Контакт', 'Список'\. If .*'Base URL'/);
	expect(noEndpoint([])).toMatch(/^Check 'Base URL'[^']*$/);
	expect(noEndpoint([contact])).toMatch(/^Check 'Base URL'.* check 'Контакт'\.$/);
});

test('several records, fields and faults are listed in the message', () => {
	expect(notThere.message).toBe('No contact with this ID or no list with this ID in this account');
	expect(refused.message).toBe("The service rejected the value of 'Текст', 'Картинка'");
	const [one, other] = [1, 2].map((place) => ({ message: `'Поле ${place}'`, advice: `Поле ${place}.` }));
	const wrong = { message: "'Поле 1'; 'Поле 2'", description: 'Поле 1. Поле 2.', outcome: 'notDone' };
	expect(failures.invalidValues([one!, other!])).toMatchObject(wrong);
});

test('the words of the service are at the end of the description, after all advice, and never in the message', () => {
	const quoting = ofRequests.filter(({ description }) => description.includes(said));
	expect(quoting).toHaveLength(11);
	for (const { description } of quoting)
		expect(description.endsWith(`The service says: "${said}".`)).toBe(true);
	for (const { message } of ofRequests) expect(message).not.toContain(said);
});

test.each<[string, Failure]>([
	['Received: "message" and "forward".', failures.unknownOperation('message', 'forward')],
	['n8n says: "Нет связи".', failures.credentialUnreadable(new Error('Нет связи'))],
	['n8n says: "Нет доступа. Закрыто".', failures.refusedByN8n(['Нет доступа', 'Закрыто', 'Нет доступа'])],
	['n8n says: "Адрес закрыт".', failures.addressBlocked(['Адрес закрыт', 'Адрес закрыт'])],
	['The service responded: "{"ok":1}".', failures.malformedAnswer(200, { ok: 1 })],
	['It leads to "/login".', failures.redirected(302, '/login')],
	['The page is titled "Вход".', failures.webPage(200, 'Вход')],
	['report this text to the author of the node: "Сбой".', failures.brokenHere('Сбой', 'notDone')],
	['Nothing was sent. There is no server. Check', failures.unreachable('There is no server.')],
	["Correct 'Parameter or Header Name'", failures.invalidToken('Parameter or Header Name')],
	["with another value of 'Рассылка'", failures.inDoubt('Рассылка', once.unknown)],
	[`${harmless.unknown} When this execution ran before`, failures.leftUnknown(harmless.unknown)],
])('a description says %j', (part, { description }) => {
	expect(description).toContain(part);
});

const loop: { self?: unknown } = {};
loop.self = loop;

test.each<[unknown, string]>([
	[' Привет \n\n мир ', '"Привет мир"'],
	[Symbol('с'), '"Symbol(с)"'],
	[loop, '"[object Object]"'],
	['я'.repeat(500), `"${'я'.repeat(500)}"`],
	['я'.repeat(501), `"${'я'.repeat(500)}…"`],
])('a quotation of %p is its text in one line, shortened if it is long', (words, quoted) => {
	expect(quote(words)).toBe(quoted);
});
