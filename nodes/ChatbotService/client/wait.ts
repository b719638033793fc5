import { sleep, sleepWithAbort } from 'n8n-workflow';

/* n8n's rules forbid timers of one's own, so all waiting is done with those of n8n-workflow. */

/** Waits, or ends at once when the signal does. @param milliseconds at most; it never throws */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	// It rejects when the signal ends it; whoever waited asks the signal.
	await sleepWithAbort(milliseconds, signal).catch(() => {});
}

/** Lets everything else in the process have its turn. */
export const letOthersGoOn = async (): Promise<void> => await sleep(0);
