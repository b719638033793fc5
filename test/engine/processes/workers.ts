import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { hostEnvironment } from '../../../sandbox/processes/environment';
import type { Broadcast, Report } from './broadcast';
import type { Answer, Order } from './main';

/** A separate process with n8n's engine and the node. It ends with the process that has started it. */
export class WorkerProcess {
	/** Runs in progress, by the IDs of their orders. */
	private readonly runs = new Map<number, (report: Report | undefined) => void>();

	private orders = 0;

	private hasEnded = false;

	private readonly child: ChildProcess;

	/** Resolves when the process has loaded, which takes seconds. */
	readonly ready: Promise<void>;

	/** @param folder of n8n's table */
	constructor(folder: string) {
		// n8n-core tells a worker by this argument.
		this.child = fork(join(__dirname, 'main.ts'), ['worker'], {
			execArgv: ['--import', 'tsx'],
			env: hostEnvironment({
				...{ N8N_LOG_LEVEL: 'silent', N8N_USER_FOLDER: folder },
				N8N_ENCRYPTION_KEY: 'a worker needs one',
			}),
		});
		this.ready = new Promise((resolve, reject) => {
			this.child.on('message', (answer: Answer) =>
				'ready' in answer ? resolve() : this.runs.get(answer.id)!(answer.report),
			);
			this.child.once('exit', () => {
				this.hasEnded = true;
				reject(new Error('A process has ended while it was loading'));
				for (const end of this.runs.values()) end(undefined);
			});
		});
	}

	/** @returns undefined when the process has ended before the run */
	async run(broadcast: Broadcast): Promise<Report | undefined> {
		if (this.hasEnded) return undefined;
		const id = this.orders++;
		return await new Promise((ended) => {
			this.runs.set(id, ended);
			this.child.send({ id, broadcast } satisfies Order);
		});
	}

	/** Ends the process at any point of its work. */
	async kill(): Promise<void> {
		if (this.hasEnded) return;
		const exit = once(this.child, 'exit');
		this.child.kill('SIGKILL');
		await exit;
	}
}
