/** At most `count` requests within any `windowMs` milliseconds. */
export interface Limit {
	count: number;
	windowMs: number;
	/** Set if it is not known whether the limit applies to the request. */
	assumed?: true;
}

/** The limits that a request counts towards, by name. Requests share limits with the same name. */
export type Limits = Record<string, Limit>;

/** The limits of a request, and how its credential uses them. */
export interface Terms {
	limits: Limits;
	/** Number of processes that share the limits. */
	workers: number;
	/** Whether to use the rest of a minute at once, by the service's own count. */
	bursts: boolean;
}

/** Services round the wait that they ask for down to whole seconds. */
export const roundingMs = 1000;

/** Equal for requests that share all their limits. */
export const nameOf = (limits: Limits): string => Object.keys(limits).join();

/** Documented limit of an account over all operations. */
export const usualRequestsPerSecond = 2;

export const accountLimit = 'account';

/** Limit of the account over all operations; none for 0. @param requestsPerSecond may be a fraction */
export function accountLimits(requestsPerSecond: number): Limits {
	if (!(requestsPerSecond > 0)) return {};
	return {
		[accountLimit]: Number.isInteger(requestsPerSecond)
			? { count: requestsPerSecond, windowMs: 1000 }
			: { count: 1, windowMs: 1000 / requestsPerSecond },
	};
}

/**
 * All limits of a request. If the account has no limit, its owner wants no pace beyond the documented limits, so assumed limits
 * do not apply.
 */
export function joinLimits(account: Limits, operation: Limits): Limits {
	const known = Object.entries(operation).filter(([, limit]) => accountLimit in account || !limit.assumed);
	return { ...account, ...Object.fromEntries(known) };
}

/**
 * The share of a limit that one of several processes may use: whole requests per window if that wastes little, otherwise evenly
 * spaced requests. Evenly spaced processes, which do not know each other's requests, can exceed the limit by one within a window,
 * and the service refuses that request.
 */
export function shareOf({ count, windowMs }: Limit, workers: number): Limit {
	const whole = Math.floor(count / workers);
	return whole * workers >= count * 0.9
		? { count: whole, windowMs }
		: { count: 1, windowMs: (windowMs * workers) / count };
}
