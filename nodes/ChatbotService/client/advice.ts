/** What the user is told in the words of an operation. */
export interface Advice {
	/** For an unknown outcome: what may have happened, and what to do. Undefined for operations that only read. */
	unknown?: string;
	/** For a limit that was reached although the node kept the limits that it assumed. */
	assumedLimits?: string;
}

/** What must exist at the service for a request to succeed. */
export interface Expected {
	/** Of the field that names it. */
	label: string;
	/** Such as 'contact with this ID'. */
	whatItIs: string;
}

/** Said where an operation has no advice of its own, as it only reads. */
export const ofReading = 'Nothing was changed. Try again later.';

/** What advice depends on. */
interface Advisable {
	outcome: 'notDone' | 'unknown';
	repeat: string;
	description: string;
}

/**
 * A failure that says first what matters most: whether the item can be run again without harm, and the likeliest reason for a limit.
 *
 * @param given.hasAssumed whether limits were assumed for the request
 */
export function withAdvice<T extends Advisable>(
	failure: T,
	advice: Advice,
	{ hasAssumed }: { hasAssumed: boolean },
): T {
	const { outcome, repeat, description } = failure;
	let first: string | undefined;
	// Where reading again is pointless too, what to do stands in the description.
	if (outcome === 'unknown') first = advice.unknown ?? (repeat === 'pointless' ? undefined : ofReading);
	else if (repeat === 'afterLimit' && hasAssumed) first = advice.assumedLimits;
	return first ? { ...failure, description: `${first} ${description}`.trim() } : failure;
}
