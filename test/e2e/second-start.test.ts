import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageName, type WorkflowData } from '../../sandbox/host';
import { examplesFolder, importExamples } from '../../sandbox/start/examples';
import { openBench, userFolderOf, type Bench } from './support/bench';

const NAME = 'second-start';
const EXAMPLE = 'welcome-new-leads.json';

let bench: Bench;
let idOfFirstStart: string | undefined;

beforeAll(async () => {
	const first = await openBench(NAME);
	idOfFirstStart = first.examples.get(EXAMPLE);
	await first.stop();
	bench = await openBench(NAME);
});

afterAll(async () => await bench?.stop());

test('nothing is there twice', async () => {
	const { api } = bench;
	expect(bench.examples.get(EXAMPLE)).toBe(idOfFirstStart);
	expect((await api.workflows()).map(({ id }) => id)).toEqual([...bench.examples.values()]);
	expect((await api.credentials()).map(({ name }) => name)).toEqual(['Chatbot Service']);
	expect((await api.communityPackages()).map((entry) => entry.packageName)).toEqual([packageName]);
});

test('the credential is for the service that runs now', async () => {
	await bench.api.runWorkflow(bench.examples.get(EXAMPLE)!);
	expect(bench.service.requests.length).toBeGreaterThan(0);
});

test('an example that changed on disk replaces the one in n8n, unless that was edited', async () => {
	const { api } = bench;
	const [credential] = await api.credentials();
	const folder = join(userFolderOf(NAME), 'examples');
	await cp(examplesFolder, folder, { recursive: true });
	const lines: string[] = [];
	const importAgain = async () =>
		(await importExamples(api, userFolderOf(NAME), credential!, (line) => lines.push(line), folder)).get(
			EXAMPLE,
		)!;
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
