import { readFile } from 'node:fs/promises';

import {
	type Execution,
	type Member,
	type QueueMode,
	type QueueModeOptions,
	startQueueMode,
} from '../../../sandbox/host';
import { type Emulator, startEmulator } from '../../../sandbox/emulator';
import { owner } from '../../../sandbox/start/sandbox';
import { userFolderOf } from './bench';
import { type AccountSettings, type Mailing, mailing, type MailingOptions, newAccount } from './interrupted';
import { packedPackage } from './environment';

/** An emulator, and an n8n in queue mode with the package. */
export interface QueueBench extends QueueMode {
	service: Emulator;
	/** Stores a workflow that sends to everybody on a list, with its own account. */
	newMailing(options: Omit<MailingOptions, 'credential'>, account?: AccountSettings): Promise<Mailing>;
	/** Waits for the end of an execution. */
	ended(executionId: string): Promise<Execution>;
}

/** Starts everything, with a service without limits, in user folders below the folder with that name. */
export async function openQueueBench(
	name: string,
	options: Pick<QueueModeOptions, 'workers' | 'concurrency' | 'env'>,
): Promise<QueueBench> {
	const service = await startEmulator({ limits: false });
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
