import type { ICredentialDataDecryptedObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

/* The messages between the test and a process: what to run, and what came out. */

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
