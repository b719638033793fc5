import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';
import { parse } from 'yaml';

import {
	chain,
	freePort,
	hostFolder,
	packageName,
	projectFolder,
	startHost,
	startWorker,
} from '../../../sandbox/host';
import { SEEDED, startEmulator } from '../../../sandbox/emulator';
import { credentialFor, owner } from '../../../sandbox/start/sandbox';
import { HostApi } from '../support/api';
import { startPostgres, startRedis } from '../support/databases';
import { packedPackage } from '../support/environment';
import { startRegistry } from '../support/registry';

/*
 * The three n8n of docs/queue-mode/compose.yaml, with its variables, as processes without containers. Only addresses, users and
 * the registry of npm are the test's own. Images, health checks and volumes: .ci/compose.
 *
 * The package comes from a clone, as docs/queue-mode.md says, or from npm, with the two lines that are comments until it is there.
 */

const secret = () => randomBytes(24).toString('hex');
const dotEnv: Record<string, string> = {
	N8N_ENCRYPTION_KEY: secret(),
	POSTGRES_PASSWORD: secret(),
	REDIS_PASSWORD: secret(),
};

const composeFile = readFileSync(join(projectFolder, 'docs/queue-mode/compose.yaml'), 'utf8');

/** The services, as Docker Compose reads them. */
function servicesIn(file: string) {
	const text = file.replace(
		/\$\{(\w+)(?::-([^}]*))?[^}]*\}/g,
		(_, name: string, otherwise = '') => dotEnv[name] ?? String(otherwise),
	);
	return (
		parse(text, { merge: true }) as { services: Record<string, { environment: Record<string, string> }> }
	).services;
}

/** Without the comment signs before variables. */
const fromNpm = servicesIn(composeFile.replace(/# (?=N8N_COMMUNITY_PACKAGES)/g, ''));
const fromClone = servicesIn(composeFile);

test('n8n knows each variable', async () => {
	const services = fromNpm;
	const variables = Object.keys({ ...services.n8n!.environment, ...services['worker-1']!.environment });
	const code = ['n8n/dist', '@n8n/config/dist', '@n8n/backend-common/dist'];
	const args = ['-rhowF', '--include=*.js', ...variables.flatMap((name) => ['-e', name]), ...code];
	const { stdout } = await execa('grep', args, { cwd: join(hostFolder, 'node_modules') });
	expect([...new Set(stdout.split('\n'))].sort()).toEqual(variables.sort());
});

/** In the order in which they started; they stop in reverse order. */
const running: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const stop of running.splice(0).reverse()) await stop();
});

async function started<Opened extends { stop(): Promise<unknown> }>(
	opening: Promise<Opened>,
): Promise<Opened> {
	const opened = await opening;
	running.push(opened.stop);
	return opened;
}

/** Outside of the project, where only n8n's own folders lie above the package. */
async function newRoot(): Promise<string> {
	const root = await mkdtemp(join(tmpdir(), 'n8n-compose-'));
	running.push(async () => await rm(root, { recursive: true, force: true }));
	return root;
}

/**
 * Starts the three n8n, and checks that a worker runs the node.
 *
 * @param root of their user folders
 * @param more variables of all
 * @returns the log of each
 */
async function runNode(services: typeof fromNpm, root: string, more: Record<string, string> = {}) {
	const service = await started(startEmulator());
	const redis = await started(startRedis());
	const postgres = await started(startPostgres());
	const port = await freePort();
	const own = {
		...more,
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_DATABASE: postgres.database,
		DB_POSTGRESDB_USER: postgres.username,
	};
	const optionsOf = (name: string) => {
		// The sandbox gives each worker a port.
		const { QUEUE_HEALTH_CHECK_PORT: _, ...environment } = services[name]!.environment;
		return { userFolder: join(root, name), env: { ...environment, ...own } };
	};
	const main = await started(startHost({ ...optionsOf('n8n'), port }));
	const startBoth = ['worker-1', 'worker-2'].map(
		async (name) => await started(startWorker({ ...optionsOf(name), concurrency: 5 })),
	);
	const workers = await Promise.all(startBoth);

	const api = new HostApi(main.url);
	await api.signIn(owner);
	const credential = await api.createCredential(credentialFor(service));
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain('Tags', [{ name: 'Tags', parameters }], credential));
	const logs = async () =>
		await Promise.all([main, ...workers].map(async ({ logFile }) => await readFile(logFile, 'utf8')));
	// Sometimes one worker takes several executions in a row.
	for (let tries = 0; tries < 20; tries++) {
		const execution = await api.runWorkflow(id);
		expect([execution.status, execution.error]).toEqual(['success', undefined]);
		const [ofMain, ...ofWorkers] = await logs();
		expect(ofMain).not.toContain('Worker started execution');
		if (ofWorkers.every((log) => log.includes('Worker started execution'))) return await logs();
	}
	throw new Error('One worker took all executions');
}

test('from npm, each process installs the package', async () => {
	const root = await newRoot();
	const registry = await started(startRegistry([packedPackage().tarball], join(root, 'registry')));
	// As docs/queue-mode.md says.
	for (const log of await runNode(fromNpm, root, registry.env))
		expect(log).toContain(`Community package installed: ${packageName}`);
});

test('from a clone, each process loads the package', async () => {
	const root = await newRoot();
	const page = readFileSync(join(projectFolder, 'docs/queue-mode.md'), 'utf8');
	const command = /^ *docker compose exec -T \$name (npm install .*)$/m.exec(page)![1]!;
	for (const name of ['n8n', 'worker-1', 'worker-2']) {
		const ours = command
			.replace('/home/node/.n8n', join(root, name, '.n8n'))
			.replace('/tmp/package.tgz', packedPackage().tarball);
		await execa('sh', ['-ec', ours], { cwd: root });
	}
	// n8n knows nothing of this package, so it does not fetch it either.
	for (const log of await runNode(fromClone, root)) expect(log).not.toContain(packageName);
});
