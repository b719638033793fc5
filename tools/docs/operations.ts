import { resources } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/** A row for each resource: its operations with their endpoints, in the order of the editor. */
export function operationsTable(texts: Texts): string {
	const several = texts.get<Record<string, string>>('operations', 'endpoints');
	const endpointsOf = (resource: string, { option: { value, routing } }: Operation) =>
		several[`${resource}/${value}`] ?? `\`${routing.request.url.replace('/', '')}\``;
	const rows = resources.map(({ option: { name: resource, value }, operations }) => [
		resource,
		operations.map((each) => `**${each.option.name}** (${endpointsOf(value, each)})`).join(', '),
	]);
	return tableOf(texts.get('operations', 'columns'), rows);
}
