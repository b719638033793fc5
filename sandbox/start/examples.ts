import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
	credentialsOf,
	type HostApi,
	type Log,
	projectFolder,
	type StoredCredential,
	type WorkflowData,
} from '../host';

export const examplesFolder = join(projectFolder, 'examples');

/**
 * Imports the workflows of the examples folder into n8n and returns their IDs by file name. Existing workflows do not change,
 * because a user may have edited them.
 */
export async function importExamples(
	api: HostApi,
	credential: StoredCredential,
	serviceUrl: string,
	log: Log,
): Promise<Map<string, string>> {
	const stored = (await api.workflows()).filter(({ isArchived }) => !isArchived);
	const files = (await readdir(examplesFolder)).filter((file) => file.endsWith('.json')).sort();
	const ids = new Map<string, string>();
	for (const file of files) {
		const workflow = JSON.parse(await readFile(join(examplesFolder, file), 'utf8')) as WorkflowData;
		const present = stored.find(({ name }) => name === workflow.name);
		const { id } = present ?? (await api.createWorkflow(withService(workflow, credential, serviceUrl)));
		ids.set(file, id);
		if (!present) log(`  imported "${workflow.name}" from examples/${file}`);
	}
	if (stored.length > 0)
		log('  existing workflows do not change; to import an example again, delete it in the editor');
	return ids;
}

/** The value of `base_url` in the examples. */
const baseUrlInExamples = 'https://watbot.ru';

/**
 * An exported workflow contains only the names of its credentials; here the IDs are known. An HTTP Request node cannot read Base
 * URL from the credential, so the workflow contains it too.
 */
export function withService(
	workflow: WorkflowData,
	credential: StoredCredential,
	serviceUrl: string,
): WorkflowData {
	const text = JSON.stringify(workflow).replaceAll(`"${baseUrlInExamples}"`, JSON.stringify(serviceUrl));
	const { nodes, ...rest } = JSON.parse(text) as WorkflowData;
	return {
		...rest,
		nodes: nodes.map((node) =>
			node.credentials?.[credential.type]
				? { ...node, credentials: { ...node.credentials, ...credentialsOf(credential) } }
				: node,
		),
	};
}
