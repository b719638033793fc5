import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { describeResources } from '../../nodes/ChatbotService/description/properties';
import { resources } from '../../nodes/ChatbotService/resources';
import { textsIn } from './texts';

/* Bold words of a page that look like a label must be one, so that no page names a field that has another name now. */

/** What n8n's editor shows of a description. */
function labelsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(labelsIn);
	if (value === null || typeof value !== 'object') return [];
	const shown = ['displayName', 'name', 'action', 'placeholder'].flatMap(
		(key) => (value as Record<string, unknown>)[key] ?? [],
	);
	return [...shown.filter((each) => typeof each === 'string'), ...Object.values(value).flatMap(labelsIn)];
}

const ofOperations = resources.flatMap(({ option, operations }) =>
	operations.map((operation) => `${option.name}: ${operation.option.name}`),
);

const known = new Set([
	'Chatbot Service',
	...labelsIn([resources, describeResources(resources, {}), new ChatbotServiceApi()]),
	...ofOperations,
	...textsIn('en').get<string[]>('labels'),
]);

const small = /^(?:a|an|and|at|by|for|from|in|is|of|on|or|per|the|to|with)$/;

/** In title case and without punctuation at the end, which a bold sentence has. */
const looksLikeLabel = (bold: string) =>
	/^[^а-яё]*[^а-яё.:;!?]$/i.test(bold) &&
	bold.split(' ').every((word) => small.test(word) || !/^[a-z]/.test(word));

/** What to do about an unknown label. */
export const howToMend =
	'correct it, end a bold sentence with a punctuation mark, or add it to the labels of n8n in docs/tables.yaml';

/** The bold labels of a page that neither this package nor n8n shows. */
export function unknownLabels(text: string): string[] {
	const paragraphs = text
		.replace(/```[^]*?```/g, '')
		.replace(/`[^`]*`/g, '`')
		.split(/\n\s*(?:\n|[-*] |\d+\. )/);
	const bold = paragraphs.flatMap((each) => [...each.matchAll(/\*\*([^]+?)\*\*/g)]);
	const labels = bold.map(([, words]) => words!.replace(/\s+/g, ' '));
	return labels.filter((label) => looksLikeLabel(label) && !known.has(label));
}
