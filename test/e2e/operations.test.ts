import { chain, type Execution } from '../../sandbox/host';
import { byTitle, isReading, parametersOf, requestsOf, variants } from '../operations';
import { openBench } from './support/bench';
import { duringTests } from '../duringTests';

/* Every operation in a workflow of a real n8n: its output, and its effect on the service. */

/** Reading operations come first: they read the seeded data. An operation that asks would wait: sendAndWait.test.ts. */
const steps = variants
	.filter(({ of }) => !of.question)
	.sort((a, b) => Number(isReading(b.of)) - Number(isReading(a.of)));

const bench = duringTests(openBench);
let execution: Execution;
beforeAll(async () => {
	const nodes = steps.map((variant) => ({ name: variant.title, parameters: parametersOf(variant) }));
	const { id } = await bench.api.createWorkflow(chain('Every operation once', nodes, bench.credential));
	execution = await bench.api.runWorkflow(id);
});

test('a workflow of all operations succeeds, and each of its requests conforms to the API', () => {
	expect(execution.error).toBeUndefined();
	expect(execution.status).toBe('success');
	expect(bench.service.requests).toHaveLength(steps.flatMap(requestsOf).length);
	bench.service.assertContract();
});

test.each(byTitle(steps))(
	'%s outputs its items, linked to their input, and has taken effect',
	(title, variant) => {
		const items = execution.output(title);
		expect(items.map(({ json }) => json)).toEqual(variant.items);
		for (const { pairedItem } of items) expect([pairedItem].flat()).toEqual([{ item: 0 }]);
		expect(variant.isDone?.(bench.service.data) ?? true).toBe(true);
	},
);
