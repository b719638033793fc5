import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageName, type WorkflowData } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/service';
import { examplesFolder, importExamples } from '../../sandbox/start/examples';
import { type Bench, openOwnBench } from './support/bench';
import { chain } from './support/workflow';

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

test('after a second start no workflow, credential or package is there twice', async () => {
	const { api } = bench;
	expect(bench.examples.get(EXAMPLE)).toBe(idOfFirstStart);
	expect((await api.workflows()).map(({ id }) => id)).toEqual([...bench.examples.values()]);
	expect((await api.credentials()).map(({ name }) => name)).toEqual(['Chatbot Service']);
	expect((await api.communityPackages()).map((entry) => entry.packageName)).toEqual([packageName]);
});

test('after a second start the credential is for the service that runs now', async () => {
	const { api, credential, service } = bench;
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain('Tags', [{ name: 'Tags', parameters }], credential));
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.requests).toHaveLength(1);
	await api.deleteWorkflow(id);
});

test('an example that changed on disk replaces the one in n8n, unless that was edited', async () => {
	const { api, credential, userFolder } = bench;
	const folder = join(userFolder, 'examples');
	await cp(examplesFolder, folder, { recursive: true });
	const lines: string[] = [];
	const importAgain = async () =>
		(await importExamples(api, userFolder, credential, (line) => lines.push(line), folder)).get(EXAMPLE)!;
	const rename = async (name: string) => {
		const workflow = JSON.parse(await readFile(join(folder, EXAMPLE), 'utf8')) as WorkflowData;
		await writeFile(join(folder, EXAMPLE), JSON.stringify({ ...workflow, name }));
	};

	await rename('Changed on disk');
	const id = await importAgain();
	expect((await api.workflow(id)).name).toBe('Changed on disk');
	expect(lines.splice(0)).toEqual([expect.stringContaining('updated')]);

	const stored = await api.workflow(id);
	await api.updateWorkflow(id, { ...stored, nodes: stored.nodes.slice(1) });
	await rename('Changed on disk again');
	expect(await importAgain()).toBe(id);
	expect((await api.workflow(id)).name).toBe('Changed on disk');
	expect(lines.splice(0)).toEqual([expect.stringContaining('left as it is')]);

	await api.deleteWorkflow(id);
	const anew = await importAgain();
	expect(anew).not.toBe(id);
	expect((await api.workflow(anew)).name).toBe('Changed on disk again');
	expect(await api.workflows()).toHaveLength(bench.examples.size);
});
