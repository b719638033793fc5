import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { joinLimits, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { VirtualClock, type BusyClock } from './clock';
import { SimulatedService, type ServiceBehaviour } from './service';

/* Broadcasts in virtual time: the real scheduler against a simulated service. */

/** A process that sends: an n8n, or one of its workers. */
export interface SimulatedProcess {
	requests: number;
	/** Requests that follow in the same run, and also count towards limits other than the account's. */
	others?: Array<{ requests: number; limits: Limits }>;
	startsAt?: number;
}

export interface Broadcast {
	/** What the credential says. */
	limits: Limits;
	workers?: number;
	bursts?: boolean;
	processes: SimulatedProcess[];
	service: Partial<ServiceBehaviour>;
	clock?: BusyClock;
	/** The source of the service's random behavior. */
	random: () => number;
}

export interface Sent {
	service: SimulatedService;
	clock: VirtualClock;
	/** Requests that were given up. */
	givenUp: number;
}

/** A run of the node: its requests under the same limits ask for their slots one after the other. */
class SimulatedRun {
	readonly isPatient = true;

	/** Requests that were given up. */
	givenUp = 0;

	constructor(
		private readonly scheduler: Scheduler,
		private readonly service: SimulatedService,
		private readonly account: Limits,
		private readonly name: string,
	) {}

	/** Sends requests that count towards the same limits. */
	async send(requests: number, limits: Limits) {
		const sent: Array<Promise<void>> = [];
		for (let index = 0; index < requests; index++) {
			const slot = await this.scheduler.slot({ run: this, limits, behind: requests - index - 1 });
			sent.push(this.deliver(slot as Slot, limits, `${this.name}/${Object.keys(limits).join()}${index}`));
		}
		await Promise.all(sent);
	}

	/** Sends one request until it is accepted or given up, as the client does. */
	private async deliver(slot: Slot, limits: Limits, name: string) {
		const names = Object.keys(joinLimits(this.account, limits));
		const { refused, retryAfterMs, count } = await this.service.receive(name, names);
		const retry = refused ? this.scheduler.trouble(slot, tooManyRequests(429, retryAfterMs)) : undefined;
		this.scheduler.release(slot, true, count);
		if (!refused) return;
		const next = retry && (await this.scheduler.slot({ run: this, limits, ...retry }));
		if (!next || 'failure' in next) this.givenUp++;
		else await this.deliver(next, limits, name);
	}
}

/** Lets all processes send, and time pass until they are done. */
export async function broadcast(given: Broadcast): Promise<Sent> {
	const { limits, processes, workers = 1, bursts = false, random } = given;
	const clock = given.clock?.outside ?? new VirtualClock();
	const service = new SimulatedService(clock, { limits, ...given.service }, random);
	const runs: SimulatedRun[] = [];
	const sent = processes.map(async ({ requests, others = [], startsAt = 0 }, process) => {
		const scheduler = new Scheduler(given.clock ?? clock);
		scheduler.use({ limits, workers, bursts });
		if (startsAt > 0) await clock.sleep(startsAt);
		const run = new SimulatedRun(scheduler, service, limits, String(process));
		runs.push(run);
		await Promise.all(
			[{ requests, limits: {} }, ...others].map((each) => run.send(each.requests, each.limits)),
		);
	});
	await clock.run();
	await Promise.all(sent);
	return { service, clock, givenUp: runs.reduce((sum, run) => sum + run.givenUp, 0) };
}
