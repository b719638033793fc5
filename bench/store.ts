/** The process that calls n8n's own store in its own database: prints the milliseconds of each call as JSON. */

import 'reflect-metadata';

import { randomBytes, randomUUID } from 'node:crypto';

/* Not dependencies of this project: only the modules of the pinned n8n contain them. */
/* eslint-disable @typescript-eslint/no-require-imports */
const { Container } = require('@n8n/di') as { Container: { get<T>(type: new () => T): T } };
const { DbConnection, ProcessedDataRepository, WorkflowRepository } = require('@n8n/db') as Database;
const { getDataDeduplicationService } = require('n8n/dist/deduplication') as {
	getDataDeduplicationService(): Record<'checkProcessedAndRecord' | 'removeProcessed', Call>;
};
/* eslint-enable @typescript-eslint/no-require-imports */

type Repository = new () => { save(row: object): Promise<unknown> };
interface Database {
	DbConnection: new () => { init(): Promise<void>; migrate(): Promise<void>; close(): Promise<void> };
	ProcessedDataRepository: Repository;
	WorkflowRepository: Repository;
}
type Call = (values: string[], scope: 'node', context: object, options: object) => Promise<unknown>;

/** Numbers of recipients stored. */
const sizes = [1_000, 10_000, 50_000, 100_000];
/** Pairs of calls for each number of recipients. */
const pairs = 20;
/** What the node claims at once at the default pace. */
const recipients = 4;

async function main() {
	const connection = Container.get(DbConnection);
	await connection.init();
	await connection.migrate();
	const id = randomBytes(8).toString('hex');
	const workflow = { id, name: 'Store', active: false, nodes: [], connections: {}, versionId: randomUUID() };
	await Container.get(WorkflowRepository).save(workflow);
	const times: Record<string, number[]> = {};
	for (const size of sizes) times[`${size.toLocaleString('en')} recipients, ms`] = await timesWith(id, size);
	await connection.close();
	// The line that the caller reads.
	console.log(`\n${JSON.stringify(times)}`);
	process.exit();
}

async function timesWith(workflowId: string, size: number): Promise<number[]> {
	const store = getDataDeduplicationService();
	const nodeId = `node-${size}`;
	const data = Array.from({ length: size }, () => randomBytes(16).toString('base64'));
	const value = { mode: 'entries', data };
	await Container.get(ProcessedDataRepository).save({ workflowId, context: `n:${nodeId}`, value });
	const context = { workflow: { id: workflowId }, node: { id: nodeId } };
	const times: number[] = [];
	const timed = async (call: Call, values: string[]) => {
		const startedAt = performance.now();
		await call.call(store, values, 'node', context, { mode: 'entries', maxEntries: size });
		times.push(performance.now() - startedAt);
	};
	for (let pair = 0; pair < pairs; pair++) {
		const claimed = Array.from({ length: recipients * 2 + 1 }, () => randomUUID());
		await timed(store.checkProcessedAndRecord, claimed);
		await timed(store.removeProcessed, claimed.slice(recipients));
	}
	// The first pair is not measured, because of one-time work for it.
	return times.slice(2);
}

void main();
