import { createRequire } from 'node:module';
import { join } from 'node:path';

import { chain, type Execution, hostFolder, packageName } from '../../sandbox/host';
import { byTitle, isReading, parametersOf, variants } from '../operations';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

/* Every operation in a workflow of a real n8n: its output, and its effect on the service. */

/** Reading operations come first: they read the seeded data. An operation that asks would wait: sendAndWait.test.ts. */
const steps = variants
	.filter(({ of }) => !of.asks)
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
	expect(bench.service.requests).toHaveLength(steps.length);
	bench.service.assertContract();
});

test("the package runs with the host's own n8n-workflow, as in every installation", () => {
	const installed = join(bench.userFolder, '.n8n', 'nodes', 'node_modules', packageName, 'index.js');
	const found = createRequire(installed).resolve('n8n-workflow');
	expect(found).toBe(createRequire(join(hostFolder, 'package.json')).resolve('n8n-workflow'));
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
