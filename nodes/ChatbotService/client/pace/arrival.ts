/*
 * The service counts a request at an unknown time before its answer. The time of the answer is always a safe estimate, and costs
 * nothing while answers are fast. A slow answer mostly means that the service works on the request, so the request is assumed to
 * have been counted shortly after it was sent. A refusal under this assumption shows that the service counts later. The assumed
 * latency then grows, so that the time of the answer is used for more requests, until the estimate has been right for a long time.
 */

/** Usual time in milliseconds from sending a request until the service counts it, and the longest time that is assumed. */
export const usualLatencyMs = 35;
const longestLatencyMs = 16 * usualLatencyMs;

/** Factor for the latency after a wrong estimate, and the number of requests without one that undoes it. */
const longer = 4;
const requestsToTrustIt = 200;

/** A request as the estimate sees it. Times are those of a monotonic clock, in milliseconds. */
export interface SentRequest {
	sentAt: number;
	/** The latest time at which it left this process; undefined if not known yet. */
	leftBy: number | undefined;
	answeredAt: number | undefined;
	/** Sent before the first answer, so the time until it arrives is not known. */
	isFirst: boolean;
}

/** The current time. While slowed down, requests are so far apart that a longer latency does not matter. */
interface Moment {
	now: number;
	isSlowedDown: boolean;
}

export class ArrivalEstimate {
	private latencyMs = usualLatencyMs;

	/** When the latency last changed. */
	private changedAt = 0;

	private hasAnswered = false;

	/** Notes a request that is sent now. */
	send(now: number): SentRequest {
		return { sentAt: now, leftBy: undefined, answeredAt: undefined, isFirst: !this.hasAnswered };
	}

	/** Notes the answer to a request. */
	answered(request: SentRequest, at: number) {
		request.answeredAt = at;
		this.hasAnswered = true;
	}

	/** When a request was counted, or will be. */
	countedAt({ sentAt, leftBy, answeredAt, isFirst }: SentRequest, { now, isSlowedDown }: Moment): number {
		const latencyMs = isSlowedDown ? usualLatencyMs : this.latencyMs;
		// A request that has not left may arrive at any time from now on.
		const arrivedAt = leftBy === undefined ? Math.max(sentAt + latencyMs, now) : leftBy + latencyMs;
		if (answeredAt === undefined) return arrivedAt;
		return isFirst || answeredAt <= arrivedAt + latencyMs ? answeredAt : arrivedAt;
	}

	/** Whether the time of a request is only estimated: there is no answer, or it came later than the estimate. */
	isGuessed(request: SentRequest, moment: Moment): boolean {
		return this.countedAt(request, moment) < (request.answeredAt ?? Infinity);
	}

	/** Notes a wrong estimate. @returns whether a longer latency explains it; false if it is the longest already */
	guessLonger(now: number): boolean {
		if (this.latencyMs >= longestLatencyMs) return false;
		this.latencyMs *= longer;
		this.changedAt = now;
		return true;
	}

	/** Shortens the latency again if the estimate has been right for a long time. @param spacingMs from one request to the next */
	recover(now: number, spacingMs: number) {
		if (this.isUsual || now - this.changedAt < requestsToTrustIt * spacingMs) return;
		this.latencyMs /= longer;
		this.changedAt = now;
	}

	get isUsual(): boolean {
		return this.latencyMs === usualLatencyMs;
	}
}
