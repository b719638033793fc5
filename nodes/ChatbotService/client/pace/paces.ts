import { SlidingWindow, type Hit, type Rate } from './window';

/** A limit at the pace of one credential. */
interface Pace {
	rate: Rate;
	/** Requests per millisecond. */
	perMs: number;
	window: SlidingWindow;
	/** The latest request of this very pace. */
	latest?: Hit;
}

/**
 * A limit of the service, for which the credentials of an account may have different paces. Each pace has a window, which also counts
 * the requests of all that are not faster: so each request keeps its own pace, and all together keep the fastest one in use.
 */
export class Paces {
	private paces: Pace[] = [];

	/** The window of a pace. */
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
	 * When another request may be sent at a pace, at the earliest.
	 *
	 * @param isWaiting whether requests of a pace wait to be sent
	 */
	readyAt(window: SlidingWindow, now: number, isWaiting: (window: SlidingWindow) => boolean): number {
		const inUse = this.besides(window).filter(
			({ window: each, latest }) => (latest && each.holds(latest, now)) || isWaiting(each),
		);
		// A refusal at one pace holds back all of them: at the service it is one limit.
		const pauses = this.paces.map((pace) => pace.window.pausedUntil);
		return Math.max(window.readyAt(now), ...pauses, ...inUse.map((pace) => pace.window.readyAt(now)));
	}

	/** Notes a request that is sent at a pace. @returns it as each window counts it; the window of its own pace stands first */
	send(window: SlidingWindow, now: number): Array<{ window: SlidingWindow; hit: Hit }> {
		const windows = [window, ...this.besides(window).map((pace) => pace.window)];
		const bookings = windows.map((each) => ({ window: each, hit: each.send(now) }));
		this.paceOf(window).latest = bookings[0]!.hit;
		return bookings;
	}

	/** Whether nothing that was sent or learned matters any more. */
	isLikeNew(now: number): boolean {
		return this.paces.every(({ window }) => window.isLikeNew(now));
	}

	/** The other paces whose windows count the requests of one: all that are not slower. */
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
