import { SlidingWindow, type Settings } from './window';

/** A limit at the pace of one credential. */
interface Pace {
	settings: Settings;
	/** Requests per millisecond. */
	perMs: number;
	window: SlidingWindow;
	/** When a request of this very pace was sent last. */
	sentAt: number;
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
		this.paces.push({ settings, perMs, window, sentAt: -Infinity });
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
			(pace) => pace.sentAt > now - pace.window.windowMs || isWaiting(pace.window),
		);
		return Math.max(window.readyAt(now), ...inUse.map((pace) => pace.window.readyAt(now)));
	}

	/** Notes that a request of a pace is sent. */
	send(window: SlidingWindow, now: number) {
		this.paceOf(window).sentAt = now;
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
