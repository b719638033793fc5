import { parsed } from '../../shared/json';

/*
 * If its settings allow it, PHP writes its own errors and warnings into the answer: before the application's output, as text or
 * HTML, and under 200 if no other status is set yet. Forgotten debug output of the application looks similar.
 */

/** PHP's messages are at the beginning or on their own lines. */
const fatal =
	/(?:^|\n|<b>)(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error(?:<\/b>)?:[^\n]*)/i;
const remark =
	/^\s*(?:<br\s*\/?>\s*)?(?:<b>|PHP )?(?:Warning|Notice|Deprecated|Strict Standards)(?:<\/b>)?: [^]*? on line (?:<b>)?\d+(?:<\/b>)?(?:<br\s*\/?>)?\s*/i;

/**
 * Returns the application's output without the messages before it.
 *
 * @param body parsed if it is JSON, otherwise the text
 * @returns the same, and PHP's fatal error if there is one: the application may then have written a part of its answer
 */
export function withoutRemarks(body: unknown): { body: unknown; fatal?: string } {
	if (typeof body !== 'string') return { body };
	const words = fatal.exec(body)?.[1];
	if (words) return { body, fatal: words.replace(/<[^<>]*>/g, '') };
	let text = body;
	while (remark.test(text)) text = text.replace(remark, '');
	// Also removes a byte order mark.
	text = text.trim();
	// Truncated JSON must not be searched for complete JSON.
	const start = /^[[{"]/.test(text) ? 0 : Math.max(0, text.search(/\{\s*"/));
	if (text === body && !start) return { body };
	for (const json of [text, text.slice(start)]) {
		const found = parsed(json);
		if (found !== json) return { body: found };
	}
	return { body: text };
}
