import { readAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { withoutRemarks } from '../../nodes/ChatbotService/client/http/php';

/* What PHP prints before an answer is removed, and its fatal errors are found. */

/** The output of PHP: level and text. */
type Write = (level: string, words: string) => string;
const html: Write = (level, words) =>
	`<br />\n<b>${level}</b>:  ${words} in <b>/app/a.php</b> on line <b>4</b><br />\n`;
const text: Write = (level, words) => `\n${level}: ${words} in /app/a.php on line 4\n`;

const writings: Array<[string, Write]> = [
	['in HTML', html],
	['in HTML on one line', (...said) => html(...said).replaceAll('\n', '')],
	['in HTML after a byte order mark', (...said) => `\uFEFF${html(...said)}`],
	['as text', text],
	['as text on the first line', (...said) => text(...said).trimStart()],
	['as text with the line ends of Windows', (...said) => text(...said).replaceAll('\n', '\r\n')],
	['as in a log', (...said) => `PHP ${text(...said).trimStart()}`],
];

/** The texts of PHP by level. */
const remarks: Array<[string, string]> = [
	['Warning', "include() [<a href='function.include'>function.include</a>]: Failed, (path='.:/php')"],
	['Warning', 'the first line\nthe second one\n'],
	['Deprecated', 'strlen(): Passing null to parameter #1 ($string)'],
];

const answers: Array<[string, unknown]> = [
	['{"success":true}', { success: true }],
	['{\n    "message": "Удалено"\n}', { message: 'Удалено' }],
	['[]', []],
	['0', 0],
	['ok', 'ok'],
	['', ''],
	['{"success":tr', '{"success":tr'],
	['{"id":12345678901234567890}', { id: '12345678901234567890' }],
	['{"message":"Warning: b in /app/b.php on line 5"}', { message: 'Warning: b in /app/b.php on line 5' }],
	['Warning: no phone number', 'Warning: no phone number'],
];

test.each(writings)('remarks of PHP are removed from every answer that they precede: %s', (_, write) => {
	for (const [level, words] of remarks) {
		const remark = write(level, words);
		for (const before of [
			remark,
			remark + write('Notice', 'a'),
			html('Deprecated', 'a') + html('Strict Standards', 'a') + remark,
		])
			for (const [answer, body] of answers) expect(withoutRemarks(before + answer)).toEqual({ body });
	}
});

test('byte order marks and spaces before an answer are removed', () => {
	for (const blanks of ['\uFEFF', '\uFEFF\n\n', '\n\uFEFF'])
		for (const [answer, body] of answers) expect(withoutRemarks(blanks + answer)).toEqual({ body });
});

const inPlace = 'in /app/a.php on line 4';
const uncaught = 'Uncaught Error: Call to undefined function b() in /app/a.php:9';

/* Fatal errors of PHP: the output, and the quoted part. */
test.each<[string, string]>([
	[html('Fatal error', 'unexpected ";"'), `Fatal error:  unexpected ";" ${inPlace}`],
	[text('Recoverable fatal error', 'no'), `Recoverable fatal error: no ${inPlace}`],
	[text('Catchable fatal error', 'no'), `Catchable fatal error: no ${inPlace}`],
	[text('Fatal error', `${uncaught}\n#0 {main}`), `Fatal error: ${uncaught}`],
	[html('Warning', 'a') + html('Parse error', 'no'), `Parse error:  no ${inPlace}`],
	[text('Warning', 'a') + text('PHP Fatal error', 'no'), `Fatal error: no ${inPlace}`],
])('a fatal error is found in an answer, which does not change: %j', (end, fatal) => {
	for (const body of [end, `${end}{"message": "Server Error"}`, `{"success":true}\n${end}`])
		expect(withoutRemarks(body)).toEqual({ body, fatal });
});

test('debug output of the application before its JSON is removed', () => {
	expect(withoutRemarks('Array\n(\n)\n{"success":true}')).toEqual({ body: { success: true } });
});

test.each([
	...['Warning: the contact has no phone number', 'Warnings: a in /app/a.php on line 4'],
	...['Done.\nWarning: a in /app/a.php on line 4', 'Warning: a in /app/a.php on line four'],
	...['No Fatal error: all is well', 'Fatal error', 'contact 5 {"success":tr'],
	{ message: 'Fatal error: a in /app/a.php on line 4' },
])('what PHP did not write is not changed: %j', (body) => {
	expect(withoutRemarks(body)).toEqual({ body });
});

const megabyteOf = (part: string) => part.repeat(Math.ceil(2 ** 20 / part.length));

test.each([
	['beginnings of remarks', megabyteOf('<b>Warning</b>: ')],
	['a remark that does not end', `Warning: ${megabyteOf('on line ')}`],
	['blanks', `${megabyteOf(' ')}x`],
	['blanks after a remark', `Warning: a on line 1${megabyteOf(' ')}x`],
	['remarks', `${megabyteOf(html('Warning', 'a'))}{"success":true}`],
])('a megabyte is read in less than a second of processor time: %s', (_, body) => {
	const labels = { all: new Map(), expected: [], empty: new Set<string>() };
	// Only the processor time of this process counts.
	const begun = process.cpuUsage();
	for (const statusCode of [200, 503]) readAnswer({ statusCode, headers: {}, body }, 'done', labels, 0);
	const { user, system } = process.cpuUsage(begun);
	expect((user + system) / 1e6).toBeLessThan(1);
});
