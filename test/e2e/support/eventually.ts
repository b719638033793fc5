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
