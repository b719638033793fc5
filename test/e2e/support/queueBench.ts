import { readFile } from 'node:fs/promises';

import {
	type Execution,
	type Member,
	type QueueMode,
	type QueueModeOptions,
	startQueueMode,
} from '../../../sandbox/host';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../sandbox/emulator';
import { owner } from '../../../sandbox/start/sandbox';
import { userFolderOf } from './bench';
import { type AccountSettings, type Mailing, mailing, type MailingOptions, newAccount } from './interrupted';
import { packedPackage } from './environment';

/** The limit of an account, as the API documents it. */
export const limit = { requests: 2, windowMs: 1000 };

/** An emulator, and an n8n in queue mode with the package. */
export interface QueueBench extends QueueMode {
	service: Emulator;
	/** Stores a workflow that sends to everybody on a list, with its own account. */
	newMailing(options: Omit<MailingOptions, 'credential'>, account?: AccountSettings): Promise<Mailing>;
	/** Waits for the end of an execution. */
	ended(executionId: string): Promise<Execution>;
}

interface QueueBenchOptions extends Pick<QueueModeOptions, 'workers' | 'concurrency' | 'env'> {
	/** Of the service. */
	limits: EmulatorOptions['limits'];
}

/** Starts everything, in user folders below the folder with that name. */
export async function openQueueBench(
	name: string,
	{ limits, ...options }: QueueBenchOptions,
): Promise<QueueBench> {
	const service = await startEmulator({ limits });
	try {
		const folder = userFolderOf(name);
		const queueMode = await startQueueMode({ folder, packed: packedPackage(), owner, ...options });
		const stop = async () => {
			await queueMode.stop();
			await service.stop();
		};
		const { api, main } = queueMode;
		return {
			...queueMode,
			service,
			stop,
			async newMailing(its, account = {}) {
				const credential = await newAccount(api, service, account);
				return await mailing(api, main.host.url, { ...its, credential });
			},
			ended: async (executionId) => await api.waitForExecution(executionId, { timeoutMs: 150_000 }),
		};
	} catch (error) {
		await service.stop();
		throw error;
	}
}

/** Which worker ran which execution, by the logs of the workers, which are numbered from 0. */
export async function takenBy(workers: Member[]): Promise<Array<{ executionId: string; worker: number }>> {
	const taken = await Promise.all(
		workers.map(async ({ host }, worker) => {
			const log = await readFile(host.logFile, 'utf8');
			const started = [...log.matchAll(/Worker started execution (\d+)/g)];
			return started.map(([, executionId]) => ({ executionId: executionId!, worker }));
		}),
	);
	return taken.flat();
}
