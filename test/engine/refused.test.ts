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

const isJson = (value: unknown) => isDeepStrictEqual(JSON.parse(JSON.stringify({ value })), { value });

/**
 * With the first value as the argument of the model, which gives what JSON can hold. Other nodes have not run, and of Request Options, n8n
 * reads some by itself for a tool. By day, some rows are asked so.
 */
const asked = refusedCases.flatMap(([operation, changes, [value], says], place) => {
	if (operationOf(operation).question || (times(1) === 1 && place % 5)) return [];
	const given = typeof changes === 'function' ? changes(value as string) : changes;
	if (value === null || Number(value) > 1e15 || !isJson(value) || !isJson(given)) return [];
	const written = JSON.stringify(given);
	if (/\$\(|\$node|\$items|requestOptions/.test(written)) return [];
	const byModel = JSON.parse(written.replaceAll('$json.value', "$fromAI('value', '', 'json')")) as object;
	return [[operation, says, { value }, usual(operation, byModel)] as const];
});

test.each(asked)('as a tool, %s: %s (%j)', async (_, says, call, parameters) => {
	// What a model may not give, or may leave out, is refused in other words.
	const said = [JSON.stringify(says).slice(1, -1), 'must not come from a model', 'is empty', 'are empty'];
	for (const answer of await answers(call as never, { parameters })) {
		expect(answer).toMatch(/^\[\{"error":/);
		expect([answer, said.some((each) => answer.includes(each))]).toEqual([answer, true]);
	}
	expect(service.requests).toEqual([]);
});
