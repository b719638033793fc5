import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { hostNode } from '../sandbox/host/paths';
import type { Fault, Limits, RecordedRequest } from '../sandbox/service';
import { benchFolder } from './build';
import type { FromEngine, Job, RunReport, RunRequest, ToEngine } from './job';

/** Only what a process needs: a proxy, another n8n's settings or options for Node.js would change the figures. */
const environment = {
	PATH: process.env.PATH,
	NODE_ENV: 'production',
	N8N_LOG_LEVEL: 'silent',
	N8N_USER_FOLDER: join(benchFolder, 'user'),
};

async function answerOf<T>(child: ChildProcess, what: string): Promise<T> {
	const settled = new AbortController();
	const { signal } = settled;
	const answered = once(child, 'message', { signal }).then(([message]) => message as T);
	const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
		throw new Error(`${what} ended before it answered (${code ?? killedBy})`);
	});
	try {
		return await Promise.race([answered, ended]);
	} finally {
		// The one that lost the race rejects now, and nobody is waiting for it.
		for (const loser of [answered, ended]) loser.catch(() => undefined);
		settled.abort();
	}
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, 'exit');
	child.disconnect();
	await ended;
}

/** The stand-in service in a process of its own. */
export class StandIn {
	private constructor(
		private readonly child: ChildProcess,
		readonly url: string,
		readonly token: string,
	) {}

	static async start(): Promise<StandIn> {
		const child = fork(join(__dirname, 'standIn.ts'));
		const { url, token } = await answerOf<{ url: string; token: string }>(child, 'The stand-in');
		return new StandIn(child, url, token);
	}

	/** Starts anew, with contacts for so many items and no limits. @returns their IDs */
	async reset(contacts: number): Promise<number[]> {
		await this.post('reset', {});
		// No limit of a messenger applies to VK, so that the account's is the one that counts.
		const added = await this.post<Array<{ id: number }>>('contacts', { count: contacts, messenger: 'vk' });
		return added.map(({ id }) => id);
	}

	async limit(limits: Partial<Limits> | false, faults: Fault[]): Promise<void> {
		await this.post('limits', limits);
		if (faults.length) await this.post('faults', faults);
	}

	async books(): Promise<{ requests: RecordedRequest[]; inFlight: { now: number; peak: number } }> {
		return await this.call('requests');
	}

	async violations(): Promise<unknown[]> {
		return await this.call('violations');
	}

	async stop(): Promise<void> {
		await end(this.child);
	}

	private async post<T>(path: string, body: unknown): Promise<T> {
		return await this.call<T>(path, { method: 'POST', body: JSON.stringify(body) });
	}

	private async call<T>(path: string, init?: RequestInit): Promise<T> {
		const answer = await fetch(`${this.url}/sandbox/${path}`, init);
		if (!answer.ok) throw new Error(`The stand-in refused ${path}: ${await answer.text()}`);
		return (await answer.json()) as T;
	}
}

/** The engine of the pinned n8n with one node, in a process of its own. */
export class Engine {
	private constructor(
		private readonly child: ChildProcess,
		/** Name and version of the node. */
		readonly node: string,
	) {}

	static async start(program: string, job: Job): Promise<Engine> {
		const child = fork(program, { execPath: hostNode, execArgv: [], env: environment });
		const { ready } = await ask<{ ready: { node: string } }>(child, { job });
		return new Engine(child, ready.node);
	}

	async run(run: RunRequest): Promise<RunReport> {
		const { report } = await ask<{ report: RunReport }>(this.child, { run });
		return report;
	}

	async stop(): Promise<void> {
		await end(this.child);
	}
}

async function ask<T extends FromEngine>(child: ChildProcess, question: ToEngine): Promise<T> {
	const answered = answerOf<FromEngine>(child, 'The engine');
	child.send(question);
	const answer = await answered;
	if ('failed' in answer) throw new Error(`The engine failed: ${answer.failed}`);
	return answer as T;
}
