/*
 * The service counts a request at some time before its answer, which nobody says. Taking the answer for it is always safe, and
 * costs nothing while answers are fast. Slow answers are mostly slow because the service works: then the request is taken to have
 * been counted shortly after it had left. A refusal while that is done says that the service counts later, so that more of its
 * answers are taken for it, until the guess has been right for long.
 */

/** How long requests usually take from here until the service counts them, in milliseconds; and the longest that is guessed. */
export const usualLatencyMs = 35;
const longestLatencyMs = 16 * usualLatencyMs;

/** What a wrong guess makes of the latency, and how many requests without one undo that again. */
const longer = 4;
const requestsToTrustIt = 200;

/** A request as far as its arrival is concerned. Times are of a monotonic clock, in milliseconds. */
export interface SentRequest {
	sentAt: number;
	/** By when it had left this process; undefined while that is not known. */
	leftBy: number | undefined;
	answeredAt: number | undefined;
	/** Sent before any answer had come: nothing tells how long it takes to arrive. */
	isFirst: boolean;
}

/** When a request is asked for: slowed down, requests are so far apart that there is room for a longer latency. */
interface Moment {
	now: number;
	isSlowedDown: boolean;
}

/** Decides when the service is taken to have counted each request. */
export class ArrivalEstimate {
	private latencyMs = usualLatencyMs;

	/** When the latency was last taken to be longer or shorter. */
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

	/** When a request was counted, or will have been. */
	countedAt({ sentAt, leftBy, answeredAt, isFirst }: SentRequest, { now, isSlowedDown }: Moment): number {
		const latencyMs = isSlowedDown ? usualLatencyMs : this.latencyMs;
		// What has not left may arrive at any time from now on.
		const arrivedAt = leftBy === undefined ? Math.max(sentAt + latencyMs, now) : leftBy + latencyMs;
		if (answeredAt === undefined) return arrivedAt;
		return isFirst || answeredAt <= arrivedAt + latencyMs ? answeredAt : arrivedAt;
	}

	/** Whether a request is only guessed to be counted: its answer is not there, or came later than that. */
	isGuessed(request: SentRequest, moment: Moment): boolean {
		return this.countedAt(request, moment) < (request.answeredAt ?? Infinity);
	}

	/** A guess was wrong. @returns whether a longer latency explains it; false when it is the longest already */
	guessLonger(now: number): boolean {
		if (this.latencyMs >= longestLatencyMs) return false;
		this.latencyMs *= longer;
		this.changedAt = now;
		return true;
	}

	/** Takes the latency to be shorter again when the guess has been right for long. @param spacingMs from one request to the next */
	recover(now: number, spacingMs: number) {
		if (this.isUsual || now - this.changedAt < requestsToTrustIt * spacingMs) return;
		this.latencyMs /= longer;
		this.changedAt = now;
	}

	/** Whether requests are taken to arrive as they usually do. */
	get isUsual(): boolean {
		return this.latencyMs === usualLatencyMs;
	}
}
