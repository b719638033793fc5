import { readAnswer } from '../../nodes/ChatbotService/client/answer';
import { withoutRemarks } from '../../nodes/ChatbotService/client/php';

/** The output of PHP: level and text. */
type Write = (level: string, words: string, line?: number) => string;
const html: Write = (level, words, line = 4) =>
	`<br />\n<b>${level}</b>:  ${words} in <b>/app/a.php</b> on line <b>${line}</b><br />\n`;
const text: Write = (level, words, line = 4) => `\n${level}: ${words} in /app/a.php on line ${line}\n`;

const writings: Array<[string, Write]> = [
	['in HTML', html],
	['in HTML without a first break', (...said) => html(...said).replace('<br />\n', '')],
	[
		'in HTML without breaks',
		(...said) =>
			html(...said)
				.replace(/<br \/>/g, '')
				.trimStart(),
	],
	['in HTML with breaks of another kind', (...said) => html(...said).replaceAll('<br />', '<br>')],
	['in HTML on one line', (...said) => html(...said).replaceAll('\n', '')],
	['in HTML after a byte order mark', (...said) => `\uFEFF${html(...said)}`],
	['as text', text],
	['as text on the first line', (...said) => text(...said).trimStart()],
	['as text with the line ends of Windows', (...said) => text(...said).replaceAll('\n', '\r\n')],
	['as in a log', (...said) => `PHP ${text(...said).trimStart()}`],
];

/** The texts of PHP by level. */
const remarks: Array<[string, string]> = [
	['Warning', "include(b.php): Failed to open stream: No such file or directory, (path='.:/php')"],
	['Warning', "include() [<a href='function.include'>function.include</a>]: no"],
	['Warning', 'the first line\nthe second one\n'],
	['Notice', 'Undefined array key "b"'],
	['Deprecated', 'strlen(): Passing null to parameter #1 ($string)'],
	['Strict Standards', 'Only variables should be passed by reference'],
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
	['{"id":12345678901234567890}', { id: '12345678901234567890' }],
	['{"message":"Warning: b in /app/b.php on line 5"}', { message: 'Warning: b in /app/b.php on line 5' }],
	['Warning: no phone number', 'Warning: no phone number'],
	['done in 5', 'done in 5'],
];

describe.each(writings)('PHP messages, written %s,', (_, write) => {
	test.each(remarks)('are removed from every answer that they precede: %s, %j', (level, words) => {
		for (const line of [0, 5, 123_456]) {
			const remark = write(level, words, line);
			for (const before of [remark, remark + write('Notice', 'a'), html('Deprecated', 'a') + remark]) {
				const read = answers.map(([answer]) => withoutRemarks(before + answer));
				expect({ before, read }).toEqual({ before, read: answers.map(([, body]) => ({ body })) });
			}
		}
	});
});

const inPlace = 'in /app/a.php on line 4';
const uncaught = 'Uncaught Error: Call to undefined function b() in /app/a.php:9';
const stack = '\nStack trace:\n#0 {main}\n  thrown';

/** Fatal errors of PHP: the output, and the quoted part. */
const ends: Array<[string, string, string]> = [
	...['Fatal error', 'Parse error', 'Catchable fatal error', 'Recoverable fatal error'].flatMap(
		(level): Array<[string, string, string]> => [
			[`${level} in HTML`, html(level, 'unexpected ";"'), `${level}:  unexpected ";" ${inPlace}`],
			[`${level} as text`, text(level, 'unexpected ";"'), `${level}: unexpected ";" ${inPlace}`],
		],
	),
	['Fatal error on the first line', text('Fatal error', 'no').trimStart(), `Fatal error: no ${inPlace}`],
	['an exception in HTML', html('Fatal error', uncaught + stack), `Fatal error:  ${uncaught}`],
	['an exception as text', text('Fatal error', uncaught + stack), `Fatal error: ${uncaught}`],
	['Fatal error after HTML', html('Warning', 'a') + html('Fatal error', 'no'), `Fatal error:  no ${inPlace}`],
	['as in a log', text('Warning', 'a') + text('PHP Fatal error', 'no'), `Fatal error: no ${inPlace}`],
];

test.each(ends)('a fatal PHP error is found in an answer, which does not change: %s', (_, end, fatal) => {
	const onItsOwnLine = end.replace(/^(?=[^\n<])/, '\n');
	const failed = '{\n    "message": "Server Error"\n}';
	const success = '{"success":true}';
	for (const body of [end, end + failed, end + success, success + onItsOwnLine, `1${onItsOwnLine}`]) {
		expect(withoutRemarks(body)).toEqual({ body, fatal });
	}
});

test.each(answers)('byte order marks and spaces before an answer are removed: %j', (answer, body) => {
	for (const blanks of ['\uFEFF', '\uFEFF\uFEFF', '\uFEFF\n\n', '\n\uFEFF'])
		expect(withoutRemarks(blanks + answer)).toEqual({ body });
});

test.each<[string, unknown]>([
	['Array\n(\n)\n{"success":true}', { success: true }],
	['a[1] {\n    "data": []\n}', { data: [] }],
	['contact 5 {"success":tr', 'contact 5 {"success":tr'],
	['<!-- 0.04 s -->{"success":true}', { success: true }],
])('debug output of the application before its JSON is removed: %j', (text, body) => {
	expect(withoutRemarks(text)).toEqual({ body });
});

test.each([
	...['Warning: the contact has no phone number', 'Notice', 'Warnings: a in /app/a.php on line 4'],
	...['A Warning: a in /app/a.php on line 4', 'Done. Warning: a in /app/a.php on line 4'],
	...['Done.\nWarning: a in /app/a.php on line 4', 'Warning: a in /app/a.php on line four'],
	...['Warning: a in /app/a.php online 4', 'Info: a in /app/a.php on line 4', 'No Fatal error: all is well'],
	...['There was no fatal error', 'Fatal error', 'The end, Parse error: none', 'An error: none'],
	...['Error: a in /app/a.php on line 4', '<i>Fatal error</i>: a', 'false', '5', 'null', '[]'],
	'{"success":false}',
])('a text that PHP did not write is not changed: %s', (words) => {
	expect(withoutRemarks(words)).toEqual({ body: words });
});

const parsed = [
	...[{ message: 'Fatal error: a in /app/a.php on line 4' }, 5, true, null, undefined],
	...[{ data: ['\nWarning: a in /app/a.php on line 4\n{"success":false}'] }, ['Fatal error: a']],
];

test.each(parsed.map((body) => [body]))(
	'an answer that was parsed as JSON is returned unchanged: %j',
	(body) => {
		const cleared = withoutRemarks(body);
		expect(cleared).toEqual({ body });
		expect(cleared.body).toBe(body);
	},
);

const megabyteOf = (part: string) => part.repeat(Math.ceil(2 ** 20 / part.length));

test.each([
	['breaks', megabyteOf('<br />')],
	['breaks and blanks', megabyteOf('<br />\n')],
	['beginnings of remarks', megabyteOf('Warning: ')],
	['beginnings of remarks in HTML', megabyteOf('<b>Warning</b>: ')],
	['a remark that does not end', `Warning: ${megabyteOf('on line ')}`],
	['blanks', megabyteOf(' ')],
	['blanks before words', `${megabyteOf(' ')}x`],
	['blanks after a remark', `Warning: a on line 1${megabyteOf(' ')}x`],
	['line ends', megabyteOf('\n')],
	['remarks', megabyteOf(text('Warning', 'a'))],
	['remarks in HTML', megabyteOf(html('Warning', 'a'))],
	['remarks before success', `${megabyteOf(html('Warning', 'a'))}{"success":true}`],
	['names of faults', megabyteOf('Fatal error')],
	['digits', `Warning: a on line ${megabyteOf('1')}`],
])('a megabyte is read in less than a second of processor time: %s', (_, body) => {
	// Only the processor time of this process counts.
	const begun = process.cpuUsage();
	for (const statusCode of [200, 503])
		readAnswer(
			{ statusCode, headers: {}, body },
			'done',
			{ all: new Map(), expected: [], empty: new Set() },
			0,
		);
	const { user, system } = process.cpuUsage(begun);
	expect((user + system) / 1e6).toBeLessThan(1);
});
