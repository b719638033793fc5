import { chain } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { importExamples } from '../../sandbox/start/examples';
import { type Bench, openOwnBench } from './support/bench';

const NAME = 'second-start';
const EXAMPLE = 'welcome-new-leads.json';

let bench: Bench;
let idOfFirstStart: string | undefined;

beforeAll(async () => {
	const first = await openOwnBench(NAME);
	idOfFirstStart = first.examples.get(EXAMPLE);
	await first.stop();
	bench = await openOwnBench(NAME);
});

afterAll(async () => await bench?.stop());

test('after a second start no workflow and no credential exists twice, and the credential belongs to the service that runs now', async () => {
	const { api, credential, service } = bench;
	expect(bench.examples.get(EXAMPLE)).toBe(idOfFirstStart);
	expect((await api.workflows()).map(({ id }) => id)).toEqual([...bench.examples.values()]);
	expect((await api.credentials()).map(({ name }) => name)).toEqual(['Chatbot Service']);
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain('Tags', [{ name: 'Tags', parameters }], credential));
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.requests).toHaveLength(1);
	await api.deleteWorkflow(id);
});

test('a second start keeps an example that was changed in the editor, and restores a deleted example', async () => {
	const { api, credential, examples } = bench;
	const changed = examples.get(EXAMPLE)!;
	const stored = await api.workflow(changed);
	await api.updateWorkflow(changed, { ...stored, nodes: stored.nodes.slice(1) });
	const [[file, deleted]] = [...examples].filter(([, id]) => id !== changed) as [[string, string]];
	await api.deleteWorkflow(deleted);

	const again = await importExamples(api, credential, () => {});
	expect(again.get(EXAMPLE)).toBe(changed);
	expect((await api.workflow(changed)).nodes).toHaveLength(stored.nodes.length - 1);
	expect(again.get(file)).not.toBe(deleted);
	expect(await api.workflows()).toHaveLength(examples.size);
});
