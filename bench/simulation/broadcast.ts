import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { joinLimits, type Limits, type Terms } from '../../nodes/ChatbotService/client/pace/limits';
import { Attempts } from '../../nodes/ChatbotService/client/retry';
import { Scheduler } from '../../nodes/ChatbotService/client/pace/scheduler';
import { VirtualClock, type BusyClock } from './clock';
import { SimulatedService, type ServiceBehaviour } from './service';

/* Broadcasts in virtual time: the real scheduler and the real waits, against a simulated service. */

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

/** Sends one request until it is accepted or given up, as the client does; sends nothing if its run leaves first. */
async function deliver(
	scheduler: Scheduler,
	service: SimulatedService,
	run: object,
	terms: Terms,
	name: string,
): Promise<'accepted' | 'given up' | 'not sent'> {
	const attempts = new Attempts(false);
	for (let isFirst = true; ; isFirst = false) {
		const slot = await scheduler.acquire({ run, terms, first: !isFirst });
		if (!slot) return 'not sent';
		const { refused, retryAfterMs, count } = await service.receive(name, Object.keys(terms.limits));
		const waitMs = refused ? attempts.nextAfter(tooManyRequests(429, retryAfterMs)) : undefined;
		scheduler.release(slot, { count, ...(refused && { refused: { askedMs: retryAfterMs, waitMs } }) });
		if (!refused) return 'accepted';
		if (waitMs === undefined) return 'given up';
	}
}

/** Lets all processes send, and time pass until they are done. */
export async function broadcast(given: Broadcast): Promise<Sent> {
	const { limits, processes, workers = 1, bursts = false, random } = given;
	const clock = given.clock?.outside ?? new VirtualClock();
	const service = new SimulatedService(clock, { limits, ...given.service }, random);
	let givenUp = 0;
	const sent = processes.map(async ({ requests, others = [], startsAt = 0 }, process) => {
		const scheduler = new Scheduler(given.clock ?? clock);
		if (startsAt > 0) await clock.sleep(startsAt);
		const run = {};
		const all = [{ requests, limits: {} }, ...others].flatMap((each) =>
			Array.from({ length: each.requests }, () => joinLimits(limits, each.limits)),
		);
		await Promise.all(
			all.map(async (own, index) => {
				const terms = { limits: own, workers, bursts };
				const end = await deliver(scheduler, service, run, terms, `${process}/${index}`);
				if (end === 'given up') givenUp++;
			}),
		);
	});
	await clock.run();
	await Promise.all(sent);
	return { service, clock, givenUp };
}
