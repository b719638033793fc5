import { isDone } from '../client/failure/result';
import { isEmpty } from '../shared/values';
import type { Delivery } from './delivery';
import type { Outcomes } from './outcome';
import { ItemRequests } from './requests';

/**
 * Completes the rows of changes whose answers lack the record, when all items of a run are sent: what they look for is then read once
 * for all. Items that were done in an earlier run are among them.
 */
export async function completeRows(delivery: Delivery, outcomes: Outcomes) {
	const { operation, reader, check } = delivery.prepared;
	if (!operation.completes) return;
	for (let index = 0; index < outcomes.expected; index++) {
		await delivery.slices.next();
		const outcome = outcomes.of(index);
		if (!isDone(outcome) || !isEmpty(outcome.rows[0]?.id)) continue;
		const values = check.valuesOf(reader.valuesOf(index));
		if ('problems' in values) continue;
		const requests = new ItemRequests(delivery, values);
		// The item is done, whatever is wrong here.
		outcomes.complete(index, await values.completion!(requests).catch(() => ({})));
	}
}
