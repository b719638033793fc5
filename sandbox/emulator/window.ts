/** At most so many requests in a time; how many have counted in it, and when the next one can. */
export class CountedWindow {
	private moments: number[] = [];
	/** Of a fixed window. */
	private endsAt = -Infinity;

	/**
	 * @param limit.window `sliding`: any stretch of that length; `fixed`: one after the other, each of which begins with the first
	 * request that comes after the end of the one before
	 */
	constructor(readonly limit: { requests: number; windowMs: number; window: 'sliding' | 'fixed' }) {}

	remaining(now: number): number {
		const { requests, windowMs, window } = this.limit;
		if (window === 'sliding') this.moments = this.moments.filter((moment) => moment > now - windowMs);
		else if (now >= this.endsAt) this.moments = [];
		return requests - this.moments.length;
	}

	/** How long until a request can count; 0 for at once. */
	waitMs(now: number): number {
		if (this.remaining(now) > 0) return 0;
		// Delays on the way let requests overtake each other, so the first counted need not be the oldest.
		const oldest = Math.min(...this.moments);
		return (this.limit.window === 'fixed' ? this.endsAt : oldest + this.limit.windowMs) - now;
	}

	count(now: number): void {
		if (this.remaining(now) === this.limit.requests) this.endsAt = now + this.limit.windowMs;
		this.moments.push(now);
	}
}
