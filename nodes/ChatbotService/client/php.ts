/*
 * If its settings allow it, PHP writes its own errors and warnings into the answer: before the application's output, as text or
 * HTML, and under 200 if no other status is set yet. Forgotten debug output of the application looks similar.
 */

/** PHP's messages are at the beginning or on their own lines. */
const fatal =
	/(?:^|\n|<b>)(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error(?:<\/b>)?:[^\n]*)/i;
const remark =
	/^\s*(?:<br\s*\/?>\s*)?(?:<b>|PHP )?(?:Warning|Notice|Deprecated|Strict Standards)(?:<\/b>)?: [^]*? on line (?:<b>)?\d+(?:<\/b>)?(?:<br\s*\/?>)?\s*/i;

/** The application's output, without the messages before it. */
export interface Cleared {
	/** Parsed if it is JSON, otherwise the text. */
	body: unknown;
	/** PHP's fatal error. The application may have written part of its answer. */
	fatal?: string;
}

/** @param body parsed if it is JSON, otherwise the text */
export function withoutRemarks(body: unknown): Cleared {
	if (typeof body !== 'string') return { body };
	const words = fatal.exec(body)?.[1];
	if (words) return { body, fatal: words.replace(/<[^<>]*>/g, '') };
	let text = body;
	while (remark.test(text)) text = text.replace(remark, '');
	// Also removes a byte order mark.
	text = text.trim();
	// Truncated JSON must not be searched for complete JSON.
	const start = /^[[{"]/.test(text) ? -1 : text.search(/\{\s*"/);
	if (text === body && start === -1) return { body };
	const parsed = parse(text) ?? (start === -1 ? undefined : parse(text.slice(start)));
	return { body: parsed ? parsed.json : text };
}

function parse(text: string): { json: unknown } | undefined {
	try {
		return { json: JSON.parse(text) };
	} catch {
		// Not JSON.
	}
	return undefined;
}
