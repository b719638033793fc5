import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder, type WorkflowData } from '../../../sandbox/host';
import { withCredential } from '../../../sandbox/start/examples';
import type { Bench } from './bench';

/* The same broadcast built twice: with n8n's own nodes, and with the node of this package. */

export const compared = { http: 'with-http-request.json', ours: 'with-chatbot-service.json' };

/** Who gets it, and its name: in the workflow of n8n's own nodes, a tag with this name marks who got it. */
export const segment = 'Пробный урок';
export const broadcast = 'Открытый урок, ноябрь';

/**
 * Stores one of the two workflows, whose nodes then use the emulator.
 *
 * @param names other names of nodes, by their names in the file
 * @returns its ID
 */
export async function storeCompared(
	{ api, credential, service }: Bench,
	file: string,
	names: Record<string, string> = {},
): Promise<string> {
	const stored = readFileSync(join(projectFolder, 'docs/comparison', file), 'utf8');
	const text = Object.entries(names).reduce(
		// Expressions have the name in single quotation marks.
		(renamed, [from, to]) => renamed.replaceAll(`"${from}"`, `"${to}"`).replaceAll(`'${from}'`, `'${to}'`),
		stored.replaceAll('https://app.leadteh.ru', service.url),
	);
	const workflow = JSON.parse(text) as WorkflowData;
	const data = { name: 'api_token', value: service.token };
	const query = await api.createCredential({ name: 'Query Auth account', type: 'httpQueryAuth', data });
	const { id } = await api.createWorkflow(withCredential(withCredential(workflow, credential), query));
	return id;
}
