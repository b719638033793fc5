import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './failure';

/* How a request can end. */

export interface Failed {
	failure: Failure;
	/** What is done of an item that needs several changes, and what is not. The failure itself can concern other items too. */
	before?: string;
}

/** The rows of an answer, or of all pages that were read. */
export interface Done {
	rows: IDataObject[];
	/** The next page, if the list has more. */
	next?: number | undefined;
	/** What the user should know about the result. */
	notice?: string | undefined;
}

/** How a request ended: with the rows of the answer, or with the reason why there are none. */
export type Result = Done | Failed;

/** State of a request without a result: never sent, or in progress when its caller stopped. */
export type Left = 'notSent' | 'interrupted';

export const isDone = (outcome: Result | Left | undefined): outcome is Done =>
	typeof outcome === 'object' && 'rows' in outcome;

export const hasFailed = (outcome: Result | Left | undefined): outcome is Failed =>
	typeof outcome === 'object' && 'failure' in outcome;

/** Whether a request has failed although the service may have processed it. */
export const isUnknown = (outcome: Result | Left): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';
