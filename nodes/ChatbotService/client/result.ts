import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './failure';

/** A request that was given up. */
export interface Failed {
	failure: Failure;
}

/** How a request ended: with what the service answered, or with the reason why there is no answer. */
export type Result = { rows: IDataObject[] } | Failed;

/** How a request without a result was left: it never left n8n, or it was under way when its caller stopped. */
export type Left = 'notSent' | 'interrupted';

export const hasFailed = (outcome: Result | Left | undefined): outcome is Failed =>
	typeof outcome === 'object' && 'failure' in outcome;

/** Whether the service may have done all the same what has failed. */
export const isUnknown = (outcome: Result | Left): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';
