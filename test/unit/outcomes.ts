import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';

/* Outcomes of items, for the tests of what n8n gets of them. */

export const refused = valuesRefused(422, ['Text'], 'Нет текста');
export const unknown =
	'The message may have been sent, so the node did not send it again. Check the chat first.';
export const inDoubt = withAdvice(timedOut(), { unknown });

export type End =
	| 'done'
	| 'skipped'
	| 'refused'
	| 'inDoubt'
	| 'inDoubt before'
	| 'interrupted'
	| 'notAttempted'
	| 'not attempted after doubt'
	| 'notSent';

let now = 0;

/** @param at in milliseconds */
export const itIs = (at: number) => void (now = at);

/** Outcomes of items, given as a word for each. */
export function outcomesOf(...ends: End[]): Outcomes {
	const outcomes = new Outcomes(ends.length, () => now);
	for (const [item, end] of ends.entries()) {
		if (end === 'done') outcomes.record(item, { rows: [{ item }] });
		if (end === 'skipped') outcomes.record(item, { rows: [{ success: true, alreadySent: true }] }, 'skipped');
		if (end === 'refused') outcomes.record(item, { failure: refused });
		if (end === 'inDoubt') outcomes.record(item, { failure: inDoubt });
		if (end === 'notAttempted') outcomes.record(item, { failure: refused }, 'notAttempted');
		if (end === 'not attempted after doubt') outcomes.record(item, { failure: inDoubt }, 'notAttempted');
		if (end === 'inDoubt before') outcomes.record(item, { failure: inDoubt }, 'earlier');
		if (end === 'interrupted') outcomes.recordInterrupted(item);
	}
	return outcomes;
}

export const times = (count: number, end: End): End[] => Array.from({ length: count }, () => end);
