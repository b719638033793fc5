import { readAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { parsed } from '../../nodes/ChatbotService/shared/json';

/* The time of reading grows with the length of an answer, not with its square: a long or broken answer does not block n8n. */

const labels = { all: new Map<string, string>(), expected: [], empty: new Set<string>() };

/** Reads a body as the client does, under the statuses that are read differently. */
function read(text: string) {
	for (const statusCode of [200, 503])
		readAnswer({ statusCode, headers: {}, body: parsed(text) }, 'done', labels, 0);
}

/** The least processor time of several readings, in microseconds: others may delay some of them. */
function timeOf(text: string): number {
	const times = Array.from({ length: 7 }, () => {
		const begun = process.cpuUsage();
		read(text);
		const { user, system } = process.cpuUsage(begun);
		return user + system;
	});
	return Math.min(...times);
}

const warning = '<br />\n<b>Warning</b>:  no in <b>/app/a.php</b> on line <b>4</b><br />\n';

test.each<[string, (length: number) => string]>([
	['a text that was cut off, with escaped quotes', (n) => `{"data":"${'\\"'.repeat(n / 2)} 1234567890123456`],
	['the same in a list', (n) => `["1234567890123456", "${'\\"'.repeat(n / 2)}`],
	['a text that was cut off, with backslashes', (n) => `{"data":"${'\\\\'.repeat(n / 2)}1234567890123456`],
	['strings that do not end', (n) => `1234567890123456${'"\\"'.repeat(n / 3)}`],
	['warnings of PHP', (n) => `${warning.repeat(n / warning.length)}{"success":true}`],
	['warnings of PHP before nothing', (n) => warning.repeat(n / warning.length)],
	['beginnings of warnings', (n) => '<b>Warning</b>: '.repeat(n / 16)],
	['a warning that does not end', (n) => `Warning: ${'on line '.repeat(n / 8)}`],
	['beginnings of tags', (n) => '<'.repeat(n)],
	['beginnings of titles', (n) => '<title'.repeat(n / 6)],
	['tags that do not end', (n) => '<a '.repeat(n / 3)],
	['titles about works', (n) => `<title>${'техническ'.repeat(n / 9)}</title>`],
	['beginnings of headings', (n) => '<h1'.repeat(n / 3)],
	['digits', (n) => '1'.repeat(n)],
	['long numbers', (n) => `[${'12345678901234567,'.repeat(n / 18)}1]`],
	['long numbers that were cut off', (n) => `[${'12345678901234567,'.repeat(n / 18)}`],
	['digits with points', (n) => `[${'1234567890123456.'.repeat(n / 17)}`],
	['braces', (n) => `ok ${'{ '.repeat(n / 2)}`],
	['blanks', (n) => `${' '.repeat(n)}x`],
	['blanks after a warning', (n) => `Warning: a on line 1${' '.repeat(n)}x`],
	['nested lists', (n) => '['.repeat(n)],
])('%s', (_, textOf) => {
	// Long enough to be measured, and short enough for a square.
	let length = 20_000;
	while (timeOf(textOf(length)) < 500 && length < 1_280_000) length *= 2;
	// A linear time has the ratio 4, a square 16.
	expect(timeOf(textOf(4 * length)) / Math.max(timeOf(textOf(length)), 250)).toBeLessThan(10);
});
