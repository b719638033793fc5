import type { Limit } from './limits';

/*
 * The service's own count of a minute. Laravel puts X-RateLimit-Limit and X-RateLimit-Remaining on its answers: "2 per second" is
 * 120 per minute. Always: nothing leaves in a minute whose count is used up. With 'Use the Rest of the Minute at Once': what is left.
 */

/** The count in one answer: requests that a window allows, and requests that are left in it. */
export interface Count {
	limit: number;
	remaining: number;
}

/** The count in the headers of an answer; undefined if it is missing or is no number. */
export function readCount(headers: Record<string, unknown>): Count | undefined {
	const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) =>
		/^\d{1,9}$/.test(String(headers[name])) ? Number(headers[name]) : NaN,
	) as [number, number];
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}

const minuteMs = 60_000;

/** How long a count is not trusted after it was wrong. */
const distrustMs = 60 * minuteMs;

/** Answers overtake each other, so a count may be this much higher than an earlier one. */
const overtaken = 30;

/** The last requests of a minute leave at the even pace, because those of other processes may be in flight. */
const reserve = 10;

/** The current minute, if this process began it, according to the answers. */
export class Bursts {
	/** Requests that may leave at once. */
	private left = 0;
	private endsAt = -Infinity;
	private underWay = 0;
	/** Answers in this minute. A burst has no more requests in flight. */
	private answers = 0;
	private trustedFrom = -Infinity;

	/** Whether another request may leave at once. */
	isReady(now: number): boolean {
		return now < this.endsAt && this.left > reserve && this.underWay < this.answers;
	}

	get usedUpUntil(): number {
		return this.left <= 0 ? this.endsAt : -Infinity;
	}

	send() {
		this.underWay++;
		this.left--;
	}

	/** @param account its limit, if any: a count of another one says nothing about the minute */
	answered(now: number, count: Count | undefined, account: Limit | undefined) {
		this.underWay--;
		if (!count || !account || now < this.trustedFrom) return;
		if (count.limit !== Math.round((account.count * minuteMs) / account.windowMs)) return;
		const left = count.remaining - this.underWay;
		if (now >= this.endsAt) {
			if (count.remaining < count.limit - reserve) return;
			this.left = left;
			this.endsAt = now + minuteMs;
			this.answers = 1;
		} else if (left > this.left + overtaken) this.distrust(now);
		else {
			this.left = Math.min(this.left, left);
			this.answers++;
		}
	}

	/** After the wait of a refusal, the minute is over. The count was wrong if requests should have been left. */
	refused(now: number) {
		if (this.left > 0 && now < this.endsAt) this.distrust(now);
		this.endsAt = now;
	}

	private distrust(now: number) {
		this.trustedFrom = now + distrustMs;
		this.endsAt = now;
	}
}
