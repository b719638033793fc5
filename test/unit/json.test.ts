import { parsed } from '../../nodes/ChatbotService/shared/json';

/* The body of an answer, as n8n passes it on. */

test.each<[string, unknown]>([
	['[-12345678901234567890 ,1]', ['-12345678901234567890', 1]],
	['{"a":9007199254740991,"b":9007199254740993}', { a: 9007199254740991, b: '9007199254740993' }],
	[String.raw`["a\" 12345678901234567890 \\", 1]`, ['a" 12345678901234567890 \\', 1]],
	['[12345678901234567890e2]', [Number('12345678901234567890e2')]],
])('keeps all digits of whole numbers, and changes no text and no decimals: %s', (text, value) => {
	expect(parsed(text)).toEqual(value);
});

test('is the text itself if it is not JSON', () => {
	for (const text of ['', '<html>12345678901234567890</html>', '{"a":12345678901234567890'])
		expect(parsed(text)).toBe(text);
});

test('is searched for long numbers without delay, however long its texts are', () => {
	const long = String.raw`\u0410`.repeat(500_000);
	expect(parsed(`["${long}", 12345678901234567890]`)).toEqual(['А'.repeat(500_000), '12345678901234567890']);
});
