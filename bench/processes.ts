import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { hostNode } from '../sandbox/host/paths';
import { benchFolder } from './build';
import type { Ledger } from './figures';
import type {
	FromEngine,
	FromStandIn,
	Job,
	Opening,
	RunReport,
	RunRequest,
	ToEngine,
	ToStandIn,
	Work,
} from './job';
import type { Batch } from './messages';

/** Only what a process needs: a proxy, another n8n's settings or options for Node.js would change the figures. */
const environment = {
	PATH: process.env.PATH,
	NODE_ENV: 'production',
	N8N_LOG_LEVEL: 'silent',
	N8N_USER_FOLDER: join(benchFolder, 'user'),
};

/** A process that answers one message after the other. */
class Helper<Question extends object, Answer extends object> {
	constructor(
		private readonly child: ChildProcess,
		private readonly what: string,
	) {}

	async ask<Wanted extends Answer>(question: Question): Promise<Wanted> {
		const answered = this.answer<Wanted>();
		this.child.send(question);
		return await answered;
	}

	async answer<Wanted extends Answer>(): Promise<Wanted> {
		const settled = new AbortController();
		const { signal } = settled;
		const answered = once(this.child, 'message', { signal }).then(([message]) => message as Wanted);
		const ended = once(this.child, 'exit', { signal }).then(([code, killedBy]) => {
			throw new Error(`${this.what} ended before it answered (${code ?? killedBy})`);
		});
		try {
			const answer = await Promise.race([answered, ended]);
			if ('failed' in answer) throw new Error(`${this.what} failed: ${String(answer.failed)}`);
			return answer;
		} finally {
			// The one that lost the race rejects now, and nobody is waiting for it.
			for (const loser of [answered, ended]) loser.catch(() => undefined);
			settled.abort();
		}
	}

	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, 'exit');
		this.child.disconnect();
		await ended;
	}
}

/** The stand-in service in a process of its own. */
export class StandIn {
	private constructor(
		private readonly helper: Helper<ToStandIn, FromStandIn>,
		readonly url: string,
		readonly token: string,
	) {}

	static async start(): Promise<StandIn> {
		const helper = new Helper<ToStandIn, FromStandIn>(fork(join(__dirname, 'standIn.ts')), 'The stand-in');
		const { started } = await helper.answer<{ started: { url: string; token: string } }>();
		return new StandIn(helper, started.url, started.token);
	}

	/** @returns the IDs of the contacts there are for the next run */
	async open(opening: Opening): Promise<number[]> {
		return (await this.helper.ask<{ contactIds: number[] }>({ open: opening })).contactIds;
	}

	async read(batch: Batch, work: Pick<Work, 'task' | 'expressions'>): Promise<Ledger> {
		return (await this.helper.ask<{ ledger: Ledger }>({ read: { batch, work } })).ledger;
	}

	async stop(): Promise<void> {
		await this.helper.stop();
	}
}

/** The engine of the pinned n8n with one node, in a process of its own. */
export class Engine {
	private constructor(private readonly helper: Helper<ToEngine, FromEngine>) {}

	/** With a run of some items behind it: what is done for the first time is not measured. */
	static async start(program: string, job: Omit<Job, 'url' | 'token'>, standIn: StandIn, items: number) {
		const child = fork(program, { execPath: hostNode, execArgv: [], env: environment });
		const engine = new Engine(new Helper(child, `The engine with ${job.node}`));
		const { url, token } = standIn;
		await engine.helper.ask({ job: { ...job, url, token } });
		await engine.run({ batch: { contactIds: await standIn.open({ contacts: items }), label: 'warm-up' } });
		return engine;
	}

	async run(run: RunRequest): Promise<RunReport> {
		return (await this.helper.ask<{ report: RunReport }>({ run })).report;
	}

	async stop(): Promise<void> {
		await this.helper.stop();
	}
}
