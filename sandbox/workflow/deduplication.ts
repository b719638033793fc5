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

/** A method of a deduplicator that the package calls. */
export type DeduplicationMethod = 'checkProcessedAndRecord' | 'removeProcessed';

/** A call of a deduplicator. */
export interface DeduplicationCall {
	method: DeduplicationMethod;
	scope: DeduplicationScope;
	/** The values as passed, before they are hashed. */
	values: DeduplicationItemTypes[];
	maxEntries?: number;
	/** By the clock of the emulator; undefined for a call that hangs. */
	startedAt: number;
	endedAt?: number;
	error?: unknown;
}

/** The owner of entries with the scope 'node'. */
export interface EntriesOf {
	workflowId: string;
	nodeId: string;
}

/** A moment in a call. */
export interface DeduplicationMoment {
	/** The number of the call, from 1: among all calls, or among those of one method. */
	call: number;
	method?: DeduplicationMethod;
	/** Whether its row has been written at that moment. */
	when: 'before' | 'after';
}

/** Rows of the table, JSON strings by workflow and context. */
export type ProcessedData = ReadonlyMap<string, string>;

/** The table, JSON strings by workflow and context. */
export interface Rows extends Iterable<[key: string, row: string]> {
	get(key: string): string | undefined;
	has(key: string): boolean;
	set(key: string, row: string): void;
}

/** Options for a deduplicator. */
export interface DeduplicatorOptions {
	/** A table that others use too. By default each deduplicator has its own, in memory. */
	rows?: Rows;
	/** The initial contents of the table: the `snapshot()` of another deduplicator. */
	stored?: ProcessedData;
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

const notUsed = async (): Promise<never> => {
	throw new Error('The package does not call this');
};

const failedQuery = (message: string) => Object.assign(new Error(message), { name: 'QueryFailedError' });

const hashOf = (value: DeduplicationItemTypes) => createHash('md5').update(value.toString()).digest('base64');

const keyOf = ({ workflowId, nodeId }: EntriesOf) => JSON.stringify([workflowId, `n:${nodeId}`]);

/**
 * n8n's deduplicator in memory, for the mode 'entries' and the scope 'node', with the parts that the package uses. It lists its
 * calls, and fails on request.
 */
export class MemoryDeduplicator implements IDataDeduplicator {
	/** All calls, in order. */
	readonly calls: DeduplicationCall[] = [];

	/** Resolves when the process dies. */
	readonly died: Promise<void>;

	private readonly rows: Rows;

	private readonly delayMs: number | (() => number);

	private readonly faults: Array<{ moment: DeduplicationMoment; cause: () => void }> = [];

	private isDead = false;

	private announceDeath!: () => void;

	/** What calls that never get an answer wait for. */
	private readonly buried: Promise<never>;

	private announceBurial!: (error: Error) => void;

	constructor({ stored = new Map(), rows = new Map(stored), delayMs = 0 }: DeduplicatorOptions = {}) {
		this.rows = rows;
		this.delayMs = delayMs;
		this.died = new Promise((resolve) => (this.announceDeath = resolve));
		this.buried = new Promise((_, reject) => (this.announceBurial = reject));
		this.buried.catch(() => {});
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

	readonly clearAllProcessedItems = notUsed;

	readonly getProcessedDataCount = notUsed;

	/** How many entries a node has. */
	entries(of: EntriesOf): number {
		return this.read(keyOf(of))?.data.length ?? 0;
	}

	/** Puts entries with random values in front of those of a node, without a call. */
	prefill(of: EntriesOf, count: number): void {
		const key = keyOf(of);
		const bytes = randomBytes(16 * count);
		const hashes = Array.from({ length: count }, (_, index) =>
			bytes.toString('base64', 16 * index, 16 * (index + 1)),
		);
		const data = [...hashes, ...(this.read(key)?.data ?? [])];
		this.rows.set(key, JSON.stringify({ mode: 'entries', data }));
	}

	/** The current contents of the table. */
	snapshot(): ProcessedData {
		return new Map(this.rows);
	}

	/** Makes one call fail, as when the database is locked for a while. */
	failAt(moment: DeduplicationMoment): void {
		const cause = () => {
			throw failedQuery('SQLITE_BUSY: database is locked');
		};
		this.faults.push({ moment, cause });
	}

	/** Makes the process die in a call. */
	dieAt(moment: DeduplicationMoment): void {
		this.faults.push({ moment, cause: () => this.die() });
	}

	/**
	 * Makes the process die now: from here on, no call is answered and nothing is written. Work of the workflow that does not
	 * use the store still continues. To start n8n again, create another deduplicator with the `snapshot()`.
	 */
	die(): void {
		this.isDead = true;
		this.announceDeath();
	}

	/** Makes all calls of a dead process fail, so that its unfinished work ends with the test. Nothing is written. */
	bury(): void {
		this.announceBurial(new Error('The process has died'));
	}

	private async perform<Outcome>(
		method: DeduplicationMethod,
		{ values, scope, contextData, options: { mode, maxEntries } }: Asked,
		change: (row: IProcessedDataEntries | undefined) => Change<Outcome>,
	): Promise<Outcome> {
		await this.staysAlive();
		const call: DeduplicationCall = { method, scope, values: [...values], startedAt: performance.now() };
		if (maxEntries !== undefined) call.maxEntries = maxEntries;
		this.calls.push(call);
		const faults = this.faultsOf(method);
		const meet = async (now: DeduplicationMoment['when']) => {
			for (const { moment, cause } of faults) if (moment.when === now) cause();
			await this.staysAlive();
		};
		try {
			ok(mode === 'entries' && scope === 'node' && contextData.node);
			const key = keyOf({ workflowId: contextData.workflow.id, nodeId: contextData.node.id });
			await this.databaseAnswers();
			const before = this.read(key);
			const { outcome, row } = change(before);
			await this.databaseAnswers();
			await meet('before');
			if (row && before) this.update(key, row);
			else if (row) this.insert(key, row);
			await meet('after');
			return outcome;
		} catch (error) {
			call.error = error;
			throw error;
		} finally {
			call.endedAt = performance.now();
		}
	}

	/** The planned moments that apply to the last call. */
	private faultsOf(method: DeduplicationMethod) {
		const ofMethod = this.calls.filter((call) => call.method === method).length;
		return this.faults.filter(({ moment }) =>
			moment.method
				? moment.method === method && moment.call === ofMethod
				: moment.call === this.calls.length,
		);
	}

	private async databaseAnswers(): Promise<void> {
		const { delayMs } = this;
		await sleep(typeof delayMs === 'number' ? delayMs : delayMs());
		await this.staysAlive();
	}

	private async staysAlive(): Promise<void> {
		if (this.isDead) await this.buried;
	}

	private read(key: string): IProcessedDataEntries | undefined {
		const text = this.rows.get(key);
		return text === undefined ? undefined : (JSON.parse(text) as IProcessedDataEntries);
	}

	private insert(key: string, row: IProcessedDataEntries): void {
		if (this.rows.has(key)) {
			throw failedQuery(
				'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.context, processed_data.workflowId',
			);
		}
		this.rows.set(key, JSON.stringify(row));
	}

	// Without the row there is nothing to update, and no error.
	private update(key: string, row: IProcessedDataEntries): void {
		if (this.rows.has(key)) this.rows.set(key, JSON.stringify(row));
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
