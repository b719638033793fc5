import { resources } from '../../nodes/ChatbotService/resources';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/** A row for each resource: its operations with their endpoints, in the order of the editor. */
export function operationsTable(texts: Texts): string {
	const rows = resources.map(({ option: { name: resource }, operations }) => [
		resource,
		operations
			.map(({ option: { name, routing } }) => `**${name}** (\`${routing.request.url.replace('/', '')}\`)`)
			.join(', '),
	]);
	return tableOf(texts.get('operations', 'columns'), rows);
}
