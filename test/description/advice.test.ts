import { withAdvice } from '../../nodes/ChatbotService/client/advice';
import { notFound, serviceFailed, tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { resources } from '../../nodes/ChatbotService/resources';
import { isReading, expectedBy, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { faultsOf } from '../unit/sentences';

/* The words of the advice for an operation: when its outcome is unknown, when a limit was reached, or when nothing was found. */

const all = resources.flatMap(({ option: { value: resource }, operations }) =>
	operations.map((operation): [string, Operation] => [`${resource}/${operation.option.value}`, operation]),
);
const changing = all.filter(([, operation]) => !isReading(operation));

// Which text an operation has is proven by every fault of every operation, in test/engine/matrix.test.ts.
test.each(changing)(
	'the text of %s for an unknown outcome is one that n8n keeps and its guidelines allow, and says what to do',
	(_, { advice, idempotent = false }) => {
		expect(faultsOf(withAdvice(serviceFailed(500), advice!))).toEqual([]);
		expect(/does no harm/.test(advice!.unknown!)).toBe(idempotent);
	},
);

// Workflows recognize a message that may have arrived by these words, as docs/errors.md says.
test.each(changing.filter(([title]) => title.startsWith('message/')))(
	'an unknown outcome of %s has the beginning that does not change within a major version',
	(_, { advice }) => expect(advice!.unknown).toMatch(/^The message may have been sent/),
);

describe('when a limit was reached', () => {
	const advised = all.filter(([, { advice }]) => advice?.assumedLimits);

	test('only messages with a possibly unknown messenger have their own text', () => {
		expect(advised.map(([title]) => title)).toEqual(['message/send', 'message/sendAndWait']);
	});

	test.each(advised)(
		'the text of %s names a field of the operation and a value that it offers',
		(_, { advice, fields }) => {
			const [, value, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
			const field = fields.find(({ displayName }) => displayName === label);
			expect(field?.options).toContainEqual(expect.objectContaining({ name: value }));
			expect(faultsOf(withAdvice(tooManyRequests(429), advice!, true))).toEqual([]);
		},
	);
});

const seeking = all.filter(([, { fields }]) => fields.some(({ whatItIs }) => whatItIs));

test.each(seeking)('the text of %s for nothing found is a text that n8n keeps', (_, { fields }) => {
	const expected = fields.flatMap(expectedBy);
	for (const { whatItIs } of expected)
		expect(whatItIs.replace(/\bID\b/g, '')).toMatch(/^[a-z]+ with this [a-z ]*$/);
	expect(faultsOf(notFound(404, expected))).toEqual([]);
});
