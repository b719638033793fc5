import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';

import { credentialFor } from './harness';
import { toVk } from './messages';
import { MemoryDeduplicator } from './n8n/deduplication';
import { all, came, howOften, newStore, withOnce } from './once';
import { goingOn, scene } from './scene';
import { nodeOfOneProcess } from './setUp';

/*
 * 'Send Once Per' in several processes with one store, like the workers of n8n's queue mode: nobody gets a message twice. The processes
 * here are copies of the node, each with its own state. Real ones, some of which are killed, are in test/e2e; processes that die at any
 * moment, in virtual time, in test/unit/sendOncePer.test.ts.
 */

const { service, run, letters } = scene({ ...toVk, ...withOnce('осень') }, { node: goingOn });

const { instanceType: usual } = Container.get(InstanceSettings);
afterAll(() => Object.assign(Container.get(InstanceSettings), { instanceType: usual }));

const [one, other, third] = [nodeOfOneProcess(), nodeOfOneProcess(), nodeOfOneProcess()];

test.each([
	['workers of n8n start with different people', 'worker', 1, false],
	['processes with n8n Processes at 2 start with the same people', 'main', 2, true],
])('when two %s, everybody gets one message', async (_, instanceType, workers, isSame) => {
	Object.assign(Container.get(InstanceSettings), { instanceType });
	service.faults.add({ kind: 'delay', ms: [20, 60], when: 'after' });
	const stored = { ...newStore(), deduplication: new MemoryDeduplicator(30) };
	const credential = credentialFor(service, { workers });
	// Enough for several rounds of claims.
	const people = letters(100);
	const others = isSame ? people : letters(100);
	const everybody = [...new Set([...people, ...others])];
	const runIn = async (nodeType: typeof one, items: typeof people) =>
		came(await run({ nodeType, items, credential, ...stored }));

	// The row of the node exists, and both are equally fast: nothing but their lock keeps them apart.
	await runIn(third, letters(1));
	const outcomes = (await Promise.all([runIn(one, people), runIn(other, others)])).flat();
	expect(howOften(service, everybody)).toEqual(everybody.map(() => 1));
	const countOf = (what: string) => outcomes.filter((each) => each === what).length;
	expect([countOf('sent'), countOf('failed'), countOf('not sent')]).toEqual([everybody.length, 0, 0]);
	// One that waits too long for the other reports a recipient as in doubt.
	expect(countOf('in doubt')).toBeLessThanOrEqual(everybody.length / 20);
	expect(await runIn(third, everybody)).toEqual(all(everybody.length, 'skipped'));
	expect(howOften(service, everybody)).toEqual(everybody.map(() => 1));
});
