/** A rate-limit window: how many requests have counted in it, and when the next one can. */
export class CountedWindow {
	private moments: number[] = [];
	/** End of a fixed window. */
	private endsAt = -Infinity;

	constructor(readonly limit: { requests: number; windowMs: number; window: 'sliding' | 'fixed' }) {}

	remaining(now: number): number {
		const { requests, windowMs, window } = this.limit;
		if (window === 'sliding') this.moments = this.moments.filter((moment) => moment > now - windowMs);
		else if (now >= this.endsAt) this.moments = [];
		return requests - this.moments.length;
	}

	/** The wait until a request can count; 0 if it can count now. */
	waitMs(now: number): number {
		if (this.remaining(now) > 0) return 0;
		// Delays in transit let requests overtake each other, so the first counted request need not be the oldest.
		const oldest = Math.min(...this.moments);
		return (this.limit.window === 'fixed' ? this.endsAt : oldest + this.limit.windowMs) - now;
	}

	count(now: number): void {
		if (this.remaining(now) === this.limit.requests) this.endsAt = now + this.limit.windowMs;
		this.moments.push(now);
	}
}
