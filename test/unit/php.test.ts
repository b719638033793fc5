import {
	readAnswer,
	type AnswerShape,
	type Labels,
	type ReadAnswer,
} from '../../nodes/ChatbotService/client/answer';
import { serviceFailed } from '../../nodes/ChatbotService/client/failure';
import { withoutRemarks } from '../../nodes/ChatbotService/client/php';

const labels: Labels = {
	all: new Map([['text', 'Text']]),
	sought: [{ label: 'Contact ID', thing: 'contact with this ID' }],
};
const shapes: AnswerShape[] = ['many', 'one', 'created', 'done', 'deleted'];

const read = (body: unknown, shape: AnswerShape, statusCode = 200): ReadAnswer =>
	readAnswer({ statusCode, headers: {}, body }, shape, labels, 0);

/** As n8n hands a body on: parsed where it is JSON. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

const html = (level: string, words: string, line = 4) =>
	`<br />\n<b>${level}</b>:  ${words} in <b>/app/a.php</b> on line <b>${line}</b><br />\n`;
const text = (level: string, words: string, line = 4) =>
	`\n${level}: ${words} in /app/a.php on line ${line}\n`;

const missing = "include(b.php): Failed to open stream: No such file or directory, (path='.:/php')";
const remarks: Array<[string, string]> = [
	['a warning', html('Warning', missing)],
	['a notice', html('Notice', 'Something to note')],
	['a deprecation', html('Deprecated', 'strlen(): Passing null to parameter #1 ($string)')],
	['one of an old PHP', html('Strict Standards', 'Only variables should be passed by reference')],
	['two', html('Warning', 'Undefined variable $a', 5) + html('Warning', 'Undefined array key "b"', 15)],
	['one of each', html('Deprecated', 'a') + html('Notice', 'b', 123_456) + html('Warning', 'c')],
	['one with a link', html('Warning', "include() [<a href='function.include'>function.include</a>]: no")],
	['one without a first break', '<b>Warning</b>:  a in <b>/app/a.php</b> on line <b>4</b><br />\n'],
	['one without breaks', '<b>Warning</b>:  a in <b>/app/a.php</b> on line <b>4</b>\n'],
	['one with other breaks', '<br>\n<b>Warning</b>:  a in <b>/app/a.php</b> on line <b>4</b><br/>\n'],
	['one before the program', html('Warning', "PHP Startup: Unable to load 'b.so'", 0)],
	['a warning in a text', text('Warning', missing)],
	['a notice in a text', text('Notice', 'Something to note')],
	['a deprecation in a text', text('Deprecated', 'strlen(): Passing null to parameter #1 ($string)')],
	['one of an old PHP in a text', text('Strict Standards', 'Only variables should be passed')],
	['two in a text', text('Warning', 'Undefined variable $a', 5) + text('Warning', 'Undefined key "b"', 15)],
	['one over several lines', text('Warning', 'the first line\nthe second one\n')],
	['one as in a log', 'PHP Warning:  a in /app/a.php on line 4\n'],
	['one at once', 'Warning: a in /app/a.php on line 4\n'],
	['with the line ends of Windows', text('Notice', 'a').replace(/\n/g, '\r\n')],
	['one behind a mark of the byte order', `\uFEFF${html('Warning', 'a')}`],
];

const answers: Array<[string, unknown]> = [
	['{"success":true}', { success: true }],
	['{"data":["Клиент","VIP"]}', { data: ['Клиент', 'VIP'] }],
	['{\n    "message": "Удалено"\n}', { message: 'Удалено' }],
	['[]', []],
	['{}', {}],
	['1', 1],
	['0', 0],
	['true', true],
	['false', false],
	['null', null],
	['"ok"', 'ok'],
	['ok', 'ok'],
	['', ''],
	['{"success":tr', '{"success":tr'],
	['<html>\n</html>', '<html>\n</html>'],
];

/** Answers that say under 200, where PHP was first, what they have another status for. */
const refusals = [
	'{"message":"Unauthenticated."}',
	'{"message":"The given data was invalid.","errors":{"text":["Слишком длинно."]}}',
	'{\n    "message": "Too Many Attempts."\n}',
	'{\n    "message": "Server Error"\n}',
	'{\n    "message": "This action is unauthorized."\n}',
	'{\n    "message": "No query results for model [App\\\\Models\\\\Contact] 404"\n}',
	'{\n    "message": "Service Unavailable"\n}',
];

describe.each(remarks)('%s', (_, remark) => {
	test.each(answers)('before %j', (answer, body) => {
		expect(withoutRemarks(remark + answer)).toEqual({ body });
		for (const shape of shapes) expect(read(remark + answer, shape)).toEqual(read(body, shape));
	});

	test.each(refusals)('before a refusal: %j', (refusal) => {
		for (const shape of shapes) {
			for (const status of [200, 422]) {
				const result = read(remark + refusal, shape, status);
				expect(result).toEqual(read(parsed(refusal), shape, status));
				expect(result).toHaveProperty('failure');
			}
		}
	});

	test('before nothing, as 204 that became 200: it was done', () => {
		expect(read(remark, 'done')).toEqual({ rows: [{ success: true }] });
		expect(read(remark, 'deleted')).toEqual({ rows: [{ deleted: true }] });
	});
});

test('a refusal behind a remark is the one that it is', () => {
	const messages = refusals.map((refusal) => {
		const result = read(html('Deprecated', 'a') + refusal, 'done');
		return 'failure' in result ? result.failure.message : 'done';
	});
	expect(messages).toEqual([
		'The service does not accept the token',
		"The service refused the value of 'Text'",
		"The service's limit of requests was reached",
		'The service failed to process the request (HTTP 200)',
		'The service refused access',
		'No contact with this ID in this account',
		'The service is under maintenance',
	]);
});

const memory = 'Allowed memory size of 134217728 bytes exhausted (tried to allocate 2097152 bytes)';
const inPlace = 'in /app/a.php on line 4';
const thrown = (level: string) =>
	`\n${level}: Uncaught Error: Call to undefined function b() in /app/a.php:9\nStack trace:\n#0 {main}\n  thrown in /app/a.php on line 9\n`;

describe.each<[string, string, string]>([
	['no memory', html('Fatal error', memory), `Fatal error:  ${memory} ${inPlace}`],
	['no memory, in a text', text('Fatal error', memory), `Fatal error: ${memory} ${inPlace}`],
	[
		'no time',
		html('Fatal error', 'Maximum execution time of 1 second exceeded'),
		`Fatal error:  Maximum execution time of 1 second exceeded ${inPlace}`,
	],
	[
		'a program that cannot be read',
		html('Parse error', 'syntax error, unexpected token &quot;;&quot;'),
		`Parse error:  syntax error, unexpected token &quot;;&quot; ${inPlace}`,
	],
	[
		'a program that cannot be read, in a text',
		text('Parse error', 'syntax error, unexpected token ";"'),
		`Parse error: syntax error, unexpected token ";" ${inPlace}`,
	],
	[
		'an exception, in a text',
		thrown('Fatal error'),
		'Fatal error: Uncaught Error: Call to undefined function b() in /app/a.php:9',
	],
	[
		'an exception',
		'<br />\n<b>Fatal error</b>:  Uncaught RuntimeException: no in /app/a.php:12\nStack trace:\n#0 {main}\n  thrown in <b>/app/a.php</b> on line <b>12</b><br />\n',
		'Fatal error:  Uncaught RuntimeException: no in /app/a.php:12',
	],
	[
		'one behind a warning',
		html('Warning', missing) + html('Fatal error', 'Failed opening required'),
		`Fatal error:  Failed opening required ${inPlace}`,
	],
	[
		'one behind a warning, in a text',
		text('Warning', missing) + thrown('PHP Fatal error'),
		'Fatal error: Uncaught Error: Call to undefined function b() in /app/a.php:9',
	],
	['one at once', 'Fatal error: no in /app/a.php on line 4\n', `Fatal error: no ${inPlace}`],
	[
		'one of an old PHP',
		html('Catchable fatal error', 'Argument 1 must be'),
		`Catchable fatal error:  Argument 1 must be ${inPlace}`,
	],
	[
		'one of another old PHP',
		text('Recoverable fatal error', 'Argument 1 must be'),
		`Recoverable fatal error: Argument 1 must be ${inPlace}`,
	],
])('the end of PHP: %s', (_, words, quoted) => {
	const failed = '{\n    "message": "Server Error"\n}';
	const success = '{"success":true}';

	test.each([
		['alone', words],
		['before what the application says of it', words + failed],
		['before success', words + success],
		['behind success', success + words.replace(/^(?=[^\n<])/, '\n')],
		['behind 1', `1${words.replace(/^(?=[^\n<])/, '\n')}`],
	])('%s', (_place, body) => {
		expect(withoutRemarks(body)).toEqual({ body, fatal: quoted });
		for (const shape of shapes) {
			for (const status of [200, 500]) {
				const failure = serviceFailed(status, undefined, quoted);
				expect(read(body, shape, status)).toEqual({ failure });
				expect(failure.outcome).toBe('unknown');
				expect(failure.description).not.toMatch(/[<>]/);
			}
		}
	});
});

describe('a mark of the byte order', () => {
	test.each(answers.filter(([answer]) => answer.trim() === answer))('before %j', (answer, body) => {
		for (const blanks of ['\uFEFF', '\uFEFF\uFEFF', '\uFEFF\n\n', '\n\uFEFF'])
			expect(withoutRemarks(blanks + answer)).toEqual({ body });
	});

	test('before a refusal and before success', () => {
		for (const refusal of refusals)
			expect(read(`\uFEFF${refusal}`, 'done')).toEqual(read(parsed(refusal), 'done'));
		expect(read('\uFEFF{"success":true}', 'done')).toEqual({ rows: [{ success: true }] });
		expect(read('\uFEFF1', 'deleted')).toEqual({ rows: [{ deleted: true }] });
	});
});

describe('what only looks like PHP', () => {
	test.each([
		'Warning: the contact has no phone number',
		'Notice',
		'Warnings: a in /app/a.php on line 4',
		'A Warning: a in /app/a.php on line 4',
		'Done. Warning: a in /app/a.php on line 4',
		'Done.\nWarning: a in /app/a.php on line 4',
		'Warning: a in /app/a.php on line four',
		'Warning: a in /app/a.php online 4',
		'Info: a in /app/a.php on line 4',
		'No Fatal error: all is well',
		'There was no fatal error',
		'Fatal error',
		'The end, Parse error: none',
		'An error: none',
		'Error: a in /app/a.php on line 4',
		'<i>Fatal error</i>: a',
	])('stays: %s', (words) => {
		expect(withoutRemarks(words)).toEqual({ body: words });
	});

	test.each<[unknown]>([
		[{ message: 'Fatal error: a in /app/a.php on line 4' }],
		[{ data: ['\nWarning: a in /app/a.php on line 4\n{"success":false}'] }],
		[['Fatal error: a']],
		[5],
		[true],
		[null],
		[undefined],
	])('stays where it is JSON: %j', (body) => {
		expect(withoutRemarks(body)).toEqual({ body });
		expect(withoutRemarks(body).body).toBe(body);
	});

	test.each(['false', '5', 'null', '[]', '{"success":false}'])(
		'stays a text where it was one in JSON: %s',
		(words) => {
			expect(withoutRemarks(words)).toEqual({ body: words });
		},
	);

	test('stays behind a remark, where it is what the application says', () => {
		const said = '{"message":"Warning: b in /app/b.php on line 5"}';
		expect(withoutRemarks(text('Warning', 'a') + said)).toEqual({ body: parsed(said) });
		expect(withoutRemarks(`${html('Warning', 'a')}Warning: no phone number`)).toEqual({
			body: 'Warning: no phone number',
		});
	});
});

describe('a megabyte is read at once', () => {
	const megabyte = (part: string) => part.repeat(Math.ceil(2 ** 20 / part.length));

	test.each([
		['breaks', megabyte('<br />')],
		['breaks and blanks', megabyte('<br />\n')],
		['beginnings of remarks', megabyte('Warning: ')],
		['beginnings of remarks in HTML', megabyte('<b>Warning</b>: ')],
		['a remark that does not end', `Warning: ${megabyte('on line ')}`],
		['blanks', megabyte(' ')],
		['blanks before words', `${megabyte(' ')}x`],
		['blanks behind a remark', `Warning: a on line 1${megabyte(' ')}x`],
		['line ends', megabyte('\n')],
		['remarks', megabyte(text('Warning', 'a'))],
		['remarks in HTML', megabyte(html('Warning', 'a'))],
		['remarks before success', `${megabyte(html('Warning', 'a'))}{"success":true}`],
		['names of faults', megabyte('Fatal error')],
		['digits', `Warning: a on line ${megabyte('1')}`],
	])('%s', (_, body) => {
		// What else the machine does is not counted.
		const begun = process.cpuUsage();
		for (const status of [200, 503]) read(body, 'done', status);
		const { user, system } = process.cpuUsage(begun);
		expect((user + system) / 1e6).toBeLessThan(1);
	});
});
