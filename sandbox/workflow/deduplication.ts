import { DataDeduplicationService } from 'n8n-core';
import {
	sleep,
	type DeduplicationItemTypes,
	type DeduplicationScope,
	type ICheckProcessedContextData,
	type ICheckProcessedOptions,
	type IDataDeduplicator,
	type IDeduplicationOutput,
	type IProcessedDataEntries,
	type Workflow,
} from 'n8n-workflow';
import { ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

/*
 * The store for the deduplication helpers of n8n's nodes, without n8n's database. It follows n8n's
 * dist/deduplication/deduplication-helper.js, including its weaknesses: a call reads a row, changes it and writes back the
 * whole row, and nothing prevents two calls from doing this at the same time.
 */

/** A call of a deduplicator. */
export interface DeduplicationCall {
	method: 'checkProcessedAndRecord' | 'removeProcessed';
	/** The values as passed, before they are hashed. */
	values: DeduplicationItemTypes[];
	maxEntries: number | undefined;
}

/** The owner of entries with the scope 'node'. */
export interface EntriesOf {
	workflowId: string;
	nodeId: string;
}

interface Asked {
	values: DeduplicationItemTypes[];
	scope: DeduplicationScope;
	contextData: ICheckProcessedContextData;
	options: ICheckProcessedOptions;
}

/** The result of a call, and the new contents of the row, if they change. */
interface Change<Outcome> {
	outcome: Outcome;
	row?: IProcessedDataEntries;
}

const notUsed = async (): Promise<never> => {
	throw new Error('The package does not call this');
};

export const hashOf = (value: DeduplicationItemTypes) =>
	createHash('md5').update(value.toString()).digest('base64');

const keyOf = ({ workflowId, nodeId }: EntriesOf) => JSON.stringify([workflowId, `n:${nodeId}`]);

/** n8n's deduplicator in memory, for the mode 'entries' and the scope 'node', with the parts that the package uses. */
export class MemoryDeduplicator implements IDataDeduplicator {
	/** All calls, in order. */
	readonly calls: DeduplicationCall[] = [];

	/** Rows of the table, JSON strings by workflow and context. */
	private readonly rows = new Map<string, string>();

	async checkProcessedAndRecord(
		values: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const asked = { values, scope, contextData, options };
		return await this.perform('checkProcessedAndRecord', asked, (row) => {
			ok(contextData.workflow.id);
			const data = row?.data ?? [];
			// As in n8n: an entry that occurs twice in one call is new twice.
			const known = new Set(data);
			const outcome: IDeduplicationOutput = { new: [], processed: [] };
			for (const value of values) {
				const hash = hashOf(value);
				if (known.has(hash)) {
					outcome.processed.push(value);
				} else {
					outcome.new.push(value);
					data.push(hash);
				}
			}
			if (options.maxEntries) data.splice(0, data.length - options.maxEntries);
			return { outcome, row: { mode: options.mode, data } };
		});
	}

	async removeProcessed(
		values: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		const asked = { values, scope, contextData, options };
		await this.perform('removeProcessed', asked, (row) => {
			ok(contextData.workflow.id);
			if (!row) return { outcome: undefined };
			for (const hash of values.map(hashOf)) {
				const index = row.data.indexOf(hash);
				if (index !== -1) row.data.splice(index, 1);
			}
			return { outcome: undefined, row };
		});
	}

	readonly clearAllProcessedItems = notUsed;

	readonly getProcessedDataCount = notUsed;

	/** How many nodes have entries. */
	get size(): number {
		return this.rows.size;
	}

	/** The hashed entries of a node. */
	entries(of: EntriesOf): string[] {
		return (this.read(keyOf(of))?.data ?? []) as string[];
	}

	/** Puts entries with random values in front of those of a node, without a call. */
	prefill(of: EntriesOf, count: number): void {
		const hashes = Array.from({ length: count }, () => randomBytes(16).toString('base64'));
		this.write(keyOf(of), { mode: 'entries', data: [...hashes, ...this.entries(of)] });
	}

	private async perform<Outcome>(
		method: DeduplicationCall['method'],
		{ values, scope, contextData, options: { mode, maxEntries } }: Asked,
		change: (row: IProcessedDataEntries | undefined) => Change<Outcome>,
	): Promise<Outcome> {
		this.calls.push({ method, values: [...values], maxEntries });
		ok(mode === 'entries' && scope === 'node' && contextData.node);
		const key = keyOf({ workflowId: contextData.workflow.id, nodeId: contextData.node.id });
		await sleep(0);
		const before = this.read(key);
		const { outcome, row } = change(before);
		await sleep(0);
		if (row && !before && this.read(key)) {
			const message = 'UNIQUE constraint failed: processed_data.context, processed_data.workflowId';
			throw Object.assign(new Error(`SQLITE_CONSTRAINT: ${message}`), { name: 'QueryFailedError' });
		}
		if (row) this.write(key, row);
		return outcome;
	}

	private read(key: string): IProcessedDataEntries | undefined {
		const text = this.rows.get(key);
		return text === undefined ? undefined : (JSON.parse(text) as IProcessedDataEntries);
	}

	private write(key: string, row: IProcessedDataEntries): void {
		this.rows.set(key, JSON.stringify(row));
	}
}

const deduplicators = new WeakMap<object, IDataDeduplicator>();

function deduplicatorOf({ workflow }: ICheckProcessedContextData): IDataDeduplicator {
	const deduplicator = deduplicators.get(workflow);
	ok(deduplicator, 'Instance needs to initialized before use. Make sure to call init()');
	return deduplicator;
}

/** n8n-core uses one deduplicator for the lifetime of the process. */
const byWorkflow: IDataDeduplicator = {
	checkProcessedAndRecord: async (values, scope, contextData, options) =>
		await deduplicatorOf(contextData).checkProcessedAndRecord(values, scope, contextData, options),
	removeProcessed: async (values, scope, contextData, options) =>
		await deduplicatorOf(contextData).removeProcessed(values, scope, contextData, options),
	clearAllProcessedItems: notUsed,
	getProcessedDataCount: notUsed,
};

let isRegistered = false;

/**
 * Sets the deduplicator for the nodes of a workflow. Each workflow has its own, because unfinished work of a run whose
 * process counts as dead must not reach the deduplicator of the next run. The calls of a workflow without one fail as in an n8n
 * without a deduplicator.
 */
export function useDeduplication(workflow: Workflow, deduplicator: IDataDeduplicator | undefined): void {
	if (!isRegistered) void DataDeduplicationService.init(byWorkflow);
	isRegistered = true;
	if (deduplicator) deduplicators.set(workflow, deduplicator);
	else deduplicators.delete(workflow);
}
