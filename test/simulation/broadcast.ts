import type { Clock } from '../../nodes/ChatbotService/shared/clock';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import type { Messenger } from '../../sandbox/emulator';
import { passTime } from '../virtualTime';
import { SimulatedService, wait, type Behaviour } from './service';

/* Broadcasts in virtual time: the real scheduler against a simulated service. */

/** A process that sends: an n8n, or one of its workers. */
export interface SendingProcess {
	/** How many requests it sends; to each messenger, if they are messages. */
	requests: Array<{ count: number; messenger?: Messenger }>;
	startsAt?: number;
}

export interface Broadcast {
	/** What the credential says. */
	limits: Limits;
	workers: number;
	bursts: boolean;
	processes: SendingProcess[];
	service: Partial<Behaviour> & Pick<Behaviour, 'limits'>;
	/** The time of the processes, if they are busy. */
	clock?: Clock;
}

/** A run of the node: its requests under the same limits ask for their slots one after the other. */
class SimulatedRun {
	readonly isPatient = true;
	givenUp = 0;

	constructor(
		private readonly scheduler: Scheduler,
		private readonly service: SimulatedService,
	) {}

	async send({ count, messenger }: SendingProcess['requests'][number]) {
		const limits = messenger ? messageLimits(messenger) : {};
		const sent: Array<Promise<void>> = [];
		for (let behind = count - 1; behind >= 0; behind--) {
			const slot = await this.scheduler.slot({ sender: this, limits, behind });
			sent.push(this.deliver(slot as Slot, messenger));
		}
		await Promise.all(sent);
	}

	/** Sends one request until it is accepted or given up, as the client does. */
	private async deliver(slot: Slot, messenger?: Messenger) {
		const { isRefused, retryAfterMs, count } = await this.service.receive(messenger);
		const waitMs = isRefused ? this.scheduler.trouble(slot, tooManyRequests(429, retryAfterMs)) : undefined;
		this.scheduler.release(slot, true, count);
		if (!isRefused) return;
		const next = waitMs === undefined ? undefined : await this.scheduler.slot(slot.request);
		if (!next || 'failure' in next) this.givenUp++;
		else await this.deliver(next, messenger);
	}
}

/** Lets all processes send, and time pass until they are done. */
export async function broadcast({ limits, processes, workers, bursts, ...given }: Broadcast) {
	const startedAt = performance.now();
	const service = new SimulatedService(given.service);
	const runs: SimulatedRun[] = [];
	const sent = processes.map(async ({ requests, startsAt = 0 }) => {
		const scheduler = new Scheduler(given.clock);
		scheduler.use({ limits, workers, bursts });
		await wait(startsAt);
		const run = new SimulatedRun(scheduler, service);
		runs.push(run);
		await Promise.all(requests.map(async (each) => await run.send(each)));
	});
	await passTime();
	await Promise.all(sent);
	const givenUp = runs.reduce((sum, run) => sum + run.givenUp, 0);
	return { service, givenUp, seconds: (performance.now() - startedAt) / 1000 };
}

/** The time of a process that is repeatedly busy: what becomes due while it is busy is handled at the end of that interval. */
export class BusyClock implements Clock {
	private readonly busy: Array<{ from: number; until: number }> = [];
	private readonly startedAt = performance.now();

	/** The lengths of each interval in which the process is free, and of each in which it is busy. */
	constructor(
		private readonly freeMs: () => number,
		private readonly busyMs: () => number,
	) {}

	now = () => performance.now();

	sleep = async (milliseconds: number) => await wait(this.after(milliseconds));

	/** How many milliseconds pass until the process continues after consecutive waits of the given lengths. */
	after(...waits: number[]): number {
		return waits.reduce((at, milliseconds) => this.free(at + milliseconds), this.now()) - this.now();
	}

	/** When the process is free, starting from a given time. */
	private free(at: number): number {
		while ((this.busy.at(-1)?.from ?? -1) <= at) {
			const from = (this.busy.at(-1)?.until ?? this.startedAt) + this.freeMs();
			this.busy.push({ from, until: from + this.busyMs() });
		}
		return this.busy.find(({ from, until }) => from <= at && at < until)?.until ?? at;
	}
}
