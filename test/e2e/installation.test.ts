import { createRequire } from 'node:module';
import { join } from 'node:path';

import { hostFolder, packageName } from '../../sandbox/host';
import packageJson from '../../package.json';
import { type Bench, openBench } from './support/bench';

let bench: Bench;
beforeAll(async () => {
	bench = await openBench();
});
afterAll(async () => await bench?.stop());

test('the package is listed under Settings > Community nodes', async () => {
	const listed = await bench.api.communityPackages();
	expect(listed).toEqual([
		expect.objectContaining({
			packageName,
			installedVersion: packageJson.version,
			authorName: packageJson.author.name,
			failedLoading: false,
			installedNodes: [{ name: 'Chatbot Service', type: `${packageName}.chatbotService`, latestVersion: 1 }],
		}),
	]);
});

test("the package runs with the host's own n8n-workflow, as wherever else it is installed", () => {
	const installed = join(bench.userFolder, '.n8n', 'nodes', 'node_modules', packageName, 'index.js');
	const found = createRequire(installed).resolve('n8n-workflow');
	expect(found).toBe(createRequire(join(hostFolder, 'package.json')).resolve('n8n-workflow'));
});

test('the editor gets the node, as a tool for AI agents too', async () => {
	const names = (await bench.api.nodeTypes()).map(({ name }) => name);
	expect(names).toEqual(
		expect.arrayContaining([`${packageName}.chatbotService`, `${packageName}.chatbotServiceTool`]),
	);
});
