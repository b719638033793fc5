import { isDeepStrictEqual } from 'node:util';

import { refusedCases } from '../cases';
import { operationOf } from '../operations';
import { times } from '../times';
import { apart, errorsOf, goingOn, scene, usual } from './scene';

/* A value that the node cannot read as it is meant is refused by name, in each mode and as a tool, and nothing leaves. */

const { service, run, refusal, answers } = scene({});

const modes = [goingOn, apart];

/** The items of a row that takes its values from them, and the parameters of one that has them written. A question takes one item. */
function runsOf([operation, changes, values]: (typeof refusedCases)[number]) {
	if (typeof changes === 'function')
		return values.map((value) => ({ parameters: usual(operation, changes(value as string)), items: [{}] }));
	const items = values.map((value) => ({ value }));
	const parameters = usual(operation, changes);
	return operationOf(operation).question
		? items.map((item) => ({ parameters, items: [item] }))
		: [{ parameters, items }];
}

test.each(refusedCases.map((row, place) => [row[0], row[3], row[2], row, place] as const))(
	'%s: %s (%j)',
	async (_operation, says, _values, row, place) => {
		for (const { parameters, items } of runsOf(row)) {
			const { message } = await refusal({ parameters, items: items as never });
			expect(message).toContain(says);
			expect(message).toMatch(/ \[Item 0\]$/);
			const each = await run({ parameters, items: items as never, node: modes[place % modes.length]! });
			expect(errorsOf(each)).toEqual(items.map(() => expect.stringContaining(says) as string));
		}
		expect(service.requests).toEqual([]);
	},
);

/**
 * With the value as the argument of the model, which gives what JSON can hold. Of Request Options, n8n reads some by itself for a tool. By
 * day, some rows are asked so.
 */
const asked = refusedCases.flatMap(([operation, changes, [value], says], place) => {
	if (operationOf(operation).question || (times(1) === 1 && place % 5)) return [];
	if (value === null || !isDeepStrictEqual(JSON.parse(JSON.stringify({ value })), { value })) return [];
	const given = typeof changes === 'function' ? changes(value as string) : changes;
	if ('requestOptions' in given) return [];
	const byModel = JSON.stringify(given).replaceAll('$json.value', "$fromAI('value', '', 'json')");
	return [[operation, says, { value }, usual(operation, JSON.parse(byModel) as object)] as const];
});

test.each(asked)('as a tool, %s: %s (%j)', async (_, says, call, parameters) => {
	for (const answer of await answers(call as never, { parameters }))
		expect(answer).toContain(JSON.stringify(says).slice(1, -1));
	expect(service.requests).toEqual([]);
});
