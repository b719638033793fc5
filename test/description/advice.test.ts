import {
	notFound,
	serviceFailed,
	tooManyRequests,
	withAdvice,
} from '../../nodes/ChatbotService/client/failure';
import { resources } from '../../nodes/ChatbotService/resources';
import { isReading, expectedBy, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { operationOf } from '../operations';
import { faultsOf } from '../unit/sentences';

/* What a person reads of an operation when nobody knows whether it was done, when a limit was reached, or when nothing was found. */

const all = resources.flatMap(({ option: { value: resource }, operations }) =>
	operations.map((operation): [string, Operation] => [`${resource}/${operation.option.value}`, operation]),
);
const reading = all.filter(([, operation]) => isReading(operation));
const changing = all.filter(([, operation]) => !isReading(operation));

test.each(all)('%s may be repeated, or may not, as the interface says', (title, { idempotent }) => {
	expect(idempotent).toBe(operationOf(title).idempotent);
});

describe('where nobody knows whether it was done', () => {
	test.each(reading)('nothing is said of what %s may have changed', (_, { advice }) => {
		expect(advice?.unknown).toBeUndefined();
	});

	test.each(changing)(
		'%s has its own words, which n8n keeps and its guidelines like',
		(title, { advice }) => {
			expect(advice!.unknown).toBe(operationOf(title).unknown);
			expect(faultsOf(withAdvice(serviceFailed(500), advice!, { hasAssumed: false }))).toEqual([]);
		},
	);

	test.each(changing)(
		'the words of %s say what may have happened, and to look first or that doing it again does no harm',
		(_, { advice, idempotent }) => {
			expect(advice!.unknown).toMatch(
				idempotent
					? /^The \w+ may have been \w+\. [A-Z]\w+ing it again does no harm: run this item again later\.$/
					: /^The \w+ may have been \w+, so the node did not (\w+ it|try) again\. (Check|Look at) the [^.]+ first\.$/,
			);
		},
	);
});

describe('where a limit was reached', () => {
	const advised = all.filter(([, { advice }]) => advice?.assumedLimits);

	test('only a message whose messenger may not be known has words of its own', () => {
		expect(advised.map(([title]) => title)).toEqual(['message/send']);
	});

	test.each(advised)(
		'the words of %s name a field of the operation, and a value that it offers',
		(_, { advice, fields }) => {
			const [, value, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
			const field = fields.find(({ displayName }) => displayName === label);
			expect(field?.options).toContainEqual(expect.objectContaining({ name: value }));
			expect(faultsOf(withAdvice(tooManyRequests(429), advice!, { hasAssumed: true }))).toEqual([]);
		},
	);
});

const seeking = all.filter(([, { fields }]) => fields.some(({ whatItIs }) => whatItIs));

test.each(seeking)('what %s says where nothing is found is in words that n8n keeps', (_, { fields }) => {
	const expected = fields.flatMap(expectedBy);
	for (const { whatItIs } of expected)
		expect(whatItIs.replace(/\bID\b/g, '')).toMatch(/^[a-z]+ with this [a-z ]*$/);
	expect(faultsOf(notFound(404, expected))).toEqual([]);
});
