import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type HostApi, type Log, projectFolder, type StoredCredential, type WorkflowData } from '../host';

/** The example workflows and the files they read. */
export const examplesFolder = join(projectFolder, 'examples');

interface ImportRecord {
	id: string;
	/** Of the file as it was imported. */
	digest: string;
	/** n8n gives a workflow a new one whenever it is saved. */
	versionId: string;
}

/**
 * Brings the workflows of the examples folder into n8n and returns their IDs by file name. One that changed on disk
 * replaces the one imported before; one that was changed in the editor is left alone.
 */
export async function importExamples(
	api: HostApi,
	userFolder: string,
	credential: StoredCredential,
	log: Log,
	folder = examplesFolder,
): Promise<Map<string, string>> {
	const recordFile = join(userFolder, 'examples.json');
	const records = await readRecords(recordFile);
	const stored = new Set((await api.workflows()).filter(({ isArchived }) => !isArchived).map(({ id }) => id));
	const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();

	for (const file of files) {
		const content = await readFile(join(folder, file), 'utf8');
		const digest = createHash('sha256').update(content).digest('hex');
		const workflow = withCredential(JSON.parse(content) as WorkflowData, credential);
		const record = records[file];
		if (!record || !stored.has(record.id)) {
			const { id, versionId } = await api.createWorkflow(workflow);
			records[file] = { id, digest, versionId };
			log(`  imported "${workflow.name}" from examples/${file}`);
		} else if (record.digest !== digest) {
			if ((await api.workflow(record.id)).versionId === record.versionId) {
				const { versionId } = await api.updateWorkflow(record.id, workflow);
				records[file] = { id: record.id, digest, versionId };
				log(`  updated "${workflow.name}": examples/${file} has changed`);
			} else {
				log(
					`  "${workflow.name}" was changed in the editor and is left as it is, although examples/${file} ` +
						'has changed too; delete it in the editor to import it anew',
				);
			}
		}
	}
	await writeFile(recordFile, JSON.stringify(records, null, '\t'));
	return new Map(files.map((file) => [file, records[file]?.id ?? '']));
}

async function readRecords(file: string): Promise<Record<string, ImportRecord>> {
	const content = await readFile(file, 'utf8').catch(() => '{}');
	return JSON.parse(content) as Record<string, ImportRecord>;
}

/** An exported workflow names its credentials only; here it is known which one is meant. */
function withCredential(workflow: WorkflowData, { id, name, type }: StoredCredential): WorkflowData {
	const nodes = workflow.nodes.map((node) =>
		node.credentials?.[type] ? { ...node, credentials: { ...node.credentials, [type]: { id, name } } } : node,
	);
	return { ...workflow, nodes };
}
