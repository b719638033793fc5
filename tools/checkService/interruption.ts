import { Interrupted } from './call';

/* Ctrl+C. The first one ends the questions and requests, so that what was made can be removed. */

/** Asks until the person interrupts. */
export function interruptible<Given extends unknown[]>(
	ask: (...given: Given) => Promise<string>,
	signal = new AbortController().signal,
): (...given: Given) => Promise<string> {
	return async (...given) =>
		await new Promise<string>((resolve, reject) => {
			const interrupt = () => reject(new Interrupted());
			if (signal.aborted) return interrupt();
			signal.addEventListener('abort', interrupt, { once: true });
			ask(...given)
				.then(resolve, reject)
				.finally(() => signal.removeEventListener('abort', interrupt));
		});
}

/** @param again called for every further Ctrl+C */
export function interruption(again: () => void): AbortSignal {
	const controller = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM'] as const)
		process.on(name, () => (controller.signal.aborted ? again() : controller.abort()));
	return controller.signal;
}
