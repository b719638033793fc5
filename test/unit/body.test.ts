import { readAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { withoutRemarks } from '../../nodes/ChatbotService/client/http/framework';
import { parsed } from '../../nodes/ChatbotService/shared/json';

/* The body of an answer, as n8n passes it on: its JSON, what PHP has printed before it, and that a long one does not block n8n. */

describe('JSON', () => {
	test.each<[string, unknown]>([
		['[-12345678901234567890 ,1]', ['-12345678901234567890', 1]],
		['{"a":9007199254740991,"b":9007199254740993}', { a: 9007199254740991, b: '9007199254740993' }],
		[String.raw`["a\" 12345678901234567890 \\", 1]`, ['a" 12345678901234567890 \\', 1]],
		['', ''],
		['<b>12345678901234567890</b>', '<b>12345678901234567890</b>'],
		['{"a":12345678901234567890', '{"a":12345678901234567890'],
	])('keeps the digits of whole numbers: %s', (text, value) => expect(parsed(text)).toEqual(value));

	test('may have a text of any length beside them', () => {
		const [long, number] = [String.raw`\u0410`.repeat(500_000), '12345678901234567890'];
		expect(parsed(`["${long}", ${number}]`)).toEqual(['А'.repeat(500_000), number]);
	});
});

/** The output of PHP: level and text. */
type Write = (level: string, words: string) => string;
const place = 'in /app/a.php on line 4';
const html: Write = (level, words) =>
	`<br />\n<b>${level}</b>:  ${words} in <b>/app/a.php</b> on line <b>4</b><br />\n`;
const text: Write = (level, words) => `\n${level}: ${words} ${place}\n`;

describe('what PHP prints', () => {
	const answers: Array<[string, unknown]> = [
		['{\n    "message": "Удалено"\n}', { message: 'Удалено' }],
		['[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }]],
		['{"id":12345678901234567890}', { id: '12345678901234567890' }],
		['{"message":"Warning: b in /app/b.php on line 5"}', { message: 'Warning: b in /app/b.php on line 5' }],
	];
	const remarks: Array<[level: string, words: string]> = [
		['Warning', "include() [<a href='function.include'>function.include</a>]: Failed, (path='.:/php')"],
		['Deprecated', 'the first line\nthe second one\n'],
		['Strict Standards', 'a'],
	];

	test.each<[string, Write]>([
		['in HTML', html],
		['in HTML after a byte order mark', (...said) => `\uFEFF${html(...said)}`],
		['as text', text],
		['as in a log', (...said) => `PHP ${text(...said).trimStart()}`],
		['as blanks and a byte order mark', () => '\n\uFEFF\n'],
	])('before JSON is removed: %s', (_, write) => {
		for (const remark of remarks.map((said) => write(...said)))
			for (const before of [remark, remark + write('Notice', 'a'), html('Notice', 'a') + remark])
				for (const [answer, body] of answers) expect(withoutRemarks(before + answer)).toEqual({ body });
	});

	test('for debugging before JSON is removed', () => {
		expect(withoutRemarks('Array\n(\n)\n{"success":true}')).toEqual({ body: { success: true } });
	});

	const uncaught = 'Uncaught Error: Call to undefined function b() in /app/a.php:9';

	test.each<[string, string]>([
		[html('Fatal error', 'unexpected ";"'), `Fatal error:  unexpected ";" ${place}`],
		[text('Recoverable fatal error', 'no'), `Recoverable fatal error: no ${place}`],
		[text('Catchable fatal error', 'no'), `Catchable fatal error: no ${place}`],
		[text('Fatal error', `${uncaught}\n#0 {main}`), `Fatal error: ${uncaught}`],
		[html('Warning', 'a') + html('Parse error', 'no'), `Parse error:  no ${place}`],
		[text('Warning', 'a') + text('PHP Fatal error', 'no'), `Fatal error: no ${place}`],
	])('about a fatal error is found: %j', (end, fatal) => {
		for (const body of [end, `${end}{"message": "Server Error"}`, `{"success":true}\n${end}`])
			expect(withoutRemarks(body)).toEqual({ body, fatal });
	});

	test.each([
		...[`Warnings: a ${place}`, `Done.\nWarning: a ${place}`, 'Warning: a in /app/a.php on line four'],
		...[text('Warning', 'a').trim(), `${html('Warning', 'a')}{"success":tr`, '{"data":[{"id":1},{"id'],
		...['No Fatal error: all is well', 'Fatal error', 'contact 5 {"success":tr'],
		{ message: `Fatal error: a ${place}` },
	])('stays if it is other text, or without whole JSON behind it: %j', (body) =>
		expect(withoutRemarks(body)).toEqual({ body }),
	);
});

/** Reads a body as the client does, under the statuses that are read differently. @returns microseconds of the processor */
function timeOf(text: string): number {
	const labels = { all: new Map(), expected: [], empty: new Set<string>() };
	const begun = process.cpuUsage();
	for (const statusCode of [200, 503])
		readAnswer({ statusCode, headers: {}, body: parsed(text) }, 'done', labels, 0);
	const { user, system } = process.cpuUsage(begun);
	return user + system;
}

test.each<[string, (length: number) => string]>([
	['a text that was cut off, with escaped quotes', (n) => `{"data":"${'\\"'.repeat(n / 2)} 1234567890123456`],
	['a text that was cut off, with backslashes', (n) => `{"data":"${'\\\\'.repeat(n / 2)}1234567890123456`],
	['strings that do not end', (n) => `1234567890123456${'"\\"'.repeat(n / 3)}`],
	['warnings of PHP', (n) => `${html('Warning', 'no').repeat(n / 80)}{"success":true}`],
	['beginnings of titles', (n) => '<title'.repeat(n / 6)],
	['tags that do not end', (n) => '<a '.repeat(n / 3)],
	['titles about works', (n) => `<title>${'техническ'.repeat(n / 9)}</title>`],
	['beginnings of headings', (n) => '<h1'.repeat(n / 3)],
	['digits', (n) => '1'.repeat(n)],
	['long numbers', (n) => `[${'12345678901234567,'.repeat(n / 18)}1]`],
	['digits with points', (n) => `[${'1234567890123456.'.repeat(n / 17)}`],
	['braces', (n) => `ok ${'{ '.repeat(n / 2)}`],
	['blanks', (n) => `${' '.repeat(n)}x`],
	['nested lists', (n) => '['.repeat(n)],
])('a long body does not block n8n: %s', (_, textOf) => {
	// Long enough to be measured, and short enough for a square.
	let length = 20_000;
	while (timeOf(textOf(length)) < 500 && length < 1_280_000) length *= 2;
	const [short, long] = [textOf(length), textOf(4 * length)];
	// The least times count: other work delays some readings, but never makes one faster. A linear time has the ratio 4, a square 16.
	const least = { short: Infinity, long: Infinity };
	for (let readings = 0, spent = 0; spent < 2_000_000; readings++) {
		const took = { short: timeOf(short), long: timeOf(long) };
		spent += took.short + took.long;
		least.short = Math.min(least.short, Math.max(took.short, 250));
		least.long = Math.min(least.long, took.long);
		if (readings > 1 && least.long / least.short < 8) break;
	}
	expect(least.long / least.short).toBeLessThan(10);
});
