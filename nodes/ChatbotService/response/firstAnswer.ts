/*
 * n8n starts an execution again some milliseconds after an answer, and calls the webhook for a second answer in between. The second
 * one would be lost, although its page says that it was received.
 */

/** By then, n8n has started the execution again, and refuses further answers. If it could not, the next answer counts. */
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
