import { SlidingWindow, type Report, type Settings } from './window';

/** A limit at the pace of one credential. */
interface Pace {
	settings: Settings;
	/** Requests per millisecond. */
	perMs: number;
	window: SlidingWindow;
	/** The latest request of this very pace. */
	latest?: Report;
}

/**
 * A limit of the service, for which the credentials of an account may have different paces. Each pace has a window, which also counts
 * the requests of all that are not faster: so each request keeps its own pace, and all together keep the fastest one in use.
 */
export class Paces {
	private paces: Pace[] = [];

	/** The window of a pace. */
	of(settings: Settings): SlidingWindow {
		const known = this.paces.find((pace) => isSame(pace.settings, settings));
		if (known) return known.window;
		const perMs = settings.limit.count / settings.limit.windowMs / settings.workers;
		const [slower] = this.paces.filter((pace) => pace.perMs <= perMs).sort((a, b) => b.perMs - a.perMs);
		const window = new SlidingWindow(settings, slower?.window);
		this.paces.push({ settings, perMs, window });
		return window;
	}

	/** The windows of other paces that requests of one count towards as well: all that are not slower. */
	besides(window: SlidingWindow): SlidingWindow[] {
		return this.pacesBesides(window).map((pace) => pace.window);
	}

	/**
	 * When another request may be sent at a pace, at the earliest.
	 *
	 * @param isWaiting whether requests of a pace wait to be sent
	 */
	readyAt(window: SlidingWindow, now: number, isWaiting: (window: SlidingWindow) => boolean): number {
		const inUse = this.pacesBesides(window).filter(
			(pace) => pace.latest?.isInWindow(now) || isWaiting(pace.window),
		);
		// A refusal at one pace holds back all of them: at the service it is one limit.
		const pauses = this.paces.map((pace) => pace.window.pausedUntil);
		return Math.max(window.readyAt(now), ...pauses, ...inUse.map((pace) => pace.window.readyAt(now)));
	}

	/** Notes a request that is sent at a pace, in the window of that, which comes first, and in all others that it counts towards. */
	send(window: SlidingWindow, now: number): Array<Report & { window: SlidingWindow }> {
		const reports = [window, ...this.besides(window)].map((each) => ({ window: each, ...each.send(now) }));
		this.paceOf(window).latest = reports[0]!;
		return reports;
	}

	/** Whether nothing that was sent or learned matters any more. */
	isLikeNew(now: number): boolean {
		return this.paces.every(({ window }) => window.isLikeNew(now));
	}

	private pacesBesides(window: SlidingWindow): Pace[] {
		const own = this.paceOf(window);
		return this.paces.filter((pace) => pace !== own && pace.perMs >= own.perMs);
	}

	private paceOf(window: SlidingWindow): Pace {
		return this.paces.find((pace) => pace.window === window)!;
	}
}

const isSame = (one: Settings, other: Settings): boolean =>
	one.limit.count === other.limit.count &&
	one.limit.windowMs === other.limit.windowMs &&
	one.workers === other.workers &&
	one.bursts === other.bursts;
