import * as failures from '../../nodes/ChatbotService/client/failure';
import {
	quote,
	withAdvice,
	type Advice,
	type Failure,
	type Sought,
} from '../../nodes/ChatbotService/client/failure';
import { faultsOf, replacedNames } from './sentences';

const said = 'Бот остановлен';
const contact: Sought = { label: 'Contact ID', thing: 'contact with this ID' };
const list: Sought = { label: 'List', thing: 'list with this ID' };

/** Of operations that change something. */
const harmless: Advice = {
	unknown: 'It may have been set. Setting it again does no harm: run it again later.',
};
const once: Advice = {
	unknown: 'It may have been sent, so the node did not send it again. Check the chat first.',
};
const slow: Advice = { ...once, assumedLimits: "If these contacts use WhatsApp, choose it as 'Messenger'." };
/** Of those that only read. */
const reading: Advice = {};
const ofReading = 'Nothing was changed. Try again later.';

/** Each way in which an item can fail, with and without what may be missing. */
const sentences: Record<string, Array<[string, Failure]>> = {
	invalidValues: [
		['one field', failures.invalidValues([{ message: "'Text' is empty", advice: "Fill in 'Text'." }])],
		[
			'two fields',
			failures.invalidValues([
				{ message: "'Text' is empty", advice: "Fill in 'Text'." },
				{ message: "'Bot ID' must be a whole number", advice: 'Give the number.' },
			]),
		],
	],
	unknownOperation: [
		['as an expression', failures.unknownOperation('message', '={{ $json.operation }}')],
		['of another version', failures.unknownOperation('bot', 'restart')],
	],
	credentialUnreadable: [
		['of n8n', failures.credentialUnreadable(new Error('Credential with ID "5" does not exist'))],
		['of nobody', failures.credentialUnreadable(new Error('Нет доступа'))],
	],
	notNoted: [
		['in words', failures.notNoted(new Error('database is locked'))],
		['in no words', failures.notNoted('нет')],
	],
	inDoubt: [['', failures.inDoubt('Send Once Per')]],
	leftUnknown: [['', failures.leftUnknown(once)]],
	tokenRefused: both((words) => failures.tokenRefused(401, words)),
	accessRefused: [
		...both((words) => failures.accessRefused(403, { sought: [], isForeign: false }, words)),
		...both((words) => failures.accessRefused(403, { sought: [contact, list], isForeign: true }, words)),
	],
	notFound: [
		...both((words) => failures.notFound(404, [contact], words)),
		...both((words) => failures.notFound(404, [contact, list], words)),
	],
	unknownMethod: [
		...both((words) => failures.unknownMethod(404, [], words)),
		...both((words) => failures.unknownMethod(404, [contact, list], words)),
	],
	valuesRefused: [
		['of one field', failures.valuesRefused(422, ['Text'], said)],
		['of two fields', failures.valuesRefused(422, ['Text', 'Image URL'], said)],
		['of no field', failures.valuesRefused(400, [], said)],
		['without words', failures.valuesRefused(400, [], '')],
	],
	tooManyRequests: both((words) => failures.tooManyRequests(429, 1000, words)),
	serviceFailed: both((words) => failures.serviceFailed(500, undefined, words)),
	underMaintenance: both((words) => failures.underMaintenance(503, 7000, words)),
	requestTooLong: [['', failures.requestTooLong(414)]],
	redirected: [
		['somewhere', failures.redirected(302, 'https://example.com/login')],
		['nowhere', failures.redirected(302, undefined)],
	],
	webPage: [
		['with a title', failures.webPage(200, 'Вход')],
		['without', failures.webPage(200, undefined)],
		['under 404', failures.webPage(404, 'Вход')],
	],
	emptyAnswer: [['', failures.emptyAnswer(200)]],
	malformedAnswer: [
		['a text', failures.malformedAnswer(200, 'OK')],
		['an object', failures.malformedAnswer(200, { ok: 1 })],
	],
	unreachable: [['', failures.unreachable('There is no server with this name.')]],
	invalidAddress: [['', failures.invalidAddress()]],
	withoutHttps: [['', failures.withoutHttps()]],
	certificateRefused: [['', failures.certificateRefused('The reason is CERT_HAS_EXPIRED.')]],
	proxyRefused: [['', failures.proxyRefused(407)]],
	timedOut: [['', failures.timedOut()]],
	interrupted: [
		['for a reason', failures.interrupted('The reason is ECONNRESET.')],
		['for none', failures.interrupted('')],
	],
};

function both(make: (words: string | undefined) => Failure): Array<[string, Failure]> {
	return [
		['with words', make(said)],
		['without words', make(undefined)],
	];
}

const all = Object.entries(sentences).flatMap(([name, variants]) =>
	variants.map(([variant, failure]): [string, Failure] => [`${name} ${variant}`.trim(), failure]),
);

/** As a person gets to read them. */
const read = all.flatMap(([name, failure]) =>
	Object.entries({ harmless, once, slow, reading }).map(([kind, advice]): [string, Failure] => [
		`${kind}, ${name}`,
		withAdvice(failure, advice, true),
	]),
);

test('no sentence is missing here', () => {
	const exported = Object.keys(failures).filter((name) => name !== 'quote' && name !== 'withAdvice');
	expect(Object.keys(sentences).sort()).toEqual(exported.sort());
});

test('the names that n8n replaces are found', () => {
	expect(replacedNames.length).toBeGreaterThan(10);
	expect(replacedNames).toEqual(expect.arrayContaining(['ENOENT', 'EPERM']));
});

test.each(read)(
	'%s: what happened and what to do, in words that n8n keeps and its guidelines like',
	(_, failure) => {
		expect(faultsOf(failure)).toEqual([]);
	},
);

test.each(read)('%s: tells the person to do something', (_, { description }) => {
	expect(description).toMatch(/\b(check|choose|correct|enter|fill|open|run|shorten|switch on|try)\b/i);
});

test.each(read.filter(([name, { outcome }]) => name.startsWith('once') && outcome === 'unknown'))(
	'%s: is not to be done again before somebody has looked',
	(_, { description }) => {
		expect(description).toMatch(/Check the chat first\./);
		expect(description).not.toMatch(/try again|run (it|this)/i);
	},
);

test('every way to fail has words of its own', () => {
	const messages = Object.values(sentences).map(([first]) => first![1].message.replace(/\d+/g, ''));
	expect(new Set(messages).size).toBe(messages.length);
});

test.each(read.filter(([name]) => name.endsWith(' with words')))(
	'%s: quotes the service after it',
	(_, failure) => {
		expect(failure.description.endsWith(`The service says: "${said}".`)).toBe(true);
		expect(failure.message).not.toContain(said);
	},
);

test.each(all)('%s: what may be done may not be repeated unasked', (_, { outcome, repeat }) => {
	if (outcome === 'unknown') expect(repeat).not.toMatch(/always|afterLimit|afterMaintenance/);
	if (repeat === 'always') expect(outcome).toBe('notDone');
});

describe('what is said first', () => {
	const unknown = all.filter(([, { outcome }]) => outcome === 'unknown');
	const atLimit = all.filter(([, { repeat }]) => repeat === 'afterLimit');
	const others = all.filter(
		([, failure]) => failure.outcome === 'notDone' && failure.repeat !== 'afterLimit',
	);
	/** Where asking again brings the same: the description says what to do. */
	const pointless = unknown.filter(([, { repeat }]) => repeat === 'pointless');
	const worthwhile = unknown.filter(([, { repeat }]) => repeat !== 'pointless');

	test('there is something of each kind to say', () => {
		for (const kind of [unknown, pointless, worthwhile, atLimit, others]) expect(kind).not.toEqual([]);
	});

	test.each(unknown)('%s: that it may be done, in the words of the operation', (_, failure) => {
		for (const advice of [harmless, once, slow]) {
			for (const hasAssumed of [true, false]) {
				expect(withAdvice(failure, advice, hasAssumed)).toStrictEqual({
					...failure,
					description: `${advice.unknown} ${failure.description}`.trim(),
				});
			}
		}
	});

	test.each(pointless)('%s: nothing else, where something was to be read in vain', (_, failure) => {
		for (const hasAssumed of [true, false]) expect(withAdvice(failure, reading, hasAssumed)).toBe(failure);
	});

	test.each(worthwhile)('%s: that nothing was changed where something was to be read', (_, failure) => {
		for (const hasAssumed of [true, false]) {
			expect(withAdvice(failure, reading, hasAssumed)).toStrictEqual({
				...failure,
				description: `${ofReading} ${failure.description}`.trim(),
			});
		}
	});

	test.each(atLimit)('%s: which limit was only assumed, where one was', (_, failure) => {
		expect(withAdvice(failure, slow, true)).toStrictEqual({
			...failure,
			description: `${slow.assumedLimits} ${failure.description}`,
		});
		expect(withAdvice(failure, slow, false)).toBe(failure);
		for (const advice of [harmless, once, reading]) expect(withAdvice(failure, advice, true)).toBe(failure);
	});

	test.each(atLimit)(
		'%s: that it may be done before all else, where an attempt before it may have',
		(_, failure) => {
			const doubted: Failure = { ...failure, outcome: 'unknown' };
			expect(withAdvice(doubted, slow, true).description).toBe(`${slow.unknown} ${failure.description}`);
		},
	);

	test.each(others)('%s: nothing else, where it is certain that it was not done', (_, failure) => {
		for (const advice of [harmless, once, slow, reading]) {
			for (const hasAssumed of [true, false]) expect(withAdvice(failure, advice, hasAssumed)).toBe(failure);
		}
	});
});

test.each<[string, Pick<Failure, 'outcome' | 'repeat'>, Failure[]]>([
	[
		'was not done, and would not be the next time either',
		{ outcome: 'notDone', repeat: 'pointless' },
		[
			failures.invalidValues([]),
			failures.unknownOperation('message', 'forward'),
			failures.credentialUnreadable(new Error('Нет доступа')),
			failures.notNoted(new Error('Нет связи')),
			failures.tokenRefused(401),
			failures.accessRefused(403, { sought: [contact], isForeign: true }),
			failures.notFound(404, [contact]),
			failures.unknownMethod(404, []),
			failures.unknownMethod(405, [contact]),
			failures.valuesRefused(422, [], ''),
			failures.requestTooLong(414),
			failures.redirected(302, undefined),
			failures.webPage(300, undefined),
			failures.webPage(404, undefined),
			failures.invalidAddress(),
			failures.certificateRefused(''),
			failures.proxyRefused(407),
			failures.withoutHttps(),
		],
	],
	[
		'was not done for want of room',
		{ outcome: 'notDone', repeat: 'afterLimit' },
		[failures.tooManyRequests(429)],
	],
	[
		'was not done while the service was closed',
		{ outcome: 'notDone', repeat: 'afterMaintenance' },
		[failures.underMaintenance(503), failures.underMaintenance(200)],
	],
	['did not even leave', { outcome: 'notDone', repeat: 'always' }, [failures.unreachable('')]],
	['brought nothing', { outcome: 'notDone', repeat: 'ifHarmless' }, [failures.emptyAnswer(200)]],
	[
		'may have been done',
		{ outcome: 'unknown', repeat: 'ifHarmless' },
		[
			failures.serviceFailed(500),
			failures.malformedAnswer(200, 'OK'),
			failures.timedOut(),
			failures.interrupted(''),
		],
	],
	[
		'may have been done, but brings the same page again',
		{ outcome: 'unknown', repeat: 'pointless' },
		[failures.webPage(200, undefined), failures.webPage(299, undefined)],
	],
	[
		'an earlier run has left in doubt',
		{ outcome: 'unknown', repeat: 'pointless' },
		[failures.inDoubt('Send Once Per'), failures.leftUnknown(once)],
	],
])('what %s', (_, expected, found) => {
	for (const failure of found) expect(failure).toMatchObject(expected);
});

test('what was found is said where it is known', () => {
	expect(failures.unknownOperation('message', 'forward').description).toMatch(
		/ They are "message" and "forward"\.$/,
	);
	expect(failures.credentialUnreadable(new Error('Нет доступа')).description).toMatch(
		/ n8n says: "Нет доступа"\.$/,
	);
	expect(failures.valuesRefused(422, ['Text', 'Image URL'], '').message).toBe(
		"The service refused the value of 'Text', 'Image URL'",
	);
	expect(failures.malformedAnswer(200, { ok: 1 }).description).toMatch(/ It answered: "\{"ok":1\}"\.$/);
	expect(failures.redirected(302, '/login').description).toMatch(/ It leads to "\/login"\.$/);
	expect(failures.webPage(200, 'Вход').description).toMatch(/ The page is titled "Вход"\.$/);
	expect(failures.interrupted('The reason is EPIPE.').description).toBe('The reason is EPIPE.');
});

const baseUrl = "If nothing is ever found, check 'Base URL' in the credential.";

test.each<[string, Sought[], string, string]>([
	['one thing', [contact], 'No contact with this ID in this account', `Check 'Contact ID'. ${baseUrl}`],
	[
		'two things',
		[contact, list],
		'No contact with this ID or no list with this ID in this account',
		`Check 'Contact ID', 'List'. ${baseUrl}`,
	],
])('who asks in vain for %s', (_, sought, message, description) => {
	expect(failures.notFound(404, sought)).toMatchObject({ message, description, status: 404 });
	expect(failures.notFound(200, sought, said)).toMatchObject({
		message,
		description: `${description} The service says: "${said}".`,
		status: 200,
	});
});

const withoutPath =
	"Check 'Base URL' in the credential: it must be the address of the service, without a path.";

test.each<[string, Sought[], string]>([
	['nothing', [], withoutPath],
	['one thing', [contact], `${withoutPath} If the node works otherwise, check 'Contact ID'.`],
	['two things', [contact, list], `${withoutPath} If the node works otherwise, check 'Contact ID', 'List'.`],
])('who asks for %s where the service has no method reads of the address first', (_, sought, description) => {
	const message = 'The service has nothing at this address';
	expect(failures.unknownMethod(404, sought)).toMatchObject({ message, description, status: 404 });
	expect(failures.unknownMethod(405, sought, said)).toMatchObject({
		message,
		description: `${description} The service says: "${said}".`,
		status: 405,
	});
});

test.each<[string, string[], string]>([
	['a field that is named', ['Text'], 'Correct it, then try again.'],
	['no field', [], 'Correct the values, then try again.'],
])('who is refused for the value of %s reads that it can be corrected', (_, labels, description) => {
	expect(failures.valuesRefused(422, labels, '').description).toBe(description);
	expect(failures.valuesRefused(422, labels, said).description).toBe(
		`${description} The service says: "${said}".`,
	);
});

test('who meets the limit is told what else may use it, and where it is set', () => {
	expect(failures.tooManyRequests(429).description).toBe(
		"Something else may use this account too. If that is another n8n process, raise 'Workers' in the credential; if not, lower 'Requests per Second' there. Then try again.",
	);
});

test('who gets nothing where data was asked for tries again first', () => {
	expect(failures.emptyAnswer(200).description).toBe(
		"Try again. If it stays so, check 'Base URL' in the credential.",
	);
});

test.each<[string, Sought[], boolean, string[]]>([
	['nothing is named', [], false, ['tariff']],
	['nothing is named that could be foreign', [], true, ['tariff']],
	['something is named', [contact], false, ['tariff', "'Contact ID'"]],
	['what is named is known to be foreign', [contact], true, ["'Contact ID'", 'tariff']],
	['two things are foreign', [contact, list], true, ["'Contact ID', 'List'", 'tariff']],
])('who is refused where %s reads the likelier cause first', (_, sought, isForeign, causes) => {
	const sentences = {
		tariff: 'Check that the tariff of the account includes API access.',
		"'Contact ID'": "Check 'Contact ID': it must belong to the account whose token is in the credential.",
		"'Contact ID', 'List'":
			"Check 'Contact ID', 'List': they must belong to the account whose token is in the credential.",
	};
	const expected = causes.map((cause) => sentences[cause as 'tariff']).join(' ');
	expect(failures.accessRefused(403, { sought, isForeign }).description).toBe(expected);
	expect(failures.accessRefused(200, { sought, isForeign }, said)).toMatchObject({
		message: 'The service refused access',
		description: `${expected} The service says: "${said}".`,
		status: 200,
	});
});

test('who meets a closed service is told that nothing was done, and how long it takes is kept', () => {
	const failure = failures.underMaintenance(503, 7000, 'Service Unavailable');
	expect(failure).toMatchObject({ status: 503, retryAfterMs: 7000 });
	expect(failure.description).toBe(
		'Nothing was done. Try again when the maintenance is over. The service says: "Service Unavailable".',
	);
});

test('why n8n could not note a recipient is said, whatever was thrown', () => {
	expect(failures.notNoted(new Error('database is locked')).description).toBe(
		'The database of n8n did not answer. When it does again, try again. n8n says: "database is locked".',
	);
	expect(failures.notNoted('Нет связи').description).toMatch(/ n8n says: "Нет связи"\.$/);
});

test.each<[string, Failure]>([
	['an earlier run', failures.inDoubt('Send Once Per')],
	['an earlier try of the execution', failures.leftUnknown(once)],
])('what %s has left in doubt is read as it is: look first, and what to do then', (_, failure) => {
	expect(faultsOf(failure)).toEqual([]);
	expect(failure.message).toMatch(/^.* may have .* already, so it was not .* again$/);
	expect(failure.description).toMatch(/Check the chat first\. .*If .* not /);
	expect(failure.description).not.toMatch(/try again/i);
});

test('what an earlier try has left in doubt is said in the words of the operation, or in those for reading', () => {
	const rest =
		'The service gave no answer when this execution was run before. If it was not done, run the workflow anew for this item alone.';
	expect(failures.leftUnknown(harmless).description).toBe(`${harmless.unknown} ${rest}`);
	expect(failures.leftUnknown(slow).description).toBe(`${once.unknown} ${rest}`);
	expect(failures.leftUnknown(reading).description).toBe(`${ofReading} ${rest}`);
});

test('who wants a message in doubt to be sent is told which value keeps it back', () => {
	expect(failures.inDoubt('Номер рассылки').description).toContain("with another value of 'Номер рассылки'");
});

test('who may have come no further than a proxy is told where it is set', () => {
	for (const { description } of [failures.unreachable(''), failures.proxyRefused(407)]) {
		expect(description).toMatch(/'Proxy'.* under 'Request Options' in the Settings of the node/);
	}
	expect(failures.proxyRefused(407)).toMatchObject({ status: 407 });
});

test('who waited in vain is told where more time can be had', () => {
	expect(failures.timedOut().description).toBe(
		"To wait longer, raise 'Timeout' under 'Request Options' in the Settings of the node.",
	);
});

test('of several faults of an item each has its sentence', () => {
	const [, failure] = sentences.invalidValues![1]!;
	expect(failure.message).toBe("'Text' is empty; 'Bot ID' must be a whole number");
	expect(failure.description).toBe("Fill in 'Text'. Give the number.");
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
	])('of %p', (words, quoted) => {
		expect(quote(words)).toBe(quoted);
	});

	test('of an object that holds itself is one all the same', () => {
		expect(quote(loop)).toMatch(/^".*"$/);
	});

	test('is cut where it runs long, and says so', () => {
		const quoted = quote('я'.repeat(5000));
		expect(quoted.length).toBeLessThan(600);
		expect(quoted.endsWith('…"')).toBe(true);
		expect(quote('я'.repeat(500))).toBe(`"${'я'.repeat(500)}"`);
	});
});
