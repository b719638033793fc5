import type { ICredentialDataDecryptedObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

/* What a process is told to run, and what it says of it. */

/** A run of the node, in a workflow of its own. */
export interface Broadcast {
	/** Whose recipients are remembered together: the same for all processes with one store. */
	nodeId: string;
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	items: Array<INodeExecutionData['json']>;
	/** The folder of n8n's table. */
	table: string;
	/** Of what the calls of the store leave to chance. */
	seed: number;
}

/** The outcome of a run. */
export interface Report {
	/** Items by output. */
	outputs: INodeExecutionData[][];
	error: string | undefined;
	/** What it has added to the store, looked for and removed. */
	entries: string[];
}

/** To a process. */
export interface Order {
	id: number;
	broadcast: Broadcast;
}

/** From a process: first that it has loaded, then how its runs ended, in any order. */
export type Answer = { ready: true } | { id: number; report: Report };
