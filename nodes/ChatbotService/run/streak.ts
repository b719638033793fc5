import { manyUnknown, type Failure } from '../client/failure/failure';
import { hasFailed, type Result } from '../client/failure/result';

/*
 * Which failures in a row stop a broadcast. Whom a failure concerns is `concerns` in client/failure/failure.ts; how long trouble is waited
 * for is in client/failure/retry.ts and client/pace/gate.ts.
 */

/** Refusals in a row, of different items, that mean the account: the token, the plan, an endpoint that does not exist. */
const mostRefusals = 3;

/** Unknown outcomes in a row. The people behind these items are in doubt. */
const mostUnknown = 20;

/** Counts failures in a row that are not the fault of single items. Every other outcome resets the count. */
export class Streak {
	private refusals = 0;
	private unknown = 0;

	/** Notes how the request of an item ended. @returns why no other item should be attempted, if so */
	after(outcome: Result): Failure | undefined {
		const failure = hasFailed(outcome) ? outcome.failure : undefined;
		this.unknown = failure?.outcome === 'unknown' ? this.unknown + 1 : 0;
		this.refusals = !this.unknown && failure?.concerns === 'account' ? this.refusals + 1 : 0;
		if (this.refusals >= mostRefusals) return failure;
		return this.unknown >= mostUnknown ? manyUnknown(this.unknown, failure!) : undefined;
	}
}
