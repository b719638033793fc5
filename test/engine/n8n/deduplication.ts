import { DataDeduplicationService } from 'n8n-core';
import { sleep, type DeduplicationItemTypes as Entry, type DeduplicationScope } from 'n8n-workflow';
import type { ICheckProcessedContextData as Context, IDataDeduplicator, Workflow } from 'n8n-workflow';
import { ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

/*
 * The store for the deduplication helpers of n8n's nodes, without n8n's database. It follows n8n's
 * dist/deduplication/deduplication-helper.js, including its weaknesses: a call reads a row, changes it and writes back the
 * whole row, and nothing prevents two calls from doing this at the same time. Only an insert and a deletion are atomic.
 */

const hashOf = (value: Entry) => createHash('md5').update(value.toString()).digest('base64');

const keyOf = (workflowId: string, nodeId: string) => JSON.stringify([workflowId, `n:${nodeId}`]);

function keyIn(scope: DeduplicationScope, { workflow, node }: Context): string {
	ok(workflow.id);
	if (scope === 'workflow') return JSON.stringify([workflow.id, '']);
	ok(node);
	return keyOf(workflow.id, node.id);
}

type Checked = Parameters<IDataDeduplicator['checkProcessedAndRecord']>;

/** n8n's deduplicator in memory, for rows with a list of entries. */
export class MemoryDeduplicator implements IDataDeduplicator {
	/** The values of each call, before they are hashed. */
	readonly calls: Entry[][] = [];

	/** The values of each call that removes them. */
	readonly removed: Entry[][] = [];

	/** Rows of the table as JSON, by workflow and context. */
	private readonly rows = new Map<string, string>();

	/** @param delayMs the duration of a read, and of the write that follows it. Even 0 yields to other tasks. */
	constructor(private readonly delayMs = 0) {}

	async checkProcessedAndRecord(...[values, scope, context, { mode, maxEntries }]: Checked) {
		this.calls.push([...values]);
		const key = keyIn(scope, context);
		await sleep(this.delayMs);
		const before = this.read(key);
		if (before && before.mode !== mode)
			throw new Error('Deduplication data was originally saved with an incompatible setting');
		const data = before?.data ?? [];
		// As in n8n: an entry that occurs twice in one call is new twice.
		const known = new Set(data);
		const isKnown = (value: Entry) => known.has(hashOf(value));
		const output = { new: values.filter((value) => !isKnown(value)), processed: values.filter(isKnown) };
		data.push(...output.new.map(hashOf));
		if (maxEntries) data.splice(0, data.length - maxEntries);
		await sleep(this.delayMs);
		// An update of a row that is gone changes nothing.
		const isThere = this.rows.has(key);
		if (!before && isThere) throw new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data');
		if (!before || isThere) this.rows.set(key, JSON.stringify({ mode, data }));
		return output;
	}

	async removeProcessed(values: Entry[], scope: DeduplicationScope, context: Context) {
		this.calls.push([...values]);
		this.removed.push([...values]);
		const key = keyIn(scope, context);
		await sleep(this.delayMs);
		const row = this.read(key);
		for (const hash of row ? values.map(hashOf) : []) {
			const index = row!.data.indexOf(hash);
			if (index !== -1) row!.data.splice(index, 1);
		}
		await sleep(this.delayMs);
		if (row && this.rows.has(key)) this.rows.set(key, JSON.stringify(row));
	}

	async clearAllProcessedItems(scope: DeduplicationScope, context: Context) {
		await sleep(this.delayMs);
		this.rows.delete(keyIn(scope, context));
	}

	async getProcessedDataCount(scope: DeduplicationScope, context: Context) {
		await sleep(this.delayMs);
		return this.read(keyIn(scope, context))?.data.length ?? 0;
	}

	/** Gives a node entries with random values, without a call. */
	prefill({ workflowId, nodeId }: { workflowId: string; nodeId: string }, count: number): void {
		const data = Array.from({ length: count }, () => randomBytes(16).toString('base64'));
		this.rows.set(keyOf(workflowId, nodeId), JSON.stringify({ mode: 'entries', data }));
	}

	private read(key: string): { mode: string; data: string[] } | undefined {
		return JSON.parse(this.rows.get(key) ?? 'null') ?? undefined;
	}
}

const deduplicators = new WeakMap<object, IDataDeduplicator>();

function deduplicatorOf({ workflow }: Context): IDataDeduplicator {
	const deduplicator = deduplicators.get(workflow);
	ok(deduplicator, 'Instance needs to initialized before use. Make sure to call init()');
	return deduplicator;
}

/** n8n-core uses one deduplicator for the lifetime of the process. */
const byWorkflow: IDataDeduplicator = {
	checkProcessedAndRecord: async (...all) => await deduplicatorOf(all[2]).checkProcessedAndRecord(...all),
	removeProcessed: async (...all) => await deduplicatorOf(all[2]).removeProcessed(...all),
	clearAllProcessedItems: async (...all) => await deduplicatorOf(all[1]).clearAllProcessedItems(...all),
	getProcessedDataCount: async (...all) => await deduplicatorOf(all[1]).getProcessedDataCount(...all),
};

let isRegistered = false;

/**
 * Sets the deduplicator for the nodes of a workflow. Each workflow has its own, because unfinished work of a run whose
 * process counts as dead must not reach the deduplicator of the next run. The calls of a workflow without one fail as in an n8n
 * without a deduplicator.
 */
export function useDeduplication(workflow: Workflow, deduplicator: IDataDeduplicator | undefined): void {
	if (!isRegistered) {
		// That of another test file in the same process, where n8n would have none.
		Reflect.deleteProperty(DataDeduplicationService, 'instance');
		void DataDeduplicationService.init(byWorkflow);
	}
	isRegistered = true;
	if (deduplicator) deduplicators.set(workflow, deduplicator);
	else deduplicators.delete(workflow);
}
