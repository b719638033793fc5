import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './failure';

/** A request that was given up. */
export interface Failed {
	failure: Failure;
}

/** How a request ended: with the rows of the answer, or with the reason why there are none. */
export type Result = { rows: IDataObject[] } | Failed;

/** State of a request without a result: never sent, or in progress when its caller stopped. */
export type Left = 'notSent' | 'interrupted';

export const hasFailed = (outcome: Result | Left | undefined): outcome is Failed =>
	typeof outcome === 'object' && 'failure' in outcome;

/** Whether a request has failed although the service may have processed it. */
export const isUnknown = (outcome: Result | Left): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';
