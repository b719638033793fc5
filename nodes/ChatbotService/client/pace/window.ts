import { Gate } from './gate';
import type { Failure } from '../failure/failure';
import { shareOf, type Limit } from './limits';

/*
 * One number keeps a limit: the slack, in milliseconds. The service counts a request at an unknown time before its answer.
 *
 *   - A request counts from its answer, but at the latest from the slack after it left: the service works on a slow answer.
 *   - As many requests as a window allows leave evenly within the slack. This slows down only once the slack exceeds the window.
 *
 * After a refusal, the slack grows: first to all latencies that occur, then beyond the window, and then a little with each refusal,
 * because the service may allow less than the credential says. While nothing is refused, it shrinks: hardly at first, because each step
 * too far is a refusal, and then quickly, because a process that shares the account would starve. The more often it had to grow, the longer
 * that takes. test/simulation shows the effect.
 */

/** The slack while nothing is refused, and how many times more it is after a refusal, as long as it stays within the window. */
const usualMs = 35;
const growthOfLatency = 8;

/** How a limit slows down: the first slack that does, in windows, and the factor after each further refusal. */
const alone = { first: 2.05, factor: 1.07 };

/** With 'n8n Processes' the pace is right, and a refusal only means that requests of two processes came too close. */
const shared = { first: 1.1, factor: 1.03 };

/** A longer wait, in windows, means that the service counts in longer ones. Waiting is enough then, without slowing down. */
const windowsOfAnother = 10;

/** The requests at the full pace after which slack that has grown is gone: at first, and after many refusals. */
const requestsToForget = 300;
const longestMemory = 16 * requestsToForget;

/** A request as one of its limits counts it. */
export interface Hit {
	window: Window;
	sentAt: number;
	/** When the service counted it at the latest; not known at first. */
	countedAt?: number;
}

/** The latest requests under one limit, and when the next one may leave. */
export class Window {
	/** Closed by a refusal. */
	readonly gate = new Gate();
	own!: Limit;
	/** Whether other processes have the same share. */
	private isShared!: boolean;
	/** The latest requests, oldest first. */
	private hits: Hit[] = [];
	private slack = usualMs;
	/** The requests after which it is gone: twice as many after each refusal that a latency explains, because the latency returns. */
	private memory = requestsToForget;
	private grownAt = 0;
	private refusedAt = -Infinity;
	private hasAnswered = false;

	constructor(
		readonly name: string,
		private limit: Limit,
		workers: number,
	) {
		this.use(limit, workers);
	}

	/** Notes the latest credential's limit, if it sets this one, and number of processes. */
	use(limit: Limit | undefined, workers: number) {
		this.limit = limit ?? this.limit;
		this.own = shareOf(this.limit, workers);
		this.isShared = workers > 1;
	}

	readyAt(now: number): number {
		const { count, windowMs } = this.own;
		const earlier = this.hits.at(-count);
		const last = this.hits.at(-1);
		return Math.max(
			earlier ? (earlier.countedAt ?? now) + windowMs : 0,
			last ? last.sentAt + this.slackMs(now) / count : 0,
		);
	}

	slackMs(now: number): number {
		const { count, windowMs } = this.own;
		const part = (now - this.grownAt) / ((this.memory * windowMs) / count);
		return Math.max(usualMs, this.slack * (1 - part ** 4));
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		const { count, windowMs } = this.own;
		return this.hits.filter(({ countedAt = now }) => countedAt > now - windowMs).length / count;
	}

	send(now: number): Hit {
		const hit: Hit = { window: this, sentAt: now };
		this.hits = [...this.hits, hit].slice(-2 * this.own.count);
		return hit;
	}

	/** The time after which a request counts. The first ones also connect, so only their answers tell. */
	latestMs(now: number): number {
		return this.hasAnswered ? Math.min(this.slackMs(now), this.own.windowMs) : this.own.windowMs;
	}

	/** Notes the answer to a request, or its end without one. An answer that comes soon is exact. */
	answered(hit: Hit, now: number) {
		this.hasAnswered = true;
		if (hit.countedAt === undefined || now <= hit.countedAt + this.latestMs(now)) hit.countedAt = now;
	}

	/** Notes that the service refused a request because of this limit. @param askedMs wait that it asked for */
	refused(hit: Hit, now: number, askedMs: number) {
		this.hits = this.hits.filter((each) => each !== hit);
		const wasInFlight = hit.sentAt < this.refusedAt;
		this.refusedAt = now;
		if (wasInFlight) return;
		const slack = this.grown(this.slackMs(now));
		if (slack > this.own.windowMs && askedMs > windowsOfAnother * this.own.windowMs) return;
		this.slack = slack;
		this.grownAt = now;
		this.memory = slack > this.own.windowMs ? requestsToForget : Math.min(longestMemory, 2 * this.memory);
	}

	private grown(slackMs: number): number {
		const { windowMs } = this.own;
		const { first, factor } = this.isShared ? shared : alone;
		if (slackMs * growthOfLatency < windowMs) return slackMs * growthOfLatency;
		return slackMs < windowMs ? windowMs * first : slackMs * factor;
	}
}

/**
 * The limit that a refusal refers to: the fullest, then the one with the least slack. A long wait indicates a long window. After one of
 * more than a minute, a messenger's limit is chosen, because the account's would stop everybody.
 */
export function likelyLimit(hits: Hit[], { retryAfterMs = 0 }: Failure, now: number): Hit | undefined {
	const longEnough = hits.filter(({ window }) => window.own.windowMs >= retryAfterMs);
	return [...(longEnough.length ? longEnough : hits)].sort(({ window: a }, { window: b }) => {
		const byLength = a.own.windowMs - b.own.windowMs;
		if (retryAfterMs > 60_000) return -byLength;
		return b.fullness(now) - a.fullness(now) || a.slackMs(now) - b.slackMs(now) || byLength;
	})[0];
}
