import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { CountedWindow } from './window';
import type { VirtualClock } from './clock';

/* A service in virtual time: when requests arrive, when they are counted, which are refused and what the answers report. */

export interface ServiceBehaviour {
	/** The allowed requests within a window, by limit; a limit that is not listed allows everything. */
	limits: Limits;
	/** A sliding window is any interval of its length; a fixed one starts with the first request after the previous one. */
	window: 'sliding' | 'fixed';
	/** The time until a request is counted. */
	latencyMs: () => number;
	/** The time from counting to the arrival of the answer. */
	answerMs: () => number;
	/** The wait that a refusal requests: a number of milliseconds, or the rest of the window in whole seconds. */
	retryAfter: number | 'rounded up' | 'rounded down';
	/** What answers report about the count: the truth, nothing, or something else. */
	headers: 'true' | 'none' | 'constant' | 'jumping';
	/** The limit that answers report instead of the true one. */
	saidLimit?: number;
}

const usualBehaviour: Omit<ServiceBehaviour, 'limits'> = {
	window: 'sliding',
	latencyMs: () => 1,
	answerMs: () => 1,
	retryAfter: 'rounded up',
	headers: 'none',
};

export interface Arrival {
	name: string;
	at: number;
	accepted: boolean;
}

/** The contents of an answer, like the headers of a real one. */
export interface SimulatedAnswer {
	refused: boolean;
	retryAfterMs: number | undefined;
	count: { limit: number; remaining: number } | undefined;
}

/** Counts arrivals and refuses excess requests; refused requests do not count. */
export class SimulatedService {
	readonly arrivals: Arrival[] = [];
	inFlight = 0;
	peak = 0;
	private readonly behaviour: ServiceBehaviour;
	private readonly windows = new Map<string, CountedWindow>();

	constructor(
		private readonly clock: VirtualClock,
		behaviour: Partial<ServiceBehaviour> & Pick<ServiceBehaviour, 'limits'>,
		private readonly random: () => number = () => 0.5,
	) {
		this.behaviour = { ...usualBehaviour, ...behaviour };
	}

	async receive(name: string, limits: string[]): Promise<SimulatedAnswer> {
		this.peak = Math.max(this.peak, ++this.inFlight);
		await this.clock.sleep(this.behaviour.latencyMs());
		const at = this.clock.now();
		const windows = limits.flatMap((each) => this.windowOf(each) ?? []);
		const waits = windows.map((window) => window.waitMs(at));
		const waitMs = Math.max(0, ...waits);
		const refused = waitMs > 0;
		if (!refused) for (const window of windows) window.count(at);
		this.arrivals.push({ name, at, accepted: !refused });
		const tightest = windows.sort((a, b) => a.remaining(at) - b.remaining(at))[0];
		const answer = {
			refused,
			retryAfterMs: refused ? this.retryAfter(waitMs) : undefined,
			count: tightest && this.headersOf(tightest, at),
		};
		await this.clock.sleep(this.behaviour.answerMs());
		this.inFlight--;
		return answer;
	}

	get accepted() {
		return this.arrivals.filter(({ accepted }) => accepted);
	}

	get refused() {
		return this.arrivals.length - this.accepted.length;
	}

	private windowOf(name: string): CountedWindow | undefined {
		const limit = this.behaviour.limits[name];
		if (!limit) return undefined;
		const { count: requests, windowMs } = limit;
		const { window } = this.behaviour;
		const counted = this.windows.get(name) ?? new CountedWindow({ requests, windowMs, window });
		this.windows.set(name, counted);
		return counted;
	}

	private retryAfter(waitMs: number): number {
		const { retryAfter } = this.behaviour;
		if (typeof retryAfter === 'number') return retryAfter;
		return (retryAfter === 'rounded up' ? Math.ceil(waitMs / 1000) : Math.floor(waitMs / 1000)) * 1000;
	}

	private headersOf(window: CountedWindow, at: number): SimulatedAnswer['count'] {
		const count = this.behaviour.saidLimit ?? window.limit.requests;
		switch (this.behaviour.headers) {
			case 'none':
				return undefined;
			case 'true':
				return { limit: count, remaining: window.remaining(at) };
			case 'constant':
				return { limit: count, remaining: count - 1 };
			case 'jumping':
				return { limit: count, remaining: Math.floor(this.random() * (count + 1)) };
		}
	}
}
