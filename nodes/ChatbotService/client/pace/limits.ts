/** At most `count` requests within any `windowMs` milliseconds. */
export interface Limit {
	count: number;
	windowMs: number;
	/** Set where it is not known whether the limit applies to the request. */
	assumed?: true;
}

/** The limits that a request counts towards, by name; requests with a limit of the same name share it. */
export type Limits = Record<string, Limit>;

/** What a request has to keep, and how its credential shares that. */
export interface Terms {
	limits: Limits;
	/** Among how many processes the limits are shared. */
	workers: number;
	/** Whether what is left of a minute, by the service's own count, is used at once. */
	bursts: boolean;
}

/** Services round the wait that they ask for down to whole seconds. */
export const roundingMs = 1000;

/** The same for requests that share all their limits. */
export const nameOf = (limits: Limits): string => Object.keys(limits).join();

/** What the services document, for all operations of an account together. */
export const usualRequestsPerSecond = 2;

/** Name of the limit of the account. */
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
 * All limits of a request. An account without a limit is one whose owner wants no pace where none is documented, so that
 * limits which are only assumed go with it.
 */
export function joinLimits(account: Limits, operation: Limits): Limits {
	const known = Object.entries(operation).filter(([, limit]) => accountLimit in account || !limit.assumed);
	return { ...account, ...Object.fromEntries(known) };
}

/**
 * The part of a limit that one of several processes may use. Whole requests per window where that wastes little, else evenly
 * spaced ones: processes that know nothing of each other can then be one over within a window, which the service refuses.
 */
export function shareOf({ count, windowMs }: Limit, workers: number): Limit {
	const whole = Math.floor(count / workers);
	return whole * workers >= count * 0.9
		? { count: whole, windowMs }
		: { count: 1, windowMs: (windowMs * workers) / count };
}
