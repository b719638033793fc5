import { streakOf } from '../client/failure/after';
import { manyUnknown, type Failure } from '../client/failure/failure';
import { hasFailed, type Result } from '../client/failure/result';

/** Counts failures in a row that are not the fault of single items. Every other outcome resets the count. */
export class Streak {
	private failure: Failure | undefined;
	private latest: ReturnType<typeof streakOf>;
	private count = 0;
	private hasSucceeded = false;

	/** Notes how the request of an item ended. @returns why no other item should be attempted, if so */
	after(outcome: Result): Failure | undefined {
		const failure = hasFailed(outcome) ? outcome.failure : undefined;
		// One request that several items have waited for.
		if (failure && failure === this.failure) return undefined;
		this.failure = failure;
		this.hasSucceeded ||= !failure;
		const streak = failure && streakOf(failure, this.hasSucceeded);
		this.count = streak?.of === this.latest?.of ? this.count + 1 : 1;
		this.latest = streak;
		if (!streak || this.count < streak.most) return undefined;
		return streak.of === 'unknown' ? manyUnknown(this.count, failure!) : failure;
	}
}
