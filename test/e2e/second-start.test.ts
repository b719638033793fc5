import { chain } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { importExamples } from '../../sandbox/start/examples';
import { openOwnBench } from './support/bench';
import { duringTests } from '../duringTests';

/* `npm start` in a folder in which n8n, its credential and the examples exist already. */

const NAME = 'second-start';

const bench = duringTests(async () => {
	await (await openOwnBench(NAME)).stop();
	return await openOwnBench(NAME);
});

test('after a second start, nothing exists twice', async () => {
	const { api, credential, service } = bench;
	const ids = (await api.workflows()).map(({ id }) => id);
	expect(ids.sort()).toEqual([...bench.examples.values()].sort());
	expect((await api.credentials()).map(({ name }) => name)).toEqual([credential.name]);
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain('Tags', [{ name: 'Tags', parameters }], credential));
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.requests).toHaveLength(1);
});

test('a second start keeps changes of examples', async () => {
	const { api, credential, examples } = bench;
	const [[changed, id], [deleted, deletedId]] = [...examples] as [[string, string], [string, string]];
	const stored = await api.workflow(id);
	await api.updateWorkflow(id, { ...stored, nodes: stored.nodes.slice(1) });
	await api.deleteWorkflow(deletedId);

	const again = await importExamples(api, credential);
	expect(again.get(changed)).toBe(id);
	expect((await api.workflow(id)).nodes).toHaveLength(stored.nodes.length - 1);
	expect(again.get(deleted)).not.toBe(deletedId);
});
