import 'reflect-metadata';
import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { seededRandom } from '../../../sandbox/emulator/random';
import { additionalDataOf, startNode, startRun, workflowOf } from '../n8n';
import { MemoryDeduplicator, useDeduplication } from '../n8n/deduplication';
import { RowsInFiles } from './rows';

/* A run of the node with a store that several processes share. */

/** A run of the node, in its own workflow. */
export interface Broadcast {
	/** The scope of the stored recipients: the same for all processes with one store. */
	workflowId: string;
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	items: Array<INodeExecutionData['json']>;
	/** The folder of n8n's table. */
	table: string;
	/** Seed for the random delays of store calls. */
	seed: number;
}

/** The result of a run. */
export interface Report {
	/** Items by output. */
	outputs: INodeExecutionData[][];
	error: string | undefined;
	/** The entries that it has added to the store, looked up and removed. */
	entries: string[];
}

/** How long the database takes to read or to write a row. */
function databaseMs(seed: number): () => number {
	const random = seededRandom(seed);
	return () => 2 + 58 * random();
}

export async function run(
	nodeType: INodeType,
	{ workflowId, parameters, credential, items, table, seed }: Broadcast,
): Promise<Report> {
	const tested = {
		type: 'tested',
		credentials: { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } },
		onError: 'continueRegularOutput',
		parameters,
	} as const;
	const { workflow } = workflowOf(nodeType, tested, workflowId);
	const deduplication = new MemoryDeduplicator({ rows: new RowsInFiles(table), delayMs: databaseMs(seed) });
	useDeduplication(workflow, deduplication);
	const additionalData = additionalDataOf(async () => credential, 'trigger');
	const { data } = await startRun(
		workflow,
		additionalData,
		'trigger',
		startNode,
		items.map((json) => ({ json })),
	);
	const { runData, error } = data.resultData;
	return {
		outputs: (runData.Tested?.at(-1)?.data?.main ?? []) as INodeExecutionData[][],
		error: error?.message,
		entries: deduplication.calls.flatMap(({ scope, values }) => (scope === 'node' ? values.map(String) : [])),
	};
}
