import * as failures from '../../nodes/ChatbotService/client/failure';
import { withAdvice } from '../../nodes/ChatbotService/client/advice';
import type { Expected, Advice } from '../../nodes/ChatbotService/client/advice';
import type { Failure } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { faultsOf, replacedNames } from './sentences';

const said = 'Бот остановлен';
const serviceSays = `The service says: "${said}".`;
const contact: Expected = { label: 'Contact ID', whatItIs: 'contact with this ID' };
const list: Expected = { label: 'List', whatItIs: 'list with this ID' };

/** Operations that change something. */
const harmless: Advice = {
	unknown: 'It may have been set. Setting it again does no harm: run it again later.',
};
const once: Advice = {
	unknown: 'It may have been sent, so the node did not send it again. Check the chat first.',
};
const slow: Advice = { ...once, assumedLimits: "If these contacts use WhatsApp, choose it as 'Messenger'." };
/** Operations that only read. */
const reading: Advice = {};
const ofReading = 'Nothing was changed. Try again later.';

const emptyText = { message: "'Text' is empty", advice: "Fill in 'Text'." };
const invalidValues = failures.invalidValues([
	emptyText,
	{ message: "'Bot ID' must be a whole number", advice: 'Give the number.' },
]);

/** The name of a function, the variant if it has several, and the failure that the function makes. */
type Made = [name: string, failure: Failure];

const both = (name: string, make: (words?: string) => Failure): Made[] => [
	[`${name} with words`, make(said)],
	[`${name} without words`, make()],
];

/** Each way in which an item can fail, by its meaning. */
const kinds: Array<[string, Pick<Failure, 'outcome' | 'repeat'>, Made[]]> = [
	[
		'was not done, and would not be the next time either',
		{ outcome: 'notDone', repeat: 'pointless' },
		[
			['invalidValues of one field', failures.invalidValues([emptyText])],
			['invalidValues of two fields', invalidValues],
			['unknownOperation', failures.unknownOperation('message', '={{ $json.operation }}')],
			['credentialUnreadable', failures.credentialUnreadable(new Error('Нет доступа'))],
			['notRecorded', failures.notRecorded(new Error('Нет связи'))],
			...both('tokenRefused', (words) => failures.tokenRefused(401, words)),
			...both('accessRefused', (words) =>
				failures.accessRefused(403, { expected: [], isForeign: false }, words),
			),
			...both('notFound', (words) => failures.notFound(404, [contact], words)),
			...both('unknownEndpoint', (words) => failures.unknownEndpoint(404, [], words)),
			['valuesRefused of a field', failures.valuesRefused(422, ['Text'], said)],
			...both('valuesRefused', (words) => failures.valuesRefused(400, [], words ?? '')),
			['requestTooLong', failures.requestTooLong(414)],
			['redirected somewhere', failures.redirected(302, 'https://example.com/login')],
			['redirected nowhere', failures.redirected(302, undefined)],
			['webPage under 300', failures.webPage(300, undefined)],
			['webPage under 404', failures.webPage(404, 'Вход')],
			['invalidAddress', failures.invalidAddress()],
			['invalidPace', failures.invalidPace('быстро')],
			['certificateRefused', failures.certificateRefused('The reason is CERT_HAS_EXPIRED.')],
			['proxyRefused', failures.proxyRefused(407)],
			['withoutHttps', failures.withoutHttps()],
			['handshakeFailed by an alert', failures.handshakeFailed('', 'pointless')],
			['unsendable', failures.unsendable('Invalid character in header content')],
			['refusedByN8n', failures.refusedByN8n(['Domain not allowed: example.com'])],
			['invalidToken by its value', failures.invalidToken('API Token')],
			['invalidToken by its name', failures.invalidToken('Token Name')],
			['endlessPages', failures.endlessPages('The service returned page 1 instead of page 2.')],
			['brokenHere before it left', failures.brokenHere(new Error('Сбой'), 'notDone')],
		],
	],
	[
		'was not done because of a limit',
		{ outcome: 'notDone', repeat: 'afterLimit' },
		both('tooManyRequests', (words) => failures.tooManyRequests(429, 1000, words)),
	],
	[
		'was not done during maintenance',
		{ outcome: 'notDone', repeat: 'afterMaintenance' },
		both('underMaintenance', (words) => failures.underMaintenance(503, 7000, words)),
	],
	[
		'did not even leave',
		{ outcome: 'notDone', repeat: 'always' },
		[
			['unreachable', failures.unreachable('There is no server with this name.')],
			['handshakeFailed by its end', failures.handshakeFailed('The server closed the connection.', 'always')],
		],
	],
	[
		'brought nothing',
		{ outcome: 'notDone', repeat: 'ifHarmless' },
		[['emptyAnswer', failures.emptyAnswer(200)]],
	],
	[
		'may have been done',
		{ outcome: 'unknown', repeat: 'ifHarmless' },
		[
			...both('serviceFailed', (words) => failures.serviceFailed(500, undefined, words)),
			['malformedAnswer', failures.malformedAnswer(200, 'OK')],
			['brokenHere after it left', failures.brokenHere('Сбой', 'unknown')],
			...both('unconfirmed', (words) => failures.unconfirmed(200, 'Готово', words)),
			['timedOut', failures.timedOut()],
			['interrupted for a reason', failures.interrupted('The reason is ECONNRESET.')],
			['interrupted for none', failures.interrupted('')],
		],
	],
	[
		'may have been done, but would come to the same again',
		{ outcome: 'unknown', repeat: 'pointless' },
		[
			['webPage under 200', failures.webPage(200, 'Вход')],
			['webPage under 299', failures.webPage(299, undefined)],
			['inDoubt', failures.inDoubt('Send Once Per', once)],
			['leftUnknown', failures.leftUnknown(once)],
		],
	],
];

const all = kinds.flatMap(([, , made]) => made);
const functionOf = (name: string) => name.split(' ')[0]!;

/** As a user reads them. */
const read = all.flatMap(([name, failure]) =>
	Object.entries({ harmless, once, slow, reading }).map(([kind, advice]): Made => [
		`${name}, ${kind}`,
		withAdvice(failure, advice, { hasAssumed: true }),
	]),
);

test('every failure that the code can create is in the table of these tests', () => {
	const named = new Set(all.map(([name]) => functionOf(name)));
	expect([...named].sort()).toEqual(Object.keys(failures).sort());
});

test('the names that n8n replaces in messages are found in its code', () => {
	expect(replacedNames.length).toBeGreaterThan(10);
	expect(replacedNames).toEqual(expect.arrayContaining(['ENOENT', 'EPERM']));
});

test.each(read)(
	'a failure says what happened and what to do, in a text that n8n keeps and its guidelines allow: %s',
	(_, failure) => {
		expect(faultsOf(failure)).toEqual([]);
		expect(failure.description).toMatch(
			/\b(check|choose|correct|enter|fill|open|run|shorten|switch on|try)\b/i,
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

test.each(read.filter(([name]) => name.includes(' with words')))(
	'a failure quotes the service at the end of its description: %s',
	(_, { message, description }) => {
		expect(description.endsWith(serviceSays)).toBe(true);
		expect(message).not.toContain(said);
	},
);

test('every failure has its own message', () => {
	const messages = new Map(all.map(([name, { message }]) => [functionOf(name), message.replace(/\d+/, '')]));
	expect(new Set(messages.values()).size).toBe(messages.size);
});

test.each(kinds)('a failure is classified as: %s', (_, meaning, made) => {
	for (const [, failure] of made) expect(failure).toMatchObject(meaning);
});

describe('the first sentence', () => {
	/** An attempt before the refusal may have done it. */
	const inDoubtAtLimit: Failure = { ...failures.tooManyRequests(429), outcome: 'unknown' };
	const each = [...all.map(([, failure]) => failure), inDoubtAtLimit];

	const isUnknown = ({ outcome }: Failure) => outcome === 'unknown';
	const isRepeated = (failure: Failure) => isUnknown(failure) && failure.repeat === 'ifHarmless';
	const isPointless = (failure: Failure) => isUnknown(failure) && failure.repeat === 'pointless';
	const isLimited = (failure: Failure) => !isUnknown(failure) && failure.repeat === 'afterLimit';
	const isOther = (failure: Failure) => !isUnknown(failure) && !isLimited(failure);
	const either = [true, false];

	test.each<[string, (failure: Failure) => boolean, Advice[], boolean[], string]>([
		['in doubt is the text of the operation', isUnknown, [harmless], either, harmless.unknown!],
		['in doubt is that text, whatever was assumed', isUnknown, [once, slow], either, once.unknown!],
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
					expect(withAdvice(failure, advice, { hasAssumed })).toStrictEqual({ ...failure, description });
		}
	});
});

const plan = 'Check that the plan of the account includes API access.';
const ownerOf = (labels: string, they: string) =>
	`Check ${labels}: ${they} must belong to the account whose token is in the credential.`;
const withoutPath =
	"Check 'Base URL' in the credential: it must be the address of the service, without a path.";
const nothingEver = "If the service never finds anything, check 'Base URL' in the credential.";

const access = 'The service refused access';
const accessRefused = (expected: Expected[], isForeign: boolean) => (words?: string) =>
	failures.accessRefused(403, { expected, isForeign }, words);
const neither = 'No contact with this ID or no list with this ID in this account';
const notFound = (expected: Expected[]) => (words?: string) => failures.notFound(404, expected, words);
const method = 'The service does not have this endpoint';
const unknownEndpoint = (expected: Expected[]) => (words?: string) =>
	failures.unknownEndpoint(404, expected, words);
const refusedValues = "The service refused the value of 'Text', 'Image URL'";
const valuesRefused = (labels: string[]) => (words?: string) =>
	failures.valuesRefused(422, labels, words ?? '');
const theirs = ownerOf("'Contact ID', 'List'", 'they');

/* Texts that depend on the request. */
test.each<[string, string, (words?: string) => Failure]>([
	[access, plan, accessRefused([], true)],
	[access, `${plan} ${ownerOf("'Contact ID'", 'it')}`, accessRefused([contact], false)],
	[access, `${ownerOf("'Contact ID'", 'it')} ${plan}`, accessRefused([contact], true)],
	[access, `${theirs} ${plan}`, accessRefused([contact, list], true)],
	['No contact with this ID in this account', `Check 'Contact ID'. ${nothingEver}`, notFound([contact])],
	[neither, `Check 'Contact ID', 'List'. ${nothingEver}`, notFound([contact, list])],
	[method, withoutPath, unknownEndpoint([])],
	[method, `${withoutPath} If other operations work, check 'Contact ID'.`, unknownEndpoint([contact])],
	[refusedValues, 'Correct it, then try again.', valuesRefused(['Text', 'Image URL'])],
	['The service refused the request', 'Correct the values, then try again.', valuesRefused([])],
])('"%s" is followed by "%s" and then by the text of the service', (message, description, make) => {
	expect(make()).toMatchObject({ message, description });
	expect(make(said)).toMatchObject({ message, description: `${description} ${serviceSays}` });
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
	['Nothing was sent. Check whether', failures.handshakeFailed('', 'always')],
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
	["with another value of 'Рассылка'", failures.inDoubt('Рассылка', once)],
	[`${harmless.unknown} When this execution ran before`, failures.leftUnknown(harmless)],
	[`${ofReading} When this execution ran before`, failures.leftUnknown(reading)],
];

test.each(told)('a description says %j', (part, { description }) => {
	expect(description).toContain(part);
});

test('several faults of an item are one failure, with a sentence for each', () => {
	expect(invalidValues).toMatchObject({
		message: "'Text' is empty; 'Bot ID' must be a whole number",
		description: "Fill in 'Text'. Give the number.",
	});
});

test.each(
	all.filter(([name]) => String(failures[functionOf(name) as keyof typeof failures]).startsWith('(status')),
)('a failure keeps the status of the answer: %s', (_, { status }) => {
	expect(status).toBeGreaterThanOrEqual(200);
});

test('the requested wait is kept', () => {
	for (const make of [failures.tooManyRequests, failures.serviceFailed, failures.underMaintenance])
		expect(make(503, 7000)).toMatchObject({ status: 503, retryAfterMs: 7000 });
});

test.each<[string, Failure]>([
	['run', failures.inDoubt('Send Once Per', once)],
	['try of the execution', failures.leftUnknown(once)],
])('the text says to check what an earlier %s has left in doubt before a retry', (_, failure) => {
	expect(failure.message).toMatch(/^.* may have .* already, so the node did not .* again$/);
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
