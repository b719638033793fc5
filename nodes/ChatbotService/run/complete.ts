import { isDone } from '../client/failure/result';
import { isEmpty } from '../shared/values';
import type { Delivery } from './delivery';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import { ItemRequests } from './requests';
import { sendingOf } from './values/requestOptions';

/**
 * Completes the rows of changes whose answers lack the record, when all items of a run are sent: what they look for is then read once
 * for all. Items that were done in an earlier run are among them.
 */
export async function completeRows(
	{ operation, reader, check }: Prepared,
	delivery: Delivery,
	outcomes: Outcomes,
	raw: Record<string, unknown>,
) {
	if (!operation.completes) return;
	for (let index = 0; index < outcomes.expected; index++) {
		await delivery.slices.next();
		const outcome = outcomes.of(index);
		if (!isDone(outcome) || !isEmpty(outcome.rows[0]?.id)) continue;
		const read = reader.valuesOf(index);
		const [values, sending] = [check.valuesOf(read), sendingOf(read, raw, operation)];
		if ('problems' in values || 'problems' in sending) continue;
		const requests = new ItemRequests(delivery, { values, ...sending }, undefined);
		// The item is done, whatever is wrong here.
		outcomes.complete(index, await values.completion!(requests).catch(() => ({})));
	}
}
