import { chain, type Execution } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
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

test('a workflow of all operations conforms to the API', () => {
	expect(execution.error).toBeUndefined();
	expect(execution.status).toBe('success');
	expect(bench.service.requests).toHaveLength(steps.flatMap(requestsOf).length);
	bench.service.assertContract();
});

test.each(byTitle(steps))('%s outputs its items, and has taken effect', (title, variant) => {
	const items = execution.output(title);
	expect(items.map(({ json }) => json)).toEqual(variant.items);
	for (const { pairedItem } of items) expect([pairedItem].flat()).toEqual([{ item: 0 }]);
	expect(variant.isDone?.(bench.service.data) ?? true).toBe(true);
});

/** What n8n has to store and show: the most that a service can answer. */
test.each([
	['nested deeply', `{"data":[{"name":${'{"а":'.repeat(30_000)}1${'}'.repeat(30_000)}}]}`],
	['with 100,000 rows', JSON.stringify({ data: Array.from({ length: 100_000 }, (_, n) => `тег ${n}`) })],
	['with 5 MB of text', JSON.stringify({ data: [{ name: 'я'.repeat(2_500_000) }] })],
])('an execution with an answer %s ends, and is shown', async (name, body) => {
	const { api, credential, service } = bench;
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	service.faults.add({ kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } });
	const node = { name: 'Tags', parameters: { ...parameters, returnAll: true } };
	const { id } = await api.createWorkflow(chain(name, [node], credential));
	expect(['success', 'error']).toContain((await api.runWorkflow(id)).status);
	// n8n still works.
	service.faults.clear();
	expect((await api.runWorkflow(id)).status).toBe('success');
});
