import type { Limit, Limits } from '../../nodes/ChatbotService/client/limits';
import type { VirtualClock } from './clock';

/* A service in virtual time: when requests arrive, when they are counted, what is refused and what the answers say of it. */

/** What the service does with requests. */
export interface ServiceManners {
	/** Requests let through within a window, by limit; a limit that is not here lets everything through. */
	limits: Limits;
	/** A sliding window sees any stretch of its length; a fixed one begins with the first request after the one before. */
	window: 'sliding' | 'fixed';
	/** Until a request is counted. */
	wayMs: () => number;
	/** From then until the answer is back. */
	answerMs: () => number;
	/** What a refusal asks to wait: so many milliseconds, or what is left of the window in whole seconds. */
	retryAfter: number | 'rounded up' | 'cut off' | 'none';
	/** What answers say of the count: the truth, nothing, or something else. */
	headers: 'true' | 'none' | 'constant' | 'jumping';
	/** Limit that answers name instead of the true one. */
	saidLimit?: number;
}

export const usualManners: Omit<ServiceManners, 'limits'> = {
	window: 'sliding',
	wayMs: () => 1,
	answerMs: () => 1,
	retryAfter: 'rounded up',
	headers: 'none',
};

export interface Arrival {
	/** Whose request it is. */
	name: string;
	/** When it was counted. */
	at: number;
	accepted: boolean;
}

/** What an answer says; the headers of a real one. */
export interface SimulatedAnswer {
	refused: boolean;
	retryAfterMs: number | undefined;
	count: { limit: number; remaining: number } | undefined;
}

/** Counts arrivals and refuses what is over; refused ones do not count. */
export class SimulatedService {
	readonly arrivals: Arrival[] = [];

	inFlight = 0;

	peak = 0;

	private readonly manners: ServiceManners;

	private readonly windows = new Map<string, CountedWindow>();

	constructor(
		private readonly clock: VirtualClock,
		manners: Partial<ServiceManners> & Pick<ServiceManners, 'limits'>,
		private readonly random: () => number = () => 0.5,
	) {
		this.manners = { ...usualManners, ...manners };
	}

	async receive(name: string, limits: string[]): Promise<SimulatedAnswer> {
		this.peak = Math.max(this.peak, ++this.inFlight);
		await this.clock.sleep(this.manners.wayMs());
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
		await this.clock.sleep(this.manners.answerMs());
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
		const limit = this.manners.limits[name];
		if (!limit) return undefined;
		const window = this.windows.get(name) ?? new CountedWindow(limit, this.manners.window);
		this.windows.set(name, window);
		return window;
	}

	private retryAfter(waitMs: number): number | undefined {
		const { retryAfter } = this.manners;
		if (typeof retryAfter === 'number') return retryAfter;
		if (retryAfter === 'none') return undefined;
		return (retryAfter === 'rounded up' ? Math.ceil(waitMs / 1000) : Math.floor(waitMs / 1000)) * 1000;
	}

	private headersOf(window: CountedWindow, at: number): SimulatedAnswer['count'] {
		const count = this.manners.saidLimit ?? window.limit.count;
		switch (this.manners.headers) {
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

class CountedWindow {
	private moments: number[] = [];

	private endsAt = -Infinity;

	constructor(
		readonly limit: Limit,
		private readonly kind: ServiceManners['window'],
	) {}

	/** How long until a request would be counted; 0 for at once. */
	waitMs(at: number): number {
		if (this.remaining(at) > 0) return 0;
		return this.kind === 'fixed' ? this.endsAt - at : Math.min(...this.moments) + this.limit.windowMs - at;
	}

	count(at: number) {
		if (this.remaining(at) === this.limit.count) this.endsAt = at + this.limit.windowMs;
		this.moments.push(at);
	}

	remaining(at: number): number {
		const isOver = this.kind === 'fixed' && at >= this.endsAt;
		this.moments = isOver
			? []
			: this.moments.filter((moment) => this.kind === 'fixed' || moment > at - this.limit.windowMs);
		return this.limit.count - this.moments.length;
	}
}
