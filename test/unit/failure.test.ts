import { isDeepStrictEqual } from 'node:util';

import { ofReading, withAdvice, type Advice } from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import { quote, wordsOf } from '../../nodes/ChatbotService/shared/quote';
import { everyFailure, words as said } from '../../tools/failures';
import { hostile } from './hostile';
import { faultsOf } from './sentences';

/* What every failure of a request means, and what it says. docs/tables.yaml names each of them. */

/** By name, without the problems of values, which are in kinds.test.ts. */
const named: Array<[string, Failure[]]> = Object.entries({ ...everyFailure, invalidValues: [] });
const ofRequests = named.flatMap(([, made]) => made);

const ofAccount = `tokenRefused accessRefused underMaintenance redirected webPage unreachable invalidAddress
	invalidPace invalidWorkers certificateRefused proxyRefused withoutHttps handshakeFailed addressBlocked
	refusedByN8n invalidToken manyUnknown unsupportedN8n`;
const harmlessAgain = 'serviceFailed malformedAnswer timedOut interrupted unconfirmed brokenHere';
const afterTrouble = 'tooManyRequests underMaintenance unreachable handshakeFailed';
const unknown = `inDoubt leftUnknown webPage unsupportedN8n noneStored ${harmlessAgain}`;

test.each<[string, Partial<Failure>, string]>([
	['The request may have been processed', { outcome: 'unknown' }, unknown],
	['Others of the operation harm', { concerns: 'operation', outcome: 'unknown' }, 'noneStored'],
	['It is repeated if that does no harm', { repeat: 'ifHarmless' }, `${harmlessAgain} emptyAnswer`],
	['It is repeated after the trouble', { repeat: 'afterTrouble', outcome: 'notDone' }, afterTrouble],
	['Others fail unless one has succeeded', { concerns: 'endpoint', outcome: 'notDone' }, 'unknownEndpoint'],
	['Others of the account would fail too', { concerns: 'account', outcome: 'notDone' }, ofAccount],
])('%s after these failures', (_, properties, names) => {
	const fits = (each: Failure) => isDeepStrictEqual({ ...each, ...properties }, each);
	const found = named.filter(([, made]) => made.some(fits)).map(([name]) => name);
	expect(found.sort()).toEqual(names.split(/\s+/).sort());
});

/** Operations that change something; those that only read have no advice. */
const harmless: Advice = {
	unknown: 'It may have been set. Setting it again does no harm: run it again later.',
};
const once: Advice = { unknown: 'It may have been sent. Check the chat first.' };
const slow: Advice = { ...once, assumedLimits: "If these contacts use WhatsApp, choose it as 'Messenger'." };

const advised =
	/\b(check|choose|correct|enter|fill|open|put|remove|rename|run|save|shorten|start|switch on|try|use)\b/i;

test.each(Object.entries(everyFailure))('%s says what to do, as n8n wants it', (_, made) => {
	for (const failure of made)
		for (const advice of [harmless, once, slow, undefined]) {
			const told = withAdvice(failure, advice, true);
			expect([told, faultsOf(told)]).toEqual([told, []]);
			expect(told.description).toMatch(advised);
			if (advice !== once || failure.outcome !== 'unknown') continue;
			expect(told.description).toMatch(/Check the chat first\./);
			expect(told.description).not.toMatch(/try again|run (it|this)/i);
		}
});

const limit = failures.tooManyRequests();

test.each<[string, Failure, Advice | undefined, boolean, string]>([
	['in doubt', failures.serviceFailed(500), harmless, false, harmless.unknown],
	['in doubt, at a limit', { ...limit, outcome: 'unknown' }, slow, true, once.unknown],
	['in doubt after reading', failures.timedOut(), undefined, false, ofReading],
	['after reading that fails again', failures.webPage(200, ''), undefined, false, ''],
	['at an assumed limit', limit, slow, true, slow.assumedLimits!],
	['at a known limit', limit, slow, false, ''],
])('the first advice %s', (_, failure, advice, hasAssumed, words) => {
	const description = `${words} ${failure.description}`.trim();
	expect(withAdvice(failure, advice, hasAssumed)).toStrictEqual({ ...failure, description });
});

type Expected = Array<{ label: string; whatItIs: string }>;
const noAccess = (expected: Expected, isForeign = false, words?: string) =>
	failures.accessRefused({ expected, isForeign }, words);
const refusedWith = (words?: string) => noAccess([], false, words);
const unknownAt = (status: number, words?: string) => failures.unknownEndpoint(status, [], words);
const ofFramework = [undefined, 'Доступ запрещён.', 'Доступ запрещен', 'Access denied.'];
const ofPlan = 'API plan tariff subscription тариф подписка'.split(' ').map((word) => `Смените: ${word}!`);
const ofPerson = ['Forbidden: bot was blocked by the user', 'Контакт заблокировал бота'];
const noRoute = 'The route api/v1/sendMessage could not be found.';
const noMethod = 'The GET method is not supported for this route.';

test.each<[Failure['concerns'], Failure[]]>([
	['account', [...ofFramework, ...ofPlan].map(refusedWith)],
	['account', [unknownAt(404, noRoute), unknownAt(405), unknownAt(405, noMethod)]],
	['endpoint', [unknownAt(404)]],
	[undefined, [...ofPerson.map(refusedWith), unknownAt(404, 'Нет контакта.')]],
	[undefined, [noAccess([], true)]],
])('the words of a refusal tell what it concerns: %s', (concerns, made) => {
	expect(made.filter((each) => each.concerns !== concerns)).toEqual([]);
});

const contact = { label: 'Контакт', whatItIs: 'contact with this ID' };
const list = { label: 'Список', whatItIs: 'list with this ID' };
const tag = { label: 'Тег', whatItIs: 'tag with this name' };
const notThere = failures.notFound([contact, list]);
const saying = (words: string) => failures.notFound([contact, tag], words);
const [one, other] = [1, 2].map((place) => ({ message: `'Поле ${place}'`, advice: `Поле ${place}.` }));

test.each<[keyof Failure, RegExp | string, Failure]>([
	// The likeliest cause comes first.
	['description', /^Check that the plan .*access\.$/, noAccess([])],
	['description', /^Check that the plan .* Check 'Контакт': it must belong/, noAccess([contact])],
	['description', /^Check 'Контакт', 'Список': they .* Check that/, noAccess([contact, list], true)],
	['description', /^Check 'Контакт', 'Список'\. If .*'Base URL'/, notThere],
	['description', /^Check 'Base URL'[^']*$/, unknownAt(404)],
	['description', /^Check 'Base URL'.* check 'Контакт'\.$/, failures.unknownEndpoint(404, [contact])],
	['message', /^No contact with this ID or no list with this ID in this account$/, notThere],
	// As far as the service says which of them.
	['message', /^No tag with this name in this account$/, saying('Тег не найден.')],
	[
		'message',
		/^No contact with this ID in this account$/,
		saying('No query results for model [App\\Contact] 7'),
	],
	['description', /^Check 'Тег'\. If/, saying('Тег не найден.')],
	['message', /^No contact with this ID or no tag with/, saying('Метатег не найден.')],
	['message', /^No contact with this ID or no tag with/, saying('У контакта нет тега.')],
	['description', /^Поле 1\. Поле 2\.$/, failures.invalidValues([one!, other!])],
	['description', 'n8n says: "Нет связи".', failures.credentialUnreadable(new Error('Нет связи'))],
	['description', 'n8n says: "Нет. Закрыто".', failures.refusedByN8n(['Нет', 'Закрыто', 'Нет'])],
	['description', 'Nothing was sent. There is no server. Check', failures.unreachable('There is no server.')],
	['description', "Do not change 'Рассылка' in the broadcast", failures.inDoubt('Рассылка', once.unknown)],
	['description', `${once.unknown} When this execution ran before`, failures.leftUnknown(once.unknown)],
])('a %s contains %p', (part, expected, failure) => {
	expect(failure[part]).toMatch(expected);
});

test('the words of the service end the description', () => {
	const quoting = ofRequests.filter(({ description }) => description.includes(said));
	expect(quoting).toHaveLength(11);
	for (const { description } of quoting)
		expect(description.endsWith(`The service says: "${said}".`)).toBe(true);
	// n8n replaces some messages by their words.
	for (const { message } of ofRequests) expect(message).not.toContain(said);
});

const loop: { self?: unknown } = {};
loop.self = loop;

test.each<[unknown, string]>([
	[' Привет \n\n мир ', '"Привет мир"'],
	[loop, '"[object Object]"'],
	['я'.repeat(500), `"${'я'.repeat(500)}"`],
	['я'.repeat(501), `"${'я'.repeat(500)}…"`],
])('a quotation of %p is short, and on one line', (words, quoted) => expect(quote(words)).toBe(quoted));

test.each<[unknown, string]>([
	[new Error('Нет узла'), 'Нет узла'],
	[{ message: 'Нет узла', description: 'Узел удалён' }, 'Нет узла Узел удалён'],
	[{ message: 'Нет узла', description: 'Нет узла' }, 'Нет узла'],
	[{ message: 5, description: ['Нет'] }, ''],
])('the words of the error %j are all that it says', (error, words) => expect(wordsOf(error)).toBe(words));

test.each(hostile)('an error may be anything: %s', (_, make) => {
	expect(wordsOf(make())).toEqual(expect.any(String));
});
