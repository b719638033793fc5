import { withAdvice, type Advice, type Expected } from '../../nodes/ChatbotService/client/advice';
import * as failures from '../../nodes/ChatbotService/client/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { everyFailure, words as said } from '../../tools/failures';
import { faultsOf, replacedNames } from './sentences';

/* The wording of every failure of a request. Other tests take it from the functions that make a failure. */

/** Without the sentences about values, which are in problems.test.ts. */
const ofRequests: Failure[] = Object.values({ ...everyFailure, invalidValues: [] }).flat();

const meaningOf = ({ outcome, repeat, concerns }: Failure) =>
	`${outcome}, repeated: ${repeat}, concerns ${concerns ?? 'the item'}`;

test('every failure says what happened, and has its meaning', () => {
	const told: Record<string, string[]> = {};
	for (const failure of ofRequests) (told[meaningOf(failure)] ??= []).push(failure.message);
	const distinct = Object.entries(told).map(([meaning, messages]) => [meaning, [...new Set(messages)]]);
	expect(Object.fromEntries(distinct)).toEqual({
		'notDone, repeated: pointless, concerns the item': [
			"'Resource' and 'Operation' do not name an operation of this node",
			'The credential of the node cannot be read',
			'The credential of the node has expressions that give another address or token for other items',
			'n8n could not record this message before sending, so nothing was sent',
			"n8n could not record this message because of 'Remove Duplicates' in this workflow, so nothing was sent",
			'The service refused access',
			'No contact with this ID in this account',
			'The service does not have this endpoint',
			"The service refused the value of '…'",
			'The service refused the request',
			"The service requires '…'",
			'The request is too long for the service',
			'The service does not number its pages as expected',
			'The service returned items that do not match the filters',
			'The service returned the contacts without their tags, so they cannot be filtered by tag',
			'Nothing was sent. The service does not accept the token',
			'Nothing was sent. The service cannot be reached',
			'This node could not process the item',
		],
		'notDone, repeated: pointless, concerns account': [
			'The service does not accept the token',
			'The service refused access',
			'The service does not have this endpoint',
			'The service redirected the request instead of answering it',
			'The service answered with a web page instead of data (HTTP 404)',
			"'Base URL' in the credential is not a valid URL",
			"'Requests per Second' in the credential must be a number, 0 or more",
			"'Workers' in the credential must be a whole number, 1 or more",
			"The service's certificate is not trusted",
			'The proxy between n8n and the service requires a user name and a password',
			'The server at this address does not support HTTPS',
			'The server did not set up a secure connection',
			'n8n did not send the request',
			"'API Token' in the credential contains characters that are not allowed in a header",
			"'Token Name' in the credential contains characters that are not allowed in a header",
			'The outcome of 20 items in a row is unknown',
		],
		'notDone, repeated: pointless, concerns hours': [
			'Not attempted: messages leave only from 09:00 until 21:00 (Europe/Moscow)',
		],
		'notDone, repeated: afterTrouble, concerns account': [
			'The service is under maintenance',
			'The service cannot be reached',
			'The server did not set up a secure connection',
		],
		'notDone, repeated: afterTrouble, concerns limit': ["The service's limit of requests was reached"],
		'notDone, repeated: ifHarmless, concerns the item': ['The service sent an empty answer instead of data'],
		'unknown, repeated: ifHarmless, concerns the item': [
			'The service failed to process the request (HTTP 500)',
			'The answer of the service cannot be read',
			'The service did not answer in time',
			'The connection to the service was lost before the answer',
			'The service did not confirm the request',
			'This node could not process the item',
		],
		'unknown, repeated: pointless, concerns the item': [
			'This message may have been sent already, so the node did not send it again',
			'The service may have processed this item already, so the node did not send it again',
			'The service answered with a web page instead of data (HTTP 200)',
		],
	});
});

/** Operations that change something. */
const harmless: Advice = {
	unknown: 'It may have been set. Setting it again does no harm: run it again later.',
};
const once: Advice = {
	unknown: 'It may have been sent, so the node did not send it again. Check the chat first.',
};
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
					/\b(check|choose|correct|enter|fill|open|put|remove|run|save|shorten|start|switch on|try|use)\b/i,
				);
				if (advice !== once || failure.outcome !== 'unknown') continue;
				expect(told.description).toMatch(/Check the chat first\./);
				expect(told.description).not.toMatch(/try again|run (it|this)/i);
			}
	},
);

test('the names that n8n replaces in messages are found in its code', () => {
	expect(replacedNames).toEqual(expect.arrayContaining(['ENOENT', 'EPERM']));
});

const limit = failures.tooManyRequests(429);

test.each<[string, Failure, Advice | undefined, boolean, string]>([
	['in doubt is the text of the operation', failures.serviceFailed(500), harmless, false, harmless.unknown],
	['in doubt is that text, whatever was assumed', { ...limit, outcome: 'unknown' }, slow, true, once.unknown],
	[
		'in doubt after reading is that nothing was changed',
		failures.timedOut(),
		reading,
		false,
		'Nothing was changed. Try again later.',
	],
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
	['Ваш тариф не включает API', false, 'account'],
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

const contact: Expected = { label: 'Контакт', whatItIs: 'contact with this ID' };
const list: Expected = { label: 'Список', whatItIs: 'list with this ID' };
const plan = 'Check that the plan of the account includes API access.';
const mustBelong = 'must belong to the account whose token is in the credential.';
const wrongAddress = "Check 'Base URL' in the credential: it must be the address of the service.";
const nothingEver = "If the service never finds anything, check 'Base URL' in the credential.";
const foreign = (expected: Expected[], isForeign = true) =>
	failures.accessRefused(403, { expected, isForeign });
const notThere = failures.notFound(404, [contact, list]);
const refused = failures.valuesRefused(422, ['Текст', 'Картинка'], '');

test.each<[string, string, Failure]>([
	['no record is named', plan, foreign([])],
	['a record may be foreign', `${plan} Check 'Контакт': it ${mustBelong}`, foreign([contact], false)],
	[
		'one of two records is foreign',
		`Check 'Контакт', 'Список': they ${mustBelong} ${plan}`,
		foreign([contact, list]),
	],
	['one of two is missing', `Check 'Контакт', 'Список'. ${nothingEver}`, notThere],
	['an endpoint is missing', wrongAddress, failures.unknownEndpoint(404, [])],
	[
		'an endpoint or a record is missing',
		`${wrongAddress} If other operations work, check 'Контакт'.`,
		failures.unknownEndpoint(404, [contact]),
	],
	['values are refused', 'Correct it, then try again.', refused],
	['a request is refused', 'Correct the values, then try again.', failures.valuesRefused(400, [], '')],
])('the description says what to check if %s', (_, description, failure) => {
	expect(failure.description).toBe(description);
});

test('several records, fields and faults are listed in the message', () => {
	expect(notThere.message).toBe('No contact with this ID or no list with this ID in this account');
	expect(refused.message).toBe("The service refused the value of 'Текст', 'Картинка'");
	const empty = { message: "'Текст' is empty", advice: "Fill in 'Текст'." };
	const number = { message: "'Бот' must be a whole number", advice: 'Give the number.' };
	expect(failures.invalidValues([empty, number])).toMatchObject({
		message: `${empty.message}; ${number.message}`,
		description: `${empty.advice} ${number.advice}`,
		outcome: 'notDone',
		repeat: 'pointless',
	});
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
	['The service answered: "{"ok":1}".', failures.malformedAnswer(200, { ok: 1 })],
	['It leads to "/login".', failures.redirected(302, '/login')],
	['The page is titled "Вход".', failures.webPage(200, 'Вход')],
	['report this text to the author of the node: "Сбой".', failures.brokenHere('Сбой', 'notDone')],
	['Nothing was sent. There is no server. Check', failures.unreachable('There is no server.')],
	['Nothing was done. ', failures.underMaintenance(503)],
	['without line breaks or invisible characters', failures.invalidToken('API Token')],
	["Correct 'Token Name'", failures.invalidToken('Token Name')],
	["set a higher 'Timeout' under 'Request Options'", failures.timedOut()],
	["'Proxy' under 'Request Options'", failures.proxyRefused(407)],
	["raise 'Workers' in the credential. Otherwise lower 'Requests per Second' there", limit],
	["with another value of 'Рассылка'", failures.inDoubt('Рассылка', once.unknown)],
	[`${harmless.unknown} When this execution ran before`, failures.leftUnknown(harmless.unknown)],
])('a description says %j', (part, { description }) => {
	expect(description).toContain(part);
});

const loop: { self?: unknown } = {};
loop.self = loop;

test.each<[unknown, string]>([
	[' Привет \n\n мир ', '"Привет мир"'],
	[NaN, '"NaN"'],
	[Symbol('с'), '"Symbol(с)"'],
	[loop, '"[object Object]"'],
	['я'.repeat(500), `"${'я'.repeat(500)}"`],
	['я'.repeat(501), `"${'я'.repeat(500)}…"`],
])('a quotation of %p is its text in one line, shortened if it is long', (words, quoted) => {
	expect(quote(words)).toBe(quoted);
});
