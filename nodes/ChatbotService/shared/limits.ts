/** At most `count` requests within any `windowMs` milliseconds. */
export interface Limit {
	count: number;
	windowMs: number;
	/** Set where it is not known whether the limit applies to the request. */
	assumed?: true;
}

/** The limits that a request counts towards, by name; requests with a limit of the same name share it. */
export type Limits = Record<string, Limit>;

const tenSeconds = 10_000;

/* Messages per 10 seconds through sendMessage (interface, section 8). It states none for VK. */
const messengerLimits: Record<string, Limit> = {
	whatsapp: { count: 1, windowMs: tenSeconds },
	telegram: { count: 10, windowMs: tenSeconds },
	viber: { count: 10, windowMs: tenSeconds },
	max: { count: 10, windowMs: tenSeconds },
};

/**
 * Limits of a message by sendMessage.
 *
 * @param messenger ID of the messenger; undefined when the contact's is not known. WhatsApp, the slow one, must be named:
 * any other messenger is assumed, and so the message counts towards all of them.
 */
export function messageLimits(messenger: string | undefined): Limits {
	if (messenger === undefined) {
		return Object.fromEntries(
			['telegram', 'viber', 'max'].map((each) => [each, { ...messengerLimits[each]!, assumed: true }]),
		);
	}
	const limit = messengerLimits[messenger];
	return limit ? { [messenger]: limit } : {};
}

/** Limit of sendMessageToWhatsApp, 1 message per second (interface, section 8). */
export const whatsAppNumberLimits: Limits = { whatsAppNumber: { count: 1, windowMs: 1000 } };

/** Limit of the account over all operations; none for 0. @param requestsPerSecond may be a fraction */
export function accountLimits(requestsPerSecond: number): Limits {
	if (!(requestsPerSecond > 0)) return {};
	return {
		account: Number.isInteger(requestsPerSecond)
			? { count: requestsPerSecond, windowMs: 1000 }
			: { count: 1, windowMs: 1000 / requestsPerSecond },
	};
}

/**
 * All limits of a request. An account without a limit is one whose owner wants no pace where none is documented, so that
 * limits which are only assumed go with it.
 */
export function joinLimits(account: Limits, operation: Limits): Limits {
	const known = Object.entries(operation).filter(([, limit]) => 'account' in account || !limit.assumed);
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
