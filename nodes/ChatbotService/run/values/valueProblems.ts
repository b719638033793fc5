import type { INodePropertyOptions } from 'n8n-workflow';

import type { Problem } from '../../client/failure/failure';
import { listed, n8nSays, quote, wordsOf } from '../../shared/quote';
import { problem } from '../../resources/kind';
import type { Field } from '../../resources/operation';

/* Texts about values that cannot be sent. Each problem names its field by the label. */

/** @param instead a sentence for users who left the field empty on purpose */
export const emptyField = (label: string, instead = ''): Problem => ({
	message: `'${label}' is empty`,
	advice:
		`Enter a value for '${label}'. If the field contains an expression, check its result for this item. ${instead}`.trim(),
});

/** Without a value, the message would be sent without the protection that the user has asked for. */
export const unprotected = (label: string): Problem => ({
	message: `'${label}' has no value`,
	advice: `The expression in '${label}' returned nothing for this item, so nothing would prevent a second message. Correct it, or return an empty text to send without protection.`,
});

/** @param codes of the parts that are missing @param harm that the value would do */
export const lostPart = (label: string, codes: string[], harm = 'it could mean something else'): Problem => ({
	message: `A part of '${label}' is empty`,
	advice: `For this item, a value is missing in ${codes.map(quote).join(' and ')}, so ${harm}. Correct the expression of '${label}'.`,
});

/** Code has written a word for a value that is missing, such as NaN. @param found the value with the word */
export function wroteWord(
	label: string,
	{ word, code }: { word: string; code: string },
	found: unknown,
): Problem {
	const line = code.replace(/\s+/g, ' ');
	return {
		message: `'${label}': \`${line.length > 100 ? `${line.slice(0, 99)}…` : line}\` wrote '${word}'`,
		advice: `For this item, the expression lacks a value that it can use. Correct the expression of '${label}' or its data. If a value can be missing, say what stands in its place, as in {{ $json.name ?? '' }}. Received: ${quote(found)}.`,
	};
}

/** A value that protects nobody when the workflow is started again. @param code of its expression */
export const neverRepeated = (label: string, code: string): Problem => ({
	message: `'${label}' is new in every run`,
	advice: `If you start the workflow again, everybody would get the message again. Enter a fixed name such as autumn-sale for '${label}'. For a message that repeats, add the period, as in {{ $now.toFormat('yyyy-MM') }}. To skip people who are in the list twice, put the node Remove Duplicates before this node. Found: ${quote(code)}.`,
});

/** @param fields of which at least one must have a value */
export function nothingToSend(fields: Field[]): Problem {
	const labels = fields.map(({ displayName }) => `'${displayName}'`);
	return {
		message: `There is nothing to send: ${labels.join(', ')} are all empty`,
		advice: 'Enter at least one of them for this item.',
	};
}

/** The values of two fields would travel under one name. */
export const sentTwice = (first: Field, second: Field): Problem => ({
	message: `'${first.displayName}' and '${second.displayName}' are the same for the service`,
	advice: `Enter only one of them for this item: remove '${second.displayName}'.`,
});

/** An option belongs to the run, not to an item. @param found in the item, other than in the first one @param instead a sentence */
export const mustBeSame = (label: string, found: unknown, instead = 'Enter a fixed value.'): Problem => ({
	message: `'${label}' must be the same for all items`,
	advice: `It applies to the whole run, so the node takes that of the first item. ${instead} Received: ${quote(found)}.`,
});

/** A model could allow itself everything. */
export const fromModel = (label: string): Problem => ({
	message: `'${label}' must not come from a model`,
	advice: `Remove $fromAI from '${label}', and in a tool also $json and $input, which hold what the model passes. Enter a fixed value, or read an earlier node, as in {{ $('Form').item.json.id }}.`,
});

/** @param option its label @param label of the field that names the recipient @param unreadable what names nobody in the option */
export const notAllowed = (
	option: string,
	label: string,
	found: unknown,
	unreadable: string[] = [],
): Problem => ({
	message: `'${label}' is not among '${option}'`,
	advice: `The node writes only to the people that '${option}' names. Correct '${label}', or add the person to '${option}'. ${unreadable.length ? `The node cannot read these entries of '${option}' as a value of '${label}': ${listed(unreadable.map(quote), 5)}. ` : ''}Received: ${quote(found)}.`,
});

/** 'Send Once Per' is set, but n8n has no store for it. @param words of n8n about that */
export const withoutStore = (label: string, words: string): Problem => ({
	message: `'${label}' is not available here: n8n cannot store who received a message`,
	advice: `Save the workflow and run it again: n8n stores this only for saved workflows. If an AI agent calls the node, use a newer version of the agent. To send without protection, leave '${label}' empty.${n8nSays(words)}`,
});

/** An expression cannot be evaluated, or its value throws when it is read. */
export const unreadableProblem = (label: string, error: unknown): Problem => ({
	message: `'${label}' cannot be evaluated`,
	advice: `Correct the expression of '${label}'.${n8nSays(wordsOf(error))}`,
});

/** A deciding field must hold one of its options, or several if it takes several. */
export function wrongChoice(field: Field, found: unknown): Problem[] {
	const options = (field.options as INodePropertyOptions[]).map(({ value }) => value as unknown);
	const chosen = field.type === 'multiOptions' ? [found].flat() : [found];
	if (!chosen.length) return [emptyField(field.displayName)];
	if (chosen.every((each) => options.includes(each))) return [];
	return problem(
		`'${field.displayName}' must be one of ${options.join(', ')}`,
		`Choose one of them for '${field.displayName}', or let its expression return one.`,
		found,
	).problems;
}
