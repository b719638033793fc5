import { refusedCases } from '../cases';
import { operationOf } from '../operations';
import { apart, errorsOf, goingOn, scene, usual } from './scene';

/* A value that the node cannot read as it is meant is refused by name, in each mode, and nothing leaves. As a tool: tool.test.ts. */

const { service, run, refusal } = scene({});

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
