import * as failures from '../../nodes/ChatbotService/client/failure';
import { withAdvice } from '../../nodes/ChatbotService/client/advice';
import type { Expected, Advice } from '../../nodes/ChatbotService/client/advice';
import type { Failure } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { everyFailure, words as said } from '../../tools/failures';
import { faultsOf, replacedNames } from './sentences';

/* The wording of every failure of a request. Other tests take it from the functions that make a failure. */

type Name = keyof typeof failures;

const refused = 'not done, and would not be the next time either';
const inDoubt = 'may have been done';
const ofAccount = 'not done, nor is anything else with these settings';
const outsideHours = 'not done, nor is anything else at this hour';
const trouble = 'not done, and may be done when the trouble is over';
const meanings = {
	[refused]: { outcome: 'notDone', repeat: 'pointless', concerns: undefined },
	[ofAccount]: { outcome: 'notDone', repeat: 'pointless', concerns: 'account' },
	[trouble]: { outcome: 'notDone', repeat: 'afterTrouble', concerns: 'account' },
	'not done because of a limit': { outcome: 'notDone', repeat: 'afterTrouble', concerns: 'limit' },
	[outsideHours]: { outcome: 'notDone', repeat: 'pointless', concerns: 'hours' },
	'brought nothing': { outcome: 'notDone', repeat: 'ifHarmless', concerns: undefined },
	[inDoubt]: { outcome: 'unknown', repeat: 'ifHarmless', concerns: undefined },
	'may have been done, but would come to the same again': {
		...{ outcome: 'unknown', repeat: 'pointless', concerns: undefined },
	},
} satisfies Record<string, Pick<Failure, 'outcome' | 'repeat' | 'concerns'>>;
type Meaning = keyof typeof meanings;

/** What happened, and what it means. The sentences about values are in problems.test.ts. */
const table: { [name in Exclude<Name, 'invalidValues'>]: Array<[message: string, meaning: Meaning]> } = {
	unknownOperation: [["'Resource' and 'Operation' do not name an operation of this node", refused]],
	credentialUnreadable: [['The credential of the node cannot be read', refused]],
	credentialDiffers: [
		[
			'The credential of the node has expressions that give another address or token for other items',
			refused,
		],
	],
	notRecorded: [['n8n could not record this message before sending, so nothing was sent', refused]],
	recordTaken: [
		[
			"n8n could not record this message because of 'Remove Duplicates' in this workflow, so nothing was sent",
			refused,
		],
	],
	inDoubt: [
		[
			'This message may have been sent already, so the node did not send it again',
			'may have been done, but would come to the same again',
		],
	],
	leftUnknown: [
		[
			'The service may have processed this item already, so the node did not send it again',
			'may have been done, but would come to the same again',
		],
	],
	tokenRefused: [['The service does not accept the token', ofAccount]],
	accessRefused: [
		['The service refused access', ofAccount],
		['The service refused access', refused],
	],
	notFound: [['No contact with this ID in this account', refused]],
	unknownEndpoint: [
		['The service does not have this endpoint', ofAccount],
		['The service does not have this endpoint', refused],
	],
	valuesRefused: [
		["The service refused the value of '…'", refused],
		['The service refused the request', refused],
	],
	valuesMissing: [["The service requires '…'", refused]],
	tooManyRequests: [["The service's limit of requests was reached", 'not done because of a limit']],
	serviceFailed: [['The service failed to process the request (HTTP 500)', inDoubt]],
	underMaintenance: [['The service is under maintenance', trouble]],
	requestTooLong: [['The request is too long for the service', refused]],
	redirected: [['The service redirected the request instead of answering it', ofAccount]],
	webPage: [
		[
			'The service answered with a web page instead of data (HTTP 200)',
			'may have been done, but would come to the same again',
		],
		['The service answered with a web page instead of data (HTTP 404)', ofAccount],
	],
	emptyAnswer: [['The service sent an empty answer instead of data', 'brought nothing']],
	malformedAnswer: [['The answer of the service cannot be read', inDoubt]],
	unreachable: [['The service cannot be reached', trouble]],
	invalidAddress: [["'Base URL' in the credential is not a valid URL", ofAccount]],
	invalidPace: [["'Requests per Second' in the credential must be a number, 0 or more", ofAccount]],
	invalidWorkers: [["'Workers' in the credential must be a whole number, 1 or more", ofAccount]],
	certificateRefused: [["The service's certificate is not trusted", ofAccount]],
	proxyRefused: [['The proxy between n8n and the service requires a user name and a password', ofAccount]],
	timedOut: [['The service did not answer in time', inDoubt]],
	interrupted: [['The connection to the service was lost before the answer', inDoubt]],
	withoutHttps: [['The server at this address does not support HTTPS', ofAccount]],
	handshakeFailed: [
		['The server did not set up a secure connection', trouble],
		['The server did not set up a secure connection', ofAccount],
	],
	refusedByN8n: [['n8n did not send the request', ofAccount]],
	invalidToken: [
		["'API Token' in the credential contains characters that are not allowed in a header", ofAccount],
		["'Token Name' in the credential contains characters that are not allowed in a header", ofAccount],
	],
	unconfirmed: [['The service did not confirm the request', inDoubt]],
	filterIgnored: [['The service returned items that do not match the filters', refused]],
	outsideHours: [['Not attempted: messages leave only from 09:00 until 21:00 (Europe/Moscow)', outsideHours]],
	tagsMissing: [
		['The service returned the contacts without their tags, so they cannot be filtered by tag', refused],
	],
	endlessPages: [['The service does not number its pages as expected', refused]],
	manyUnknown: [['The outcome of 20 items in a row is unknown', ofAccount]],
	notAttempted: [
		['Nothing was sent. The service does not accept the token', refused],
		['Nothing was sent. The service cannot be reached', refused],
	],
	brokenHere: [
		['This node could not process the item', refused],
		['This node could not process the item', inDoubt],
	],
};

test.each(Object.entries(table))('%s says what happened, and what it means', (name, rows) => {
	const made = everyFailure[name as Name].map(({ message, outcome, repeat, concerns }) => ({
		...{ message, outcome, repeat, concerns },
	}));
	const told = rows.map(([message, meaning]) => ({ message, ...meanings[meaning] }));
	expect(made).toEqual(expect.arrayContaining(told));
	expect(told).toEqual(expect.arrayContaining(made));
});

test.each<[string, boolean, Failure]>([
	['names nothing', true, failures.accessRefused(403, { expected: [], isForeign: false })],
	...['Forbidden', 'Доступ запрещён.', 'Ваш тариф не включает API'].map(
		(words): [string, boolean, Failure] => [
			...([`says "${words}"`, true] as const),
			failures.accessRefused(403, { expected: [], isForeign: false }, words),
		],
	),
	...['Контакт заблокировал бота', 'Forbidden: bot was blocked by the user'].map(
		(words): [string, boolean, Failure] => [
			...([`says "${words}"`, false] as const),
			failures.accessRefused(403, { expected: [], isForeign: false }, words),
		],
	),
	['is for a foreign record', false, failures.accessRefused(403, { expected: [], isForeign: true })],
])('a refusal of access that %s concerns the account: %p', (_, isOfAccount, { concerns }) => {
	expect(concerns === 'account').toBe(isOfAccount);
});

test('a web page under a status of success may be the answer to a request that was processed', () => {
	expect([299, 300].map((status) => failures.webPage(status, undefined).outcome)).toEqual([
		'unknown',
		'notDone',
	]);
});

const contact: Expected = { label: 'Контакт', whatItIs: 'contact with this ID' };
const list: Expected = { label: 'Список', whatItIs: 'list with this ID' };

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
const ofReading = 'Nothing was changed. Try again later.';

const all = Object.entries(everyFailure).flatMap(([name, made]) =>
	made.map((failure, index): [string, Failure] => [`${name} ${index + 1}`, failure]),
);

/** As a user reads them. */
const read = all.flatMap(([name, failure]) =>
	Object.entries({ harmless, once, slow, reading }).map(([kind, advice]): [string, Failure] => [
		`${name}, ${kind}`,
		withAdvice(failure, advice, true),
	]),
);

test('the names that n8n replaces in messages are found in its code', () => {
	expect(replacedNames.length).toBeGreaterThan(10);
	expect(replacedNames).toEqual(expect.arrayContaining(['ENOENT', 'EPERM']));
});

test.each(read)(
	'a failure says what happened and what to do, in a text that n8n keeps and its guidelines allow: %s',
	(_, failure) => {
		expect(faultsOf(failure)).toEqual([]);
		expect(failure.description).toMatch(
			/\b(check|choose|correct|enter|fill|open|put|remove|run|save|shorten|start|switch on|try|use)\b/i,
		);
	},
);

test.each(read.filter(([name, { outcome }]) => name.endsWith('once') && outcome === 'unknown'))(
	'a failure with an unknown outcome advises a check before a retry: %s',
	(_, { description }) => {
		expect(description).toMatch(/Check the chat first\./);
		expect(description).not.toMatch(/try again|run (it|this)/i);
	},
);

test('every failure has its own message', () => {
	const messages = Object.values(table).map(([row]) => row![0].replace(/\d+/, ''));
	expect(new Set(messages).size).toBe(messages.length);
});

describe('the first sentence', () => {
	/** An attempt before the refusal may have done it. */
	const inDoubtAtLimit: Failure = { ...failures.tooManyRequests(429), outcome: 'unknown' };
	const each = [...all.map(([, failure]) => failure), inDoubtAtLimit];

	const isUnknown = ({ outcome }: Failure) => outcome === 'unknown';
	const isRepeated = (failure: Failure) => isUnknown(failure) && failure.repeat === 'ifHarmless';
	const isPointless = (failure: Failure) => isUnknown(failure) && failure.repeat === 'pointless';
	const isLimited = (failure: Failure) => !isUnknown(failure) && failure.concerns === 'limit';
	const isOther = (failure: Failure) => !isUnknown(failure) && !isLimited(failure);
	const either = [true, false];

	test.each<[string, (failure: Failure) => boolean, Array<Advice | undefined>, boolean[], string]>([
		['in doubt is the text of the operation', isUnknown, [harmless], either, harmless.unknown],
		['in doubt is that text, whatever was assumed', isUnknown, [once, slow], either, once.unknown],
		['in doubt after reading is that nothing was changed', isRepeated, [reading], either, ofReading],
		['after reading that would fail again is what to do', isPointless, [reading], either, ''],
		['at a limit is that it was only assumed', isLimited, [slow], [true], slow.assumedLimits!],
		['at a limit is what to do if no limit was assumed', isLimited, [slow], [false], ''],
		['at any other limit is what to do', isLimited, [harmless, once, reading], either, ''],
		['otherwise is what to do', isOther, [harmless, once, slow, reading], either, ''],
	])('%s', (_, applies, advices, assumed, words) => {
		for (const failure of each.filter(applies)) {
			const description = `${words} ${failure.description}`.trim();
			for (const advice of advices)
				for (const hasAssumed of assumed)
					expect(withAdvice(failure, advice, hasAssumed)).toStrictEqual({ ...failure, description });
		}
	});
});

const plan = 'Check that the plan of the account includes API access.';
const ownerOf = (labels: string, they: string) =>
	`Check ${labels}: ${they} must belong to the account whose token is in the credential.`;
const wrongAddress = "Check 'Base URL' in the credential: it must be the address of the service.";
const nothingEver = "If the service never finds anything, check 'Base URL' in the credential.";

const accessRefused = (expected: Expected[], isForeign: boolean) =>
	failures.accessRefused(403, { expected, isForeign });
const notFound = (expected: Expected[]) => failures.notFound(404, expected);
const unknownEndpoint = (expected: Expected[]) => failures.unknownEndpoint(404, expected);
const valuesRefused = (labels: string[]) => failures.valuesRefused(422, labels, '');
const theirs = ownerOf("'Контакт', 'Список'", 'they');

test.each<[string, string, Failure]>([
	['no record is named', plan, accessRefused([], true)],
	['a record may be foreign', `${plan} ${ownerOf("'Контакт'", 'it')}`, accessRefused([contact], false)],
	['a record is foreign', `${ownerOf("'Контакт'", 'it')} ${plan}`, accessRefused([contact], true)],
	['one of two records is foreign', `${theirs} ${plan}`, accessRefused([contact, list], true)],
	['a record is missing', `Check 'Контакт'. ${nothingEver}`, notFound([contact])],
	['one of two is missing', `Check 'Контакт', 'Список'. ${nothingEver}`, notFound([contact, list])],
	['an endpoint is missing', wrongAddress, unknownEndpoint([])],
	[
		'an endpoint or a record is missing',
		`${wrongAddress} If other operations work, check 'Контакт'.`,
		unknownEndpoint([contact]),
	],
	['values are refused', 'Correct it, then try again.', valuesRefused(['Текст', 'Картинка'])],
	['a request is refused', 'Correct the values, then try again.', valuesRefused([])],
])('the description says what to check if %s', (_, description, failure) => {
	expect(failure.description).toBe(description);
});

test('several records and several fields are listed in the message', () => {
	expect(notFound([contact, list]).message).toBe(
		'No contact with this ID or no list with this ID in this account',
	);
	expect(valuesRefused(['Текст', 'Картинка']).message).toBe(
		"The service refused the value of 'Текст', 'Картинка'",
	);
});

const serviceSays = `The service says: "${said}".`;
const withWords = Object.entries(everyFailure).filter(([, made]) =>
	made.some(({ description }) => description.includes(said) && !description.includes('n8n says')),
);

test('the words of the service are at the end of the description, after all advice', () => {
	expect(withWords.map(([name]) => name)).toEqual([
		...['tokenRefused', 'accessRefused', 'notFound', 'unknownEndpoint', 'valuesRefused'],
		...['valuesMissing', 'tooManyRequests', 'serviceFailed', 'underMaintenance', 'unconfirmed'],
	]);
	for (const [, made] of withWords)
		for (const { message, description } of made) {
			expect(message).not.toContain(said);
			if (description.includes(said)) expect(description.endsWith(serviceSays)).toBe(true);
		}
});

const broken = new Error('Нет связи');

/** What the description of each failure must say. */
const told: Array<[string, Failure]> = [
	['Received: "message" and "forward".', failures.unknownOperation('message', 'forward')],
	['n8n says: "Нет связи".', failures.credentialUnreadable(broken)],
	['n8n says: "Нет связи".', failures.credentialUnreadable('Нет связи')],
	['n8n says: "Нет связи".', failures.notRecorded(broken)],
	['n8n says: "Нет связи".', failures.notRecorded('Нет связи')],
	['The service answered: "{"ok":1}".', failures.malformedAnswer(200, { ok: 1 })],
	['It leads to "/login".', failures.redirected(302, '/login')],
	['The page is titled "Вход".', failures.webPage(200, 'Вход')],
	['The service answered: "Готово".', failures.unconfirmed(200, 'Готово')],
	['Nothing was sent. There is no server. Check', failures.unreachable('There is no server.')],
	['Nothing was sent. Check whether', failures.handshakeFailed('', 'afterTrouble')],
	['without line breaks or invisible characters', failures.invalidToken('API Token')],
	["Correct 'Token Name'", failures.invalidToken('Token Name')],
	['n8n says: "Нет доступа. Закрыто".', failures.refusedByN8n(['Нет доступа', 'Закрыто', 'Нет доступа'])],
	['report this text to the author of the node: "Сбой".', failures.brokenHere('Сбой', 'notDone')],
	['The reason is EPIPE.', failures.interrupted('The reason is EPIPE.')],
	['Try again. If this happens again, ', failures.emptyAnswer(200)],
	['Nothing was done. ', failures.underMaintenance(503)],
	["set a higher 'Timeout' under 'Request Options'", failures.timedOut()],
	["If 'Proxy' is set under 'Request Options'", failures.unreachable('')],
	["'Proxy' under 'Request Options'", failures.proxyRefused(407)],
	["raise 'Workers' in the credential", failures.tooManyRequests(429)],
	["lower 'Requests per Second' there", failures.tooManyRequests(429)],
	["with another value of 'Рассылка'", failures.inDoubt('Рассылка', once.unknown)],
	[`${harmless.unknown} When this execution ran before`, failures.leftUnknown(harmless.unknown)],
];

test.each(told)('a description says %j', (part, { description }) => {
	expect(description).toContain(part);
});

test('several faults of an item are one failure, with a sentence for each', () => {
	const empty = { message: "'Текст' is empty", advice: "Fill in 'Текст'." };
	const number = { message: "'Бот' must be a whole number", advice: 'Give the number.' };
	expect(failures.invalidValues([empty, number])).toEqual({
		message: `${empty.message}; ${number.message}`,
		description: `${empty.advice} ${number.advice}`,
		...meanings[refused],
	});
});

test.each(
	Object.entries(everyFailure).filter(([name]) => String(failures[name as Name]).startsWith('(status')),
)('a failure keeps the status of the answer: %s', (_, made) => {
	for (const { status } of made) expect(status).toBeGreaterThanOrEqual(200);
});

test('the requested wait is kept', () => {
	for (const make of [failures.tooManyRequests, failures.serviceFailed, failures.underMaintenance])
		expect(make(503, 7000)).toMatchObject({ status: 503, retryAfterMs: 7000 });
});

test.each<[string, Failure]>([
	['run', failures.inDoubt('Рассылка', once.unknown)],
	['try of the execution', failures.leftUnknown(once.unknown)],
])('the text says to check what an earlier %s has left in doubt before a retry', (_, failure) => {
	expect(failure.description).toMatch(/Check the chat first\. .*If .* not /);
	expect(failure.description).not.toMatch(/try again/i);
});

describe('a quotation', () => {
	const loop: { self?: unknown } = {};
	loop.self = loop;

	test.each<[unknown, string]>([
		['Привет', '"Привет"'],
		[' Привет \n\n мир ', '"Привет мир"'],
		['', '""'],
		[5, '"5"'],
		[NaN, '"NaN"'],
		[-Infinity, '"-Infinity"'],
		[true, '"true"'],
		[null, '"null"'],
		[undefined, '"undefined"'],
		[{ a: ['б'] }, '"{"a":["б"]}"'],
		[Symbol('с'), '"Symbol(с)"'],
		[loop, '"[object Object]"'],
		['я'.repeat(500), `"${'я'.repeat(500)}"`],
		['я'.repeat(501), `"${'я'.repeat(500)}…"`],
	])('of %p is its text in one line, shortened if it is long', (words, quoted) => {
		expect(quote(words)).toBe(quoted);
	});
});
