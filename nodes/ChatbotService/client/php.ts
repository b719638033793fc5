/*
 * PHP writes errors and warnings of its own into the answer where its settings let it: before what the application answers, as
 * text or as HTML, and under 200 where nothing else has set a status by then. So do forgotten lines of the application.
 */

/** What PHP has to say stands at the beginning, or on lines of its own. */
const fatal =
	/(?:^|\n|<b>)(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error(?:<\/b>)?:[^\n]*)/i;
const remark =
	/^\s*(?:<br\s*\/?>\s*)?(?:<b>|PHP )?(?:Warning|Notice|Deprecated|Strict Standards)(?:<\/b>)?: [^]*? on line (?:<b>)?\d+(?:<\/b>)?(?:<br\s*\/?>)?\s*/i;

/** What the application answered, without what was written before it. */
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
	if (words) return { body, fatal: words.replace(/<[^<>]*>/g, '') };
	let text = body;
	while (remark.test(text)) text = text.replace(remark, '');
	// A mark of the byte order counts as a blank.
	text = text.trim();
	// JSON that was cut off is no text before JSON.
	const start = /^[[{"]/.test(text) ? -1 : text.search(/\{\s*"/);
	if (text === body && start === -1) return { body };
	const parsed = parse(text) ?? (start === -1 ? undefined : parse(text.slice(start)));
	return { body: parsed ? parsed.json : text };
}

function parse(text: string): { json: unknown } | undefined {
	try {
		return { json: JSON.parse(text) };
	} catch {
		// It is a text.
	}
	return undefined;
}
