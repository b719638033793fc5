import { SlidingWindow, type Hit, type Rate } from './window';

interface Pace {
	rate: Rate;
	/** Requests per millisecond. */
	perMs: number;
	window: SlidingWindow;
	/** The latest request at this pace. */
	latest?: Hit;
}

/**
 * A limit of the service, for which the credentials of an account may set different paces. Each pace has a window that also
 * counts the requests at slower paces. So each request keeps its own pace, and all together keep the fastest pace in use.
 */
export class Paces {
	private paces: Pace[] = [];

	of(rate: Rate): SlidingWindow {
		const known = this.paces.find((pace) => isSame(pace.rate, rate));
		if (known) return known.window;
		const perMs = rate.limit.count / rate.limit.windowMs / rate.workers;
		const [slower] = this.paces.filter((pace) => pace.perMs <= perMs).sort((a, b) => b.perMs - a.perMs);
		const window = new SlidingWindow(rate, slower?.window);
		this.paces.push({ rate, perMs, window });
		return window;
	}

	/**
	 * The earliest time for another request at a pace.
	 *
	 * @param isWaiting whether requests of a pace are waiting
	 */
	readyAt(window: SlidingWindow, now: number, isWaiting: (window: SlidingWindow) => boolean): number {
		const inUse = this.besides(window).filter(
			({ window: each, latest }) => (latest && each.holds(latest, now)) || isWaiting(each),
		);
		// A refusal at one pace delays all paces, because the service has only one limit.
		const pauses = this.paces.map((pace) => pace.window.pausedUntil);
		return Math.max(window.readyAt(now), ...pauses, ...inUse.map((pace) => pace.window.readyAt(now)));
	}

	/** Notes a request at a pace. @returns the request as each window counts it, first the window of its own pace */
	send(window: SlidingWindow, now: number): Array<{ window: SlidingWindow; hit: Hit }> {
		const windows = [window, ...this.besides(window).map((pace) => pace.window)];
		const bookings = windows.map((each) => ({ window: each, hit: each.send(now) }));
		this.paceOf(window).latest = bookings[0]!.hit;
		return bookings;
	}

	/** Whether a new instance would behave the same. */
	isLikeNew(now: number): boolean {
		return this.paces.every(({ window }) => window.isLikeNew(now));
	}

	/** The other paces whose windows count the requests at this pace: all that are not slower. */
	private besides(window: SlidingWindow): Pace[] {
		const own = this.paceOf(window);
		return this.paces.filter((pace) => pace !== own && pace.perMs >= own.perMs);
	}

	private paceOf(window: SlidingWindow): Pace {
		return this.paces.find((pace) => pace.window === window)!;
	}
}

const isSame = (one: Rate, other: Rate): boolean =>
	one.limit.count === other.limit.count &&
	one.limit.windowMs === other.limit.windowMs &&
	one.workers === other.workers &&
	one.bursts === other.bursts;
