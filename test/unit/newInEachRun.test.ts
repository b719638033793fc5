import { isNewInEachRun } from '../../nodes/ChatbotService/run/values/sendOncePer';

/* A period that ends within the next minute is still a period: nobody can start a broadcast only at some times of the hour. */

/** As n8n evaluates `{{ $now.hour }}` at a time. */
const hourAt = (time: string) => (template: string) => {
	const seconds = /\.plus\(\{ seconds: (-?\d+) \}\)/.exec(template)![1];
	return new Date(Date.parse(time) + 1000 * Number(seconds)).getUTCHours();
};

test.each(['2026-11-25T10:00:01Z', '2026-11-25T10:30:00Z', '2026-11-25T10:59:59Z', '2026-11-25T23:59:59Z'])(
	'the hour is no news at %s',
	(time) => expect(isNewInEachRun('{{ $now.hour }}', hourAt(time))).toBe(false),
);

test('the minute is, and what cannot be evaluated is not known to be', () => {
	const minute = (template: string) => hourAt('2026-11-25T10:59:59Z')(template) + template;
	expect(isNewInEachRun('{{ $now.minute }}', minute)).toBe(true);
	const fail = () => {
		throw new Error('$now.plus is not a function');
	};
	expect(isNewInEachRun('{{ $now.minute }}', fail)).toBe(false);
});

test.each([
	...['$now', 'DateTime.now()', 'DateTime.local()', 'DateTime.utc()', 'Date.now()', 'new Date()'],
	...['Math.random()', 'crypto.randomUUID()', 'Date()', '$execution.id'],
])('%s is news, if n8n gives another value for it each time', (code) => {
	let values = 0;
	expect(isNewInEachRun(`{{ ${code} }}`, () => values++)).toBe(true);
});

test('the execution of a tool is a conversation, in which a person gets one message', () => {
	expect(isNewInEachRun('{{ $execution.id }}', (template) => template, true)).toBe(false);
});
