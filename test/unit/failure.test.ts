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

type Variants = Record<string, Failure>;

const both = (make: (words?: string) => Failure): Variants => ({
	'with words': make(said),
	'without words': make(),
});

/** Each way in which an item can fail, with and without a list of what may be missing, by its meaning. */
const kinds: Array<[string, Pick<Failure, 'outcome' | 'repeat'>, Record<string, Variants>]> = [
	[
		'was not done, and would not be the next time either',
		{ outcome: 'notDone', repeat: 'pointless' },
		{
			invalidValues: {
				'of one field': failures.invalidValues([emptyText]),
				'of two fields': invalidValues,
			},
			unknownOperation: {
				'by an expression': failures.unknownOperation('message', '={{ $json.operation }}'),
			},
			credentialUnreadable: {
				'for an Error': failures.credentialUnreadable(new Error('Нет доступа')),
				'for a text': failures.credentialUnreadable('Нет доступа'),
			},
			notRecorded: {
				'for an Error': failures.notRecorded(new Error('Нет связи')),
				'for a text': failures.notRecorded('Нет связи'),
			},
			tokenRefused: both((words) => failures.tokenRefused(401, words)),
			accessRefused: both((words) => failures.accessRefused(403, { expected: [], isForeign: false }, words)),
			notFound: both((words) => failures.notFound(404, [contact], words)),
			unknownMethod: both((words) => failures.unknownMethod(404, [], words)),
			valuesRefused: {
				'of a field': failures.valuesRefused(422, ['Text'], said),
				'with words': failures.valuesRefused(400, [], said),
				'without words': failures.valuesRefused(400, [], ''),
			},
			requestTooLong: { '': failures.requestTooLong(414) },
			redirected: {
				somewhere: failures.redirected(302, 'https://example.com/login'),
				nowhere: failures.redirected(302, undefined),
			},
			webPage: {
				'under 300': failures.webPage(300, undefined),
				'under 404': failures.webPage(404, 'Вход'),
			},
			invalidAddress: { '': failures.invalidAddress() },
			invalidPace: { '': failures.invalidPace('быстро') },
			certificateRefused: { '': failures.certificateRefused('The reason is CERT_HAS_EXPIRED.') },
			proxyRefused: { '': failures.proxyRefused(407) },
			withoutHttps: { '': failures.withoutHttps() },
			handshakeFailed: { 'by an alert': failures.handshakeFailed('', 'pointless') },
			unsendable: { '': failures.unsendable('Invalid character in header content') },
			refusedByN8n: { '': failures.refusedByN8n(['Domain not allowed: example.com']) },
			invalidToken: {
				'by its value': failures.invalidToken('API Token'),
				'by its name': failures.invalidToken('Token Name'),
			},
			endlessPages: { '': failures.endlessPages('It answered page 1 when it was asked for page 2.') },
			brokenHere: { 'before it left': failures.brokenHere(new Error('Сбой'), 'notDone') },
		},
	],
	[
		'was not done because of a limit',
		{ outcome: 'notDone', repeat: 'afterLimit' },
		{ tooManyRequests: both((words) => failures.tooManyRequests(429, 1000, words)) },
	],
	[
		'was not done during maintenance',
		{ outcome: 'notDone', repeat: 'afterMaintenance' },
		{ underMaintenance: both((words) => failures.underMaintenance(503, 7000, words)) },
	],
	[
		'did not even leave',
		{ outcome: 'notDone', repeat: 'always' },
		{
			unreachable: { '': failures.unreachable('There is no server with this name.') },
			handshakeFailed: {
				'by its end': failures.handshakeFailed('The server closed the connection.', 'always'),
			},
		},
	],
	[
		'brought nothing',
		{ outcome: 'notDone', repeat: 'ifHarmless' },
		{ emptyAnswer: { '': failures.emptyAnswer(200) } },
	],
	[
		'may have been done',
		{ outcome: 'unknown', repeat: 'ifHarmless' },
		{
			serviceFailed: both((words) => failures.serviceFailed(500, undefined, words)),
			malformedAnswer: { '': failures.malformedAnswer(200, 'OK') },
			brokenHere: { 'after it left': failures.brokenHere('Сбой', 'unknown') },
			unconfirmed: both((words) => failures.unconfirmed(200, 'Готово', words)),
			timedOut: { '': failures.timedOut() },
			interrupted: {
				'for a reason': failures.interrupted('The reason is ECONNRESET.'),
				'for none': failures.interrupted(''),
			},
		},
	],
	[
		'may have been done, but would come to the same again',
		{ outcome: 'unknown', repeat: 'pointless' },
		{
			webPage: { 'under 200': failures.webPage(200, 'Вход'), 'under 299': failures.webPage(299, undefined) },
			inDoubt: { '': failures.inDoubt('Send Once Per', once) },
			leftUnknown: { '': failures.leftUnknown(once) },
		},
	],
];

const all = kinds.flatMap(([, meaning, byName]) =>
	Object.entries(byName).flatMap(([name, variants]) =>
		Object.entries(variants).map(([variant, failure]) => ({
			name: `${name} ${variant}`.trim(),
			failure,
			meaning,
		})),
	),
);

/** As a user reads them. */
const read = all.flatMap(({ name, failure }) =>
	Object.entries({ harmless, once, slow, reading }).map(([kind, advice]): [string, Failure] => [
		`${name}, ${kind}`,
		withAdvice(failure, advice, { hasAssumed: true }),
	]),
);

test('every failure that the code can create is in the table of these tests', () => {
	const named = kinds.flatMap(([, , byName]) => Object.keys(byName));
	const exported = Object.keys(failures).filter((name) => name !== 'quote' && name !== 'withAdvice');
	expect([...new Set(named)].sort()).toEqual(exported.sort());
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
	const messages = new Map(
		all.map(({ name, failure }) => [name.split(' ')[0], failure.message.replace(/\d+/, '')]),
	);
	expect(new Set(messages.values()).size).toBe(messages.size);
});

test.each(kinds)('a failure is classified as: %s', (_, meaning, byName) => {
	for (const failure of Object.values(byName).flatMap((variants) => Object.values(variants)))
		expect(failure).toMatchObject(meaning);
});

describe('the first sentence', () => {
	const having = ({ outcome, repeat }: Partial<Failure>) =>
		all
			.map(({ failure }) => failure)
			.filter((each) => each.outcome === outcome && (repeat ?? each.repeat) === each.repeat);

	function expectFirst(failure: Failure, words: string, advices: Advice[], assumed = [true, false]) {
		for (const advice of advices) {
			for (const hasAssumed of assumed) {
				const description = `${words} ${failure.description}`.trim();
				expect(withAdvice(failure, advice, { hasAssumed })).toStrictEqual({ ...failure, description });
			}
		}
	}

	test('a failure with an unknown outcome says so with the text of the operation', () => {
		for (const failure of having({ outcome: 'unknown' })) {
			expectFirst(failure, harmless.unknown!, [harmless]);
			expectFirst(failure, once.unknown!, [once, slow]);
		}
	});

	test('a failure to read says that nothing was changed', () => {
		for (const failure of having({ outcome: 'unknown', repeat: 'ifHarmless' }))
			expectFirst(failure, ofReading, [reading]);
	});

	test('a failure to read that another attempt would not fix says what to do', () => {
		for (const failure of having({ outcome: 'unknown', repeat: 'pointless' }))
			expectFirst(failure, '', [reading]);
	});

	test('a failure at a limit says which limit was only assumed, if any', () => {
		for (const failure of having({ outcome: 'notDone', repeat: 'afterLimit' })) {
			expectFirst(failure, slow.assumedLimits!, [slow], [true]);
			expectFirst(failure, '', [slow], [false]);
			expectFirst(failure, '', [harmless, once, reading]);
			expectFirst({ ...failure, outcome: 'unknown' }, slow.unknown!, [slow]);
		}
	});

	test('any other failure without an effect says what to do', () => {
		for (const failure of having({ outcome: 'notDone' }))
			if (failure.repeat !== 'afterLimit') expectFirst(failure, '', [harmless, once, slow, reading]);
	});
});

const plan = 'Check that the plan of the account includes API access.';
const ownerOf = (labels: string, they: string) =>
	`Check ${labels}: ${they} must belong to the account whose token is in the credential.`;
const withoutPath =
	"Check 'Base URL' in the credential: it must be the address of the service, without a path.";
const nothingEver = "If the service never finds anything, check 'Base URL' in the credential.";

const accessRefused = (expected: Expected[], isForeign: boolean) => (words?: string) =>
	failures.accessRefused(403, { expected, isForeign }, words);
const notFound = (expected: Expected[]) => (words?: string) => failures.notFound(404, expected, words);
const unknownMethod = (expected: Expected[]) => (words?: string) =>
	failures.unknownMethod(404, expected, words);
const valuesRefused = (labels: string[]) => (words?: string) =>
	failures.valuesRefused(422, labels, words ?? '');

/* Texts that depend on the request. */
test.each<[string, string, (words?: string) => Failure]>([
	['The service refused access', plan, accessRefused([], true)],
	['The service refused access', `${plan} ${ownerOf("'Contact ID'", 'it')}`, accessRefused([contact], false)],
	['The service refused access', `${ownerOf("'Contact ID'", 'it')} ${plan}`, accessRefused([contact], true)],
	[
		'The service refused access',
		`${ownerOf("'Contact ID', 'List'", 'they')} ${plan}`,
		accessRefused([contact, list], true),
	],
	['No contact with this ID in this account', `Check 'Contact ID'. ${nothingEver}`, notFound([contact])],
	[
		'No contact with this ID or no list with this ID in this account',
		`Check 'Contact ID', 'List'. ${nothingEver}`,
		notFound([contact, list]),
	],
	['The service does not have this endpoint', withoutPath, unknownMethod([])],
	[
		'The service does not have this endpoint',
		`${withoutPath} If other operations work, check 'Contact ID', 'List'.`,
		unknownMethod([contact, list]),
	],
	[
		"The service refused the value of 'Text', 'Image URL'",
		'Correct it, then try again.',
		valuesRefused(['Text', 'Image URL']),
	],
	['The service refused the request', 'Correct the values, then try again.', valuesRefused([])],
])('"%s" is followed by "%s" and then by the text of the service', (message, description, make) => {
	expect(make()).toMatchObject({ message, description });
	expect(make(said)).toMatchObject({ message, description: `${description} ${serviceSays}` });
});

const broken = new Error('Нет связи');

/** What the description of each failure must say. */
const told: Array<[Failure, string]> = [
	[failures.unknownOperation('message', 'forward'), 'Received: "message" and "forward".'],
	[failures.credentialUnreadable(broken), 'n8n says: "Нет связи".'],
	[failures.credentialUnreadable('Нет связи'), 'n8n says: "Нет связи".'],
	[failures.notRecorded(broken), 'n8n says: "Нет связи".'],
	[failures.notRecorded('Нет связи'), 'n8n says: "Нет связи".'],
	[failures.malformedAnswer(200, { ok: 1 }), 'It answered: "{"ok":1}".'],
	[failures.redirected(302, '/login'), 'It leads to "/login".'],
	[failures.webPage(200, 'Вход'), 'The page is titled "Вход".'],
	[failures.interrupted('The reason is EPIPE.'), 'The reason is EPIPE.'],
	[failures.emptyAnswer(200), 'Try again. If this happens again, '],
	[failures.underMaintenance(503), 'Nothing was done. '],
	[failures.timedOut(), "raise 'Timeout' under 'Request Options'"],
	[failures.unreachable(''), "If 'Proxy' is set under 'Request Options'"],
	[failures.proxyRefused(407), "'Proxy' under 'Request Options'"],
	[failures.tooManyRequests(429), "raise 'Workers' in the credential"],
	[failures.tooManyRequests(429), "lower 'Requests per Second' there"],
	[failures.inDoubt('Рассылка', once), "with another value of 'Рассылка'"],
	[failures.leftUnknown(harmless), `${harmless.unknown} The service did not answer`],
	[failures.leftUnknown(reading), `${ofReading} The service did not answer`],
];

test.each(told.map(([{ message, description }, part]) => [message, part, description]))(
	'"%s" is followed by a description with "%s"',
	(_, part, description) => {
		expect(description).toContain(part);
	},
);

test('several faults of an item are one failure, with a sentence for each', () => {
	expect(invalidValues).toMatchObject({
		message: "'Text' is empty; 'Bot ID' must be a whole number",
		description: "Fill in 'Text'. Give the number.",
	});
});

test('the requested wait is kept', () => {
	for (const make of [failures.tooManyRequests, failures.serviceFailed, failures.underMaintenance])
		expect(make(503, 7000)).toMatchObject({ status: 503, retryAfterMs: 7000 });
});

test.each<[string, Failure]>([
	['run', failures.inDoubt('Send Once Per', once)],
	['try of the execution', failures.leftUnknown(once)],
])('the text says to check what an earlier %s has left in doubt before a retry', (_, failure) => {
	expect(failure.message).toMatch(/^.* may have .* already, so it was not .* again$/);
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
