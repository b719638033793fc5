import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';

import { loadAsN8n } from './n8n';
import { MemoryDeduplicator } from './n8n/deduplication';
import { countOf, came, withOnceScene } from './once';

/*
 * 'Send Once Per' in several processes with one store, like the workers of n8n's queue mode: nobody gets a message twice. The workers
 * here are copies of the node, each with its own state, in one process. Real workers, some of which are killed, are in
 * test/e2e/nightly; processes that die at any moment, in virtual time, in test/unit/sendOncePer.test.ts.
 */

beforeAll(() => void Object.assign(Container.get(InstanceSettings), { instanceType: 'worker' }));

type NodeModule = typeof import('../../nodes/ChatbotService/ChatbotService.node');

/** The node as a process of its own loads it, with nothing in memory from other processes. */
function nodeOfOneProcess() {
	let loaded!: NodeModule;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		loaded = jest.requireActual<NodeModule>('../../nodes/ChatbotService/ChatbotService.node');
	});
	return loadAsN8n(new loaded.ChatbotService());
}

const [one, other, third] = [nodeOfOneProcess(), nodeOfOneProcess(), nodeOfOneProcess()];

test.concurrent.each([
	['the same people', true],
	['different people', false],
])(
	'two workers start at the same moment with %s: everybody gets one message, and the next run knows all of them',
	withOnceScene(async (scene, _name, isSame) => {
		const { service, letters, standing, expectEachOnce } = scene;
		scene.deduplication = new MemoryDeduplicator(() => 30);
		service.faults.add({ kind: 'delay', ms: [20, 60], when: 'after' });
		// Enough for several rounds of claims.
		const people = letters(100);
		const others = isSame ? people : letters(100);
		const everybody = [...new Set([...people, ...others])];
		const run = async (nodeType: typeof one, items: typeof people) =>
			came(await scene.run({ nodeType, items }));

		// The row of the node exists, and both workers are equally fast: nothing but their lock keeps them apart.
		await run(third, letters(1));
		const outcomes = (await Promise.all([run(one, people), run(other, others)])).flat();
		expectEachOnce(everybody);
		expect(standing()).toEqual({ sent: everybody.length + 1, inDoubt: 0 });
		expect(countOf(outcomes, 'sent')).toBe(everybody.length);
		// A worker that waits too long for the other one reports a recipient as in doubt.
		expect(countOf(outcomes, 'in doubt')).toBeLessThanOrEqual(everybody.length / 20);
		expect(countOf(outcomes, 'failed') + countOf(outcomes, 'not sent')).toBe(0);
		expect(new Set(await run(third, everybody))).toEqual(new Set(['skipped']));
		expectEachOnce(everybody);
	}),
);
