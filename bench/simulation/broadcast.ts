import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { joinLimits, type Limits, type Terms } from '../../nodes/ChatbotService/client/limits';
import { Attempts } from '../../nodes/ChatbotService/client/retry';
import { Turns } from '../../nodes/ChatbotService/client/turn';
import { VirtualClock, type BusyClock } from './clock';
import { SimulatedService, type ServiceBehaviour } from './service';

/* Broadcasts in virtual time: the real scheduler and the real waits, with a simulated service. */

/** A process that sends, such as an n8n or one of its workers. */
export interface SimulatedProcess {
	/** Requests that it sends. */
	requests: number;
	/** Later requests of the same run, which count towards other limits besides the account's. */
	others?: Array<{ requests: number; limits: Limits }>;
	/** When it starts. */
	startsAt?: number;
}

export interface Broadcast {
	/** The values of the credential. */
	limits: Limits;
	workers?: number;
	bursts?: boolean;
	processes: SimulatedProcess[];
	service: Partial<ServiceBehaviour>;
	clock?: BusyClock;
	/** The random behavior of the service. */
	random: () => number;
}

/** The result of a broadcast. */
export interface Sent {
	service: SimulatedService;
	clock: VirtualClock;
	/** Requests that were given up. */
	givenUp: number;
}

/** Sends one request until it is accepted or given up, like the client. */
export async function deliver(
	turns: Turns,
	service: Pick<SimulatedService, 'receive'>,
	run: object,
	terms: Terms,
	name: string,
): Promise<'accepted' | 'given up'> {
	const attempts = new Attempts(false);
	for (let isFirst = true; ; isFirst = false) {
		let next: number | undefined;
		const taken = await turns.take({ run, terms, first: !isFirst }, async () => {
			const { refused, retryAfterMs, count } = await service.receive(name, Object.keys(terms.limits));
			if (!refused) return { count };
			next = attempts.nextAfter(tooManyRequests(429, retryAfterMs));
			return { count, refused: { askedMs: retryAfterMs, waitMs: next } };
		});
		if (!taken?.refused) return 'accepted';
		if (next === undefined) return 'given up';
	}
}

/** Starts all processes, and advances the time until they are done. */
export async function broadcast(given: Broadcast): Promise<Sent> {
	const { limits, processes, workers = 1, bursts = false, random } = given;
	const clock = given.clock?.outside ?? new VirtualClock();
	const service = new SimulatedService(clock, { limits, ...given.service }, random);
	let givenUp = 0;
	const sent = processes.map(async ({ requests, others = [], startsAt = 0 }, process) => {
		const turns = new Turns(given.clock ?? clock);
		if (startsAt > 0) await clock.sleep(startsAt);
		const run = {};
		const all = [{ requests, limits: {} }, ...others].flatMap((each) =>
			Array.from({ length: each.requests }, () => joinLimits(limits, each.limits)),
		);
		await Promise.all(
			all.map(async (own, index) => {
				const terms = { limits: own, workers, bursts };
				const end = await deliver(turns, service, run, terms, `${process}/${index}`);
				if (end === 'given up') givenUp++;
			}),
		);
	});
	await clock.run();
	await Promise.all(sent);
	return { service, clock, givenUp };
}
