/*
 * n8n resumes an execution some milliseconds after an answer. If a second answer arrives in between, n8n calls the webhook again but
 * drops the answer. Without this check, the page would say that the second answer was received.
 */

/** After this time, n8n has resumed the execution and refuses further answers. If it could not resume, the next answer counts. */
const longestStartMs = 10_000;

const answeredAt = new Map<string, number>();

/** Whether an answer is the first one to its question. */
export function isFirstAnswer(question: string, now = performance.now()): boolean {
	for (const [each, at] of answeredAt) {
		if (now - at > longestStartMs) answeredAt.delete(each);
	}
	if (answeredAt.has(question)) return false;
	answeredAt.set(question, now);
	return true;
}
