import type { Failure } from './result';

/* What a failure tells the user to do, if that depends on the operation, the credential or the limits of the request. */

/** Texts of an operation that changes something. They extend the description of a failure. */
export interface Advice {
	/** For an unknown outcome: what may have happened and what to do. */
	unknown: string;
	/** For a refusal by a limit although the node kept the limits that it assumed. */
	assumedLimits?: string;
}

/** Something that must exist in the service for a request to succeed. */
export interface Expected {
	/** Label of the field that names it. */
	label: string;
	/** Such as 'contact with this ID'. */
	whatItIs: string;
}

/** For an unknown outcome of an operation that only reads, and so has no advice. Never said of a change. */
export const ofReading = 'Nothing was changed. Try again later.';

/** What to do about a failure, without saying that nothing was sent. */
export const adviceIn = ({ description }: { description: string }) =>
	description.replace(/^Nothing was (?:sent|done)\. /, '');

/**
 * Puts the operation's advice before the description, because what the user can do matters most.
 *
 * @param advice undefined for an operation that only reads
 * @param hasAssumed whether the node assumed limits for the request
 */
export function withAdvice(failure: Failure, advice: Advice | undefined, hasAssumed = false): Failure {
	const { outcome, repeat, concerns } = failure;
	let first: string | undefined;
	// If repeating is pointless, the description already says what to do.
	if (outcome === 'unknown') first = advice?.unknown ?? (repeat === 'pointless' ? undefined : ofReading);
	else if (concerns === 'limit' && hasAssumed) first = advice?.assumedLimits;
	return first ? saidFirst(first, failure) : failure;
}

const saidFirst = (advice: string, failure: Failure): Failure => ({
	...failure,
	description: `${advice} ${failure.description}`.trim(),
});

const tokenIntoQuery =
	"If each request ends like this, choose Query Parameter under 'Token Placement' in the credential: LEADTEX has responded like this to a token in a header.";

/** For a request with its token in a header. LEADTEX has been seen to look for it only in the query, and to answer with 500. */
export const withTokenAdvice = (failure: Failure): Failure =>
	failure.status === 500 ? saidFirst(tokenIntoQuery, failure) : failure;
