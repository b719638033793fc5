const POLL_MS = 100;

/** Repeats assertions about something that changes until they hold; after a minute they fail as they stand. */
export async function eventually(assertions: () => Promise<void>, timeoutMs = 60_000): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		try {
			return await assertions();
		} catch (error) {
			if (Date.now() > deadline) throw error;
		}
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}

/** Waits until a condition is met. */
export async function until(isMet: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await isMet())) {
		if (Date.now() > deadline) {
			throw new Error(`What was waited for did not happen within ${timeoutMs / 1000} seconds`);
		}
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}
