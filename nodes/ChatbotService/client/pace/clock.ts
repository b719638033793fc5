import { sleep } from 'n8n-workflow';

/** Time as the pace and n8n's store see it: monotonic, in milliseconds. */
export interface Clock {
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = { now: () => performance.now(), sleep };
