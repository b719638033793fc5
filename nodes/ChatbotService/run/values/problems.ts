import type { INodePropertyOptions } from 'n8n-workflow';

import type { Problem } from '../../client/failure';
import { quote } from '../../client/quote';
import type { Field } from '../../resources/operation';

/* Texts about values that cannot be sent. Each problem names its field by the label. */

/** @param instead a sentence for users who left the field empty on purpose */
export const emptyField = (label: string, instead = ''): Problem => ({
	message: `'${label}' is empty`,
	advice:
		`Enter a value for '${label}'. If the field contains an expression, check its result for this item. ${instead}`.trim(),
});

/** The item has a field that looks like the one that the expression reads. @param name of that field */
export const looksAlike = ({ message, advice }: Problem, name: string): Problem => ({
	message,
	advice: `${advice} The item has a field that differs only by case, blanks or invisible characters: ${visible(name)}. Drag it into the expression.`,
});

/** A name in quotes, with its invisible characters as code points. */
const visible = (name: string) =>
	JSON.stringify(name.slice(0, 100)).replace(
		/[^\P{Cf}]|[^\P{Zs} ]/gu,
		(character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
	);

/** Without a value, the message would be sent without the protection that the user has asked for. */
export const unprotected = (label: string): Problem => ({
	message: `'${label}' has no value`,
	advice: `The expression of '${label}' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.`,
});

/** Items that differ in this part would have the same value. @param codes of the parts that are empty */
export const lostPart = (label: string, codes: string[]): Problem => ({
	message: `'${label}' has lost a part`,
	advice: `For this item, nothing comes from ${codes.map(quote).join(' and ')}, so other items could have the same value, and their recipients would get no message. Correct the expression of '${label}'.`,
});

/** JavaScript has written a word for nothing, such as NaN, into the value. @param code that did it */
export const lostWord = (label: string, code: string, found: unknown): Problem => ({
	message: `'${label}' has lost a part`,
	advice: `For this item, a value is missing in ${quote(code)}, so other items could have the same value, and their recipients would get no message. Correct the expression of '${label}'. Received: ${quote(found)}.`,
});

/** @param fields of which at least one must have a value */
export function nothingToSend(fields: Field[]): Problem {
	const labels = fields.map(({ displayName }) => `'${displayName}'`);
	return {
		message: `There is nothing to send: ${labels.join(', ')} are all empty`,
		advice: 'Enter at least one of them for this item.',
	};
}

/** 'Send Once Per' is set, but n8n has no store for it. @param words of n8n about that */
export const withoutStore = (label: string, words: string): Problem => ({
	message: `'${label}' is not available here: n8n cannot store who received a message`,
	advice: `Save the workflow and run it again: n8n stores this only for saved workflows. If an AI agent calls the node, use a newer version of the agent. To send without protection, leave '${label}' empty.${words ? ` n8n says: ${quote(words)}.` : ''}`,
});

/** @param operation its label */
export const severalQuestions = (operation: string, count: number): Problem => ({
	message: `'${operation}' asks one person at a time, but the node received ${count} items`,
	advice: `Nothing was sent. To ask about each item, put the node Loop Over Items in front of this node, with a Batch Size of 1, and connect this node's output back to it. To ask only about the first item, switch on 'Execute Once' on the Settings tab of this node.`,
});

/** n8n's declarative engine runs the node. @param operation its label */
export const cannotWait = (operation: string): Problem => ({
	message: `'${operation}' cannot wait for an answer here`,
	advice:
		'Nothing was sent. If an AI agent calls this node, use version 3 or newer of the AI Agent node. Otherwise use this node in a workflow, not as a part of another node.',
});

/** n8n gives no link to an answer. @param operation its label @param words of n8n */
export const unanswerable = (operation: string, words: string): Problem => ({
	message: `'${operation}' cannot wait for an answer in this execution`,
	advice: `Nothing was sent. Run the workflow in n8n as usual. If this happens again, give the node another name, without special characters.${words ? ` n8n says: ${quote(words)}.` : ''}`,
});

/** @param label of the field with the end of the wait */
export const pastTime = (label: string, found: unknown): Problem => ({
	message: `'${label}' is in the past`,
	advice: `Nobody could answer in time, so nothing was sent. Choose a later date and time. Received: ${quote(found)}.`,
});

/** @param label of the field with the end of the wait */
export const tooLateTime = (label: string): Problem => ({
	message: `'${label}' is too far in the future`,
	advice: "Choose an earlier time or a smaller amount, or remove 'Limit Wait Time' to wait without a limit.",
});

/** An expression cannot be evaluated, or its value throws when it is read. */
export function unreadableProblem(label: string, error: unknown): Problem {
	const words = wordsOf(error);
	return {
		message: `'${label}' cannot be evaluated`,
		advice: `Correct the expression of '${label}'.${words ? ` n8n says: ${quote(words)}.` : ''}`,
	};
}

/** n8n's texts in an error. An expression can throw anything, even an object that throws when it is read. */
export function wordsOf(error: unknown): string {
	try {
		const { message, description } = error as { message?: unknown; description?: unknown };
		const words = [message, description].filter((text) => typeof text === 'string');
		return [...new Set(words)].join(' ').trim();
	} catch {
		return '';
	}
}

/** A deciding field must hold one of its options, or several if it takes several. */
export function wrongChoice(field: Field, found: unknown): Problem[] {
	const options = (field.options as INodePropertyOptions[]).map(({ value }) => value as unknown);
	const chosen = field.type === 'multiOptions' ? [found].flat() : [found];
	if (!chosen.length) return [emptyField(field.displayName)];
	if (chosen.every((each) => options.includes(each))) return [];
	return [
		{
			message: `'${field.displayName}' must be one of ${options.join(', ')}`,
			advice: `Choose one of them for '${field.displayName}', or let its expression return one. Received: ${quote(found)}.`,
		},
	];
}
