import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { hostEnvironment, toolEnvironment } from '../processes/command';
import { freePort } from '../processes/ports';
import { type Server, startServer } from '../processes/server';
import { hostFolder, hostNode } from './paths';

/*
 * How n8n and its workers are started: the pinned n8n, or that of an image. This works only on Linux, where a container can use the
 * network of the machine.
 */

/** The image that the variable N8N_IMAGE names; empty for the pinned n8n. */
export const image = process.env.N8N_IMAGE ?? '';

interface ProcessOptions {
	/** The folder in which this n8n keeps its data; created if it does not exist. */
	userFolder: string;
	env?: Record<string, string>;
	signal?: AbortSignal;
}

interface HostOptions extends ProcessOptions {
	/** The port of the editor; by default a free one. */
	port?: number;
	/** A folder whose files workflows may read, as `.n8n-files/<name>`. */
	filesFolder?: string;
}

export interface Host extends Server {
	/** The URL of its editor; for a worker, that of its health check. */
	url: string;
	logFile: string;
}

/** Prevents notifications, and connections to anything but the service under test. */
const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	// The runner is not part of the npm package, so n8n would log a warning about it.
	N8N_PYTHON_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	// A catalog that n8n would download at every start.
	N8N_DISABLED_MODULES: 'mcp-registry',
	// n8n's own catalog of verified packages, which it would download.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// The list of installed packages makes n8n query the registry for newer ones.
	npm_config_offline: 'true',
};

export async function startHost({ filesFolder, ...options }: HostOptions): Promise<Host> {
	const port = options.port ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	if (filesFolder) await offerFiles(options.userFolder, filesFolder);
	const env = {
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_EDITOR_BASE_URL: url,
		// Plain HTTP: a browser would not send a secure cookie.
		N8N_SECURE_COOKIE: 'false',
		...(filesFolder && { N8N_RESTRICT_FILE_ACCESS_TO: filesFolder }),
		...options.env,
	};
	return await startProcess(['start'], url, ['/healthz/readiness', '/rest/settings'], { ...options, env });
}

/** Starts a worker of n8n's queue mode, which takes its executions from Redis, and waits until it is ready. */
export async function startWorker({ concurrency, ...options }: ProcessOptions & { concurrency: number }) {
	const port = await freePort();
	const env = {
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		...options.env,
	};
	const args = ['worker', `--concurrency=${concurrency}`];
	return await startProcess(args, `http://127.0.0.1:${port}`, ['/healthz/readiness'], { ...options, env });
}

/** @param paths that answer with JSON when it is ready: the health check answers before the REST API is available */
async function startProcess(
	args: string[],
	url: string,
	paths: string[],
	{ userFolder, env, signal }: ProcessOptions,
): Promise<Host> {
	const logFile = join(userFolder, 'n8n.log');
	const own = { N8N_USER_FOLDER: userFolder, N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
	const variables = { ...quiet, ...own, ...env };
	const pinned = join(hostFolder, 'node_modules/n8n/bin/n8n');
	const command = image
		? inContainer(args, variables)
		: { program: hostNode, args: [pinned, ...args], env: hostEnvironment(variables) };
	const server = await startServer({
		name: 'n8n',
		...command,
		...{ cwd: userFolder, logFile, timeoutMs: 180_000, signal },
		isReady: async () => (await Promise.all(paths.map((path) => answers(url + path)))).every(Boolean),
	});
	return { ...server, url, logFile };
}

/** Runs n8n in a container, like a process of the current user with the same folders. @param env all variables of this n8n */
function inContainer(args: string[], env: Record<string, string>) {
	const { N8N_USER_FOLDER: own, N8N_RESTRICT_FILE_ACCESS_TO: readable } = env;
	const volumes = [`${own}:${own}`, ...(readable ? [`${readable}:${readable}:ro`] : [])];
	// The home of the image belongs to another user.
	const variables = Object.entries({ ...env, HOME: own });
	const options = [
		...['--rm', '--network=host', `--workdir=${own}`, `--user=${process.getuid!()}:${process.getgid!()}`],
		...volumes.map((volume) => `--volume=${volume}`),
		...variables.map(([name, value]) => `--env=${name}=${value}`),
	];
	return { program: 'docker', args: ['run', ...options, image, ...args], env: toolEnvironment() };
}

/** By default, n8n lets workflows read the folder `.n8n-files`, so that examples work with the same path as a user's. */
async function offerFiles(userFolder: string, filesFolder: string): Promise<void> {
	await mkdir(userFolder, { recursive: true });
	const link = join(userFolder, '.n8n-files');
	await rm(link, { recursive: true, force: true });
	await symlink(filesFolder, link, 'junction');
}

async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
		return response.ok && (response.headers.get('content-type') ?? '').includes('application/json');
	} catch {
		return false;
	}
}
