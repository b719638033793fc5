import type { Problem } from '../client/failure/failure';
import { n8nSays, quote } from '../shared/quote';

/* Texts about questions that cannot be asked. */

/** @param operation its label */
export const severalQuestions = (operation: string, count: number): Problem => ({
	message: `'${operation}' asks one person at a time, but the node received ${count} items`,
	advice: `Nothing was sent. To ask about each item, put the node Loop Over Items before this node, with a Batch Size of 1, and connect this node's output back to it. To ask only about the first item, turn on 'Execute Once' on the Settings tab of this node.`,
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
	advice: `Nothing was sent. Run the workflow in n8n as usual. If this happens again, give the node another name, without special characters.${n8nSays(words)}`,
});

/** @param label of the field with the end of the wait */
export const pastTime = (label: string, found: unknown): Problem => ({
	message: `'${label}' is in the past`,
	advice: `Nobody could answer in time, so nothing was sent. Choose a later date and time. Received: ${quote(found)}.`,
});

/** After the time limit, n8n passes on the item as it is. @param field of the item, such as `data.approved` */
export const looksAnswered = (field: string): Problem => ({
	message: `The item already looks like an answer, by its field '${field}'`,
	advice: `Nothing was sent. When the time limit is reached, n8n passes this item on, and the next node would take it for the answer of a person. Remove '${field}' before this node, for example with the node Edit Fields. In a human review, the item is the input of the AI agent together with the model's call: remove the field before the agent, and never let the model fill it in.`,
});
