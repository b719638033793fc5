import type { OpenQuestion } from './openQuestion';
import type { PageWords } from './words';

/*
 * The pages that a person sees. They are plain HTML without scripts, and load nothing. The link is a secret, so they send no referrer
 * and no browser or proxy stores them.
 */

export const pageHeaders: Record<string, string> = {
	'Content-Type': 'text/html; charset=utf-8',
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'Content-Security-Policy':
		"sandbox allow-forms; default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
};

/** @param note what was wrong with the person's answer, followed by its text, so that the text is not lost */
export const questionPage = (
	words: PageWords,
	question: OpenQuestion,
	{ note, text = '' }: { note?: string; text?: string } = {},
): string =>
	page(words, question.title || words.question, [
		...questionOf(question),
		note && `<p class="note" role="alert">${escaped(note)}</p>`,
		`<form method="post">${controlsOf(question, text)}</form>`,
	]);

export const thanksPage = (words: PageWords, question: OpenQuestion, answer: string): string =>
	page(words, question.title || words.thanks, [
		...questionOf(question),
		`<p class="answer" dir="auto">${escaped(answer)}</p>`,
		`<p class="hint">${escaped(words.received)}</p>`,
	]);

export const closedPage = (words: PageWords, { heading, text }: { heading: string; text: string }): string =>
	page(words, heading, [`<h1>${escaped(heading)}</h1>`, `<p class="hint">${escaped(text)}</p>`]);

function questionOf({ title, text, description }: OpenQuestion): Array<string | false> {
	return [
		title !== '' && `<h1 dir="auto">${escaped(title)}</h1>`,
		`<p id="question" dir="auto">${escaped(text)}</p>`,
		description !== '' && `<p class="hint" dir="auto">${escaped(description)}</p>`,
	];
}

function controlsOf({ form }: OpenQuestion, text: string): string {
	const button = (label: string, attributes = '') => `<button${attributes}>${escaped(label)}</button>`;
	if (form.type === 'freeText')
		return `<textarea name="text" rows="5" required dir="auto" aria-labelledby="question">${escaped(text)}</textarea>${button(form.submit)}`;
	const approve = button(form.approve, ' name="answer" value="approve"');
	if (form.decline === undefined) return approve;
	return approve + button(form.decline, ' name="answer" value="decline" class="second"');
}

const entities: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

const page = (
	{ language }: PageWords,
	title: string,
	parts: Array<string | false | undefined>,
): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${parts.filter(Boolean).join('')}
</main>
</body>
</html>
`;

/**
 * A button that has just been pressed takes no second press: of a double click, the browser would show only the second response, and
 * n8n's own, because the execution continues already.
 */
const style = `
:root { --back: #f2f4f7; --card: #fff; --text: #1c2430; --soft: #5b6675; --line: #c9d0da; --main: #1f6feb; --onMain: #fff; --note: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171c; --card: #1e232b; --text: #e8ecf2; --soft: #a3afbf; --line: #465162; --main: #4c8dff; --onMain: #08111f; --note: #ff9d94; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; background: var(--back); color: var(--text); font: 17px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 34rem; margin: 4vh auto; padding: 24px 20px; background: var(--card); border-radius: 16px; }
h1 { margin: 0 0 12px; font-size: 1.3rem; line-height: 1.3; }
h1, p, button { overflow-wrap: anywhere; }
p { margin: 0 0 16px; white-space: pre-wrap; }
p:last-child { margin: 0; }
.hint { color: var(--soft); font-size: .94rem; }
.note { color: var(--note); }
.answer { padding: 12px 16px; border-left: 4px solid var(--main); }
form { display: grid; gap: 12px; margin-top: 20px; }
textarea, button { width: 100%; border-radius: 12px; font: inherit; }
textarea { padding: 12px; border: 1px solid var(--line); background: transparent; color: inherit; resize: vertical; }
button { min-height: 52px; padding: 12px 16px; border: 1px solid var(--main); background: var(--main); color: var(--onMain); font-weight: 600; cursor: pointer; }
button:focus:not(:focus-visible, :active) { pointer-events: none; }
button.second { border-color: var(--line); background: transparent; color: var(--text); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
`;
