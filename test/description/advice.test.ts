import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import { serviceFailed, tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import { resources } from '../../nodes/ChatbotService/resources';
import { isReading, type Operation } from '../../nodes/ChatbotService/resources/operation';
import { operationOf } from '../operations';
import { faultsOf } from '../unit/sentences';

/* The words of the advice for an operation. Which of them an error has is proven by test/engine/matrix.test.ts. */

const all = resources.flatMap(({ option: { value: resource }, operations }) =>
	operations.map((operation): [string, Operation] => [`${resource}/${operation.option.value}`, operation]),
);

test.each(all.filter(([, operation]) => !isReading(operation)))(
	'the text of %s for an unknown outcome is one that n8n keeps and its guidelines allow, and says what to do',
	(title, { advice }) => {
		expect(faultsOf(withAdvice(serviceFailed(500), advice!))).toEqual([]);
		const fixture = operationOf(title);
		// 'Send Request' repeats what only reads, like the sample.
		const isHarmless = fixture.idempotent && fixture.answer !== 'many';
		expect(/does no harm/.test(advice!.unknown!)).toBe(isHarmless);
		// Workflows recognize a message that may have arrived by these words, as docs/errors.md says.
		expect(advice!.unknown!.startsWith('The message may have been sent')).toBe(title.startsWith('message/'));
	},
);

test.each(all.filter(([, { advice }]) => advice?.assumedLimits))(
	'the text of %s for a limit names a field of the operation and a value that it offers',
	(_, { advice, fields }) => {
		const [, value, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
		const field = fields.find(({ displayName }) => displayName === label);
		expect(field?.options).toContainEqual(expect.objectContaining({ name: value }));
		expect(faultsOf(withAdvice(tooManyRequests(429), advice!, true))).toEqual([]);
	},
);
