/*
 * PHP writes errors and warnings of its own into the answer where its settings let it: before what the application answers, as
 * text or as HTML, and under 200 where nothing else has set a status by then.
 */

/** What PHP has to say stands at the beginning, or on lines of its own. */
const fatal =
	/(?:^|\n|<b>)(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error(?:<\/b>)?:[^\n]*)/i;
const remark =
	/^\s*(?:<br\s*\/?>\s*)?(?:<b>|PHP )?(?:Warning|Notice|Deprecated|Strict Standards|User warning|User notice|User deprecated)(?:<\/b>)?: [^]*? on line (?:<b>)?\d+(?:<\/b>)?(?:<br\s*\/?>)?\s*/i;

/** What the application answered, without PHP's remarks. */
export interface Cleared {
	/** Parsed when it is JSON, else the text. */
	body: unknown;
	/** PHP's words where it gave up; the application may have answered all the same, but not to the end. */
	fatal?: string;
}

/** @param body parsed when it was JSON, else the text */
export function withoutRemarks(body: unknown): Cleared {
	if (typeof body !== 'string') return { body };
	const words = fatal.exec(body)?.[1];
	if (words) return { body, fatal: words.replace(/<[^>]*>/g, '') };
	let text = body;
	while (remark.test(text)) text = text.replace(remark, '');
	// A mark of the byte order counts as a blank.
	text = text.trim();
	if (text === body) return { body };
	try {
		return { body: JSON.parse(text) as unknown };
	} catch {
		return { body: text };
	}
}
