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
 * whole row, and nothing prevents two calls from doing this at the same time. Only an insert and a deletion are atomic.
 */

export interface DeduplicationCall {
	method: 'checkProcessedAndRecord' | 'removeProcessed';
	scope: DeduplicationScope;
	/** The values as passed, before they are hashed. */
	values: DeduplicationItemTypes[];
	maxEntries: number | undefined;
}

export interface EntriesOf {
	workflowId: string;
	nodeId: string;
}

/** Rows of the table, JSON strings by workflow and context. */
export interface Rows {
	get(key: string): string | undefined;
	/** @returns whether the row is new; otherwise nothing has changed */
	insert(key: string, row: string): boolean;
	/** Changes a row, if it exists. */
	update(key: string, row: string): void;
	delete(key: string): void;
}

class RowsInMemory implements Rows {
	private readonly rows = new Map<string, string>();

	get(key: string) {
		return this.rows.get(key);
	}

	insert(key: string, row: string) {
		if (this.rows.has(key)) return false;
		this.rows.set(key, row);
		return true;
	}

	update(key: string, row: string) {
		if (this.rows.has(key)) this.rows.set(key, row);
	}

	delete(key: string) {
		this.rows.delete(key);
	}
}

export interface DeduplicatorOptions {
	/** A table that others use too. By default each deduplicator has its own, in memory. */
	rows?: Rows;
	/** The duration of a read, and of the write that follows it; a function is called each time. Even 0 yields to other tasks. */
	delayMs?: number | (() => number);
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

export const hashOf = (value: DeduplicationItemTypes) =>
	createHash('md5').update(value.toString()).digest('base64');

const keyOf = ({ workflowId, nodeId }: EntriesOf) => JSON.stringify([workflowId, `n:${nodeId}`]);

function keyIn(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	if (scope === 'workflow') return JSON.stringify([workflow.id, '']);
	ok(node);
	return keyOf({ workflowId: workflow.id, nodeId: node.id });
}

/** n8n's deduplicator in memory, for rows with a list of entries. */
export class MemoryDeduplicator implements IDataDeduplicator {
	readonly calls: DeduplicationCall[] = [];
	private readonly rows: Rows;

	private readonly delayMs: number | (() => number);

	constructor({ rows = new RowsInMemory(), delayMs = 0 }: DeduplicatorOptions = {}) {
		this.rows = rows;
		this.delayMs = delayMs;
	}

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

	async clearAllProcessedItems(scope: DeduplicationScope, contextData: ICheckProcessedContextData) {
		await this.databaseAnswers();
		this.rows.delete(keyIn(scope, contextData));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		contextData: ICheckProcessedContextData,
		{ mode }: ICheckProcessedOptions,
	) {
		await this.databaseAnswers();
		const row = this.read(keyIn(scope, contextData));
		return mode === 'entries' && row ? row.data.length : 0;
	}

	/** The hashed entries of a node. */
	entries(of: EntriesOf): string[] {
		return (this.read(keyOf(of))?.data ?? []) as string[];
	}

	/** Puts entries with random values in front of those of a node, without a call. */
	prefill(of: EntriesOf, count: number): void {
		const hashes = Array.from({ length: count }, () => randomBytes(16).toString('base64'));
		const row = JSON.stringify({ mode: 'entries', data: [...hashes, ...this.entries(of)] });
		if (!this.rows.insert(keyOf(of), row)) this.rows.update(keyOf(of), row);
	}

	private async perform<Outcome>(
		method: DeduplicationCall['method'],
		{ values, scope, contextData, options: { mode, maxEntries } }: Asked,
		change: (row: IProcessedDataEntries | undefined) => Change<Outcome>,
	): Promise<Outcome> {
		this.calls.push({ method, scope, values: [...values], maxEntries });
		const key = keyIn(scope, contextData);
		await this.databaseAnswers();
		const before = this.read(key);
		if (method === 'checkProcessedAndRecord' && before && before.mode !== mode)
			throw new Error('Deduplication data was originally saved with an incompatible setting');
		const { outcome, row } = change(before);
		await this.databaseAnswers();
		if (row && before) this.rows.update(key, JSON.stringify(row));
		else if (row && !this.rows.insert(key, JSON.stringify(row))) {
			const message = 'UNIQUE constraint failed: processed_data.context, processed_data.workflowId';
			throw Object.assign(new Error(`SQLITE_CONSTRAINT: ${message}`), { name: 'QueryFailedError' });
		}
		return outcome;
	}

	private async databaseAnswers(): Promise<void> {
		const { delayMs } = this;
		await sleep(typeof delayMs === 'number' ? delayMs : delayMs());
	}

	private read(key: string): IProcessedDataEntries | undefined {
		const text = this.rows.get(key);
		return text === undefined ? undefined : (JSON.parse(text) as IProcessedDataEntries);
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
	clearAllProcessedItems: async (scope, contextData, options) =>
		await deduplicatorOf(contextData).clearAllProcessedItems(scope, contextData, options),
	getProcessedDataCount: async (scope, contextData, options) =>
		await deduplicatorOf(contextData).getProcessedDataCount(scope, contextData, options),
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
