import 'reflect-metadata';
import type { ICredentialDataDecryptedObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

// With the file extension: without it, tsx loads the .json file with the same name.
import { ChatbotService } from '../../../nodes/ChatbotService/ChatbotService.node.js';
import { seededRandom } from '../../../sandbox/emulator/random';
import { additionalDataOf, loadAsN8n, startNode, startRun, workflowOf } from '../../../sandbox/workflow';
import { MemoryDeduplicator, useDeduplication } from '../../../sandbox/workflow/deduplication';
import { RowsInFiles } from './rows';

/* A process like n8n's worker: runs broadcasts on request, with a store that it shares with other processes. */

/** A run of the node, in its own workflow. */
export interface Broadcast {
	/** The scope of the stored recipients: the same for all processes with one store. */
	nodeId: string;
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

/** To a process. */
export interface Order {
	id: number;
	broadcast: Broadcast;
}

/** From a process: first that it has loaded, then the results of its runs, in any order. */
export type Answer = { ready: true } | { id: number; report: Report };

/** How long a call to the store takes from reading a row to writing it. */
const shortestMs = 5;
const longestMs = 120;

/** Calls to one store run one after the other. Reading takes no time, writing takes some. */
function delays(seed: number): () => number {
	const random = seededRandom(seed);
	let isWriting = true;
	return () => {
		isWriting = !isWriting;
		return isWriting ? shortestMs + random() * (longestMs - shortestMs) : 0;
	};
}

const chatbotService = loadAsN8n(new ChatbotService());

async function run({ nodeId, parameters, credential, items, table, seed }: Broadcast): Promise<Report> {
	const { workflow } = workflowOf(chatbotService, {
		id: nodeId,
		type: 'tested',
		credentials: { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } },
		onError: 'continueRegularOutput',
		parameters,
	});
	const deduplication = new MemoryDeduplicator({ rows: new RowsInFiles(table), delayMs: delays(seed) });
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
		entries: [...new Set(deduplication.calls.flatMap(({ values }) => values.map(String)))],
	};
}

const say = (answer: Answer) => process.send!(answer);

process.on('message', async ({ id, broadcast }: Order) => say({ id, report: await run(broadcast) }));
// The process that has started this one has ended; n8n-core's timers would keep this one alive.
process.on('disconnect', () => process.exit());
say({ ready: true });
