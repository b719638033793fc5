import { createRequire } from 'node:module';
import { join } from 'node:path';

import { freePort, hostFolder, packageName } from '../../sandbox/host';
import { TOKEN_WITHOUT_API } from '../../sandbox/service';
import packageJson from '../../package.json';
import { openBench, userFolderOf, type Bench } from './support/bench';

let bench: Bench;

beforeAll(async () => {
	bench = await openBench('installation');
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
	const installed = join(
		userFolderOf('installation'),
		'.n8n',
		'nodes',
		'node_modules',
		packageName,
		'index.js',
	);
	const found = createRequire(installed).resolve('n8n-workflow');
	expect(found).toBe(createRequire(join(hostFolder, 'package.json')).resolve('n8n-workflow'));
});

test('the editor gets the node, as a tool for AI agents too', async () => {
	const names = (await bench.api.nodeTypes()).map(({ name }) => name);
	expect(names).toEqual(
		expect.arrayContaining([`${packageName}.chatbotService`, `${packageName}.chatbotServiceTool`]),
	);
});

describe('the test of the credential', () => {
	const testWith = async (changed: { baseUrl?: string; token?: string; tokenPlacement?: string }) => {
		const { api, service } = bench;
		const [stored] = await api.credentials();
		const data = { baseUrl: service.url, token: service.token, ...changed };
		return await api.testCredential(stored!.id, { name: stored!.name, type: stored!.type, data });
	};

	test('passes with the right token', async () => {
		expect(await testWith({})).toMatchObject({ status: 'OK' });
		bench.service.assertContract();
	});

	test.each(['', '/', '/api/v1', '/api/v1/'])('passes with "%s" behind the address', async (ending) => {
		expect(await testWith({ baseUrl: bench.service.url + ending })).toMatchObject({ status: 'OK' });
	});

	test('passes with the token in a header', async () => {
		expect(await testWith({ tokenPlacement: 'bearer' })).toMatchObject({ status: 'OK' });
	});

	test('says that the token is not accepted', async () => {
		const { status, message } = await testWith({ token: 'not-this-one' });
		expect(status).toBe('Error');
		expect(message).toMatch(/token/i);
		expect(message).not.toContain('not-this-one');
	});

	test('says that the tariff has no access', async () => {
		const { status, message } = await testWith({ token: TOKEN_WITHOUT_API });
		expect(status).toBe('Error');
		expect(message).toMatch(/tariff/i);
	});

	// n8n shows the code of a connection that fails, and no rule of a credential's test can put it in words.
	test("gives n8n's own code when nobody answers at the address", async () => {
		const baseUrl = `http://127.0.0.1:${await freePort()}`;
		expect(await testWith({ baseUrl })).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});

	test('says that something else answers at the address', async () => {
		const { status, message } = await testWith({ baseUrl: bench.host.url });
		expect(status).toBe('Error');
		expect(message).toMatch(/address/i);
	});
});
