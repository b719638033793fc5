import { withAdvice } from '../../nodes/ChatbotService/client/advice';
import { notFound, serviceFailed, tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { resources } from '../../nodes/ChatbotService/resources';
import { isReading, expectedBy, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { operationOf } from '../operations';
import { faultsOf } from '../unit/sentences';

/* The advice for an operation when its outcome is unknown, when a limit was reached, or when nothing was found. */

const all = resources.flatMap(({ option: { value: resource }, operations }) =>
	operations.map((operation): [string, Operation] => [`${resource}/${operation.option.value}`, operation]),
);
const reading = all.filter(([, operation]) => isReading(operation));
const changing = all.filter(([, operation]) => !isReading(operation));

test.each(all)('%s is idempotent or not, as the API documents', (title, { idempotent }) => {
	expect(idempotent).toBe(operationOf(title).idempotent);
});

describe('when the outcome is unknown', () => {
	test.each(reading)('%s has no text about possible changes', (_, { advice }) => {
		expect(advice?.unknown).toBeUndefined();
	});

	test.each(changing)(
		'%s has its own text, which n8n keeps and its guidelines allow',
		(title, { advice }) => {
			expect(advice!.unknown).toBe(operationOf(title).unknown);
			expect(faultsOf(withAdvice(serviceFailed(500), advice!, { hasAssumed: false }))).toEqual([]);
		},
	);

	test.each(changing)(
		'the text of %s says what may have happened, and to check first or that a repetition is harmless',
		(_, { advice, idempotent }) => {
			expect(advice!.unknown).toMatch(
				idempotent
					? /^The \w+ may have been \w+\. [A-Z]\w+ing it again does no harm: run this item again later\.$/
					: /^The \w+ may have been \w+, so the node did not (\w+ it|try) again\. (Check|Look at) the [^.]+ first\.$/,
			);
		},
	);
});

describe('when a limit was reached', () => {
	const advised = all.filter(([, { advice }]) => advice?.assumedLimits);

	test('only a message with a possibly unknown messenger has its own text', () => {
		expect(advised.map(([title]) => title)).toEqual(['message/send']);
	});

	test.each(advised)(
		'the text of %s names a field of the operation and a value that it offers',
		(_, { advice, fields }) => {
			const [, value, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
			const field = fields.find(({ displayName }) => displayName === label);
			expect(field?.options).toContainEqual(expect.objectContaining({ name: value }));
			expect(faultsOf(withAdvice(tooManyRequests(429), advice!, { hasAssumed: true }))).toEqual([]);
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
