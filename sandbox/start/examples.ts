import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { credentialsOf, projectFolder } from '../host';
import type { HostApi, StoredCredential, WorkflowData } from '../host';

/* The examples in the n8n of `npm start`. */

export const examplesFolder = join(projectFolder, 'examples');

/**
 * Imports the workflows of the examples folder into n8n and returns their IDs by file name. Existing workflows do not change,
 * because a user may have edited them.
 */
export async function importExamples(api: HostApi, credential: StoredCredential) {
	const stored = (await api.workflows()).filter(({ isArchived }) => !isArchived);
	const files = (await readdir(examplesFolder)).filter((file) => file.endsWith('.json')).sort();
	const ids = new Map<string, string>();
	for (const file of files) {
		const workflow = JSON.parse(await readFile(join(examplesFolder, file), 'utf8')) as WorkflowData;
		const present = stored.find(({ name }) => name === workflow.name);
		const { id } = present ?? (await api.createWorkflow(withCredential(workflow, credential)));
		ids.set(file, id);
	}
	return ids;
}

/** An exported workflow contains only the names of its credentials; here the IDs are known. */
export const withCredential = (workflow: WorkflowData, credential: StoredCredential): WorkflowData => ({
	...workflow,
	nodes: workflow.nodes.map((node) =>
		node.credentials?.[credential.type]
			? { ...node, credentials: { ...node.credentials, ...credentialsOf(credential) } }
			: node,
	),
});
