import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Postgres } from '../processes/databases';
import type { NodeTypeDescription } from './api';
import { installedPackageJson, packageName } from './packaging';
import { hostFolder } from './paths';

/** The database of an n8n, reached by the driver that n8n brings along. */
interface Database {
	query(sql: string, values: unknown[]): Promise<unknown>;
	close(): Promise<void>;
}

const BUSY_TIMEOUT_MS = 10_000;

const driver = <T>(name: string) => createRequire(join(hostFolder, 'package.json'))(name) as T;

/**
 * Notes the installed package in the database of a running n8n, as its installer does, so that it is listed under
 * Settings > Community nodes. The tables exist once n8n has started; it reads them whenever the list is shown. In queue
 * mode a worker that starts compares them with what is installed in its own user folder.
 *
 * @param postgres in place of the SQLite that n8n has by default
 */
export async function registerPackage(
	userFolder: string,
	nodeTypes: NodeTypeDescription[],
	postgres?: Postgres,
): Promise<void> {
	const { version, author } = await installedPackageJson(userFolder);
	const { query, close } = postgres ? await openPostgres(postgres) : openSqlite(userFolder);
	try {
		await query('BEGIN', []);
		await query('DELETE FROM installed_nodes WHERE package = $1', [packageName]);
		await query('DELETE FROM installed_packages WHERE "packageName" = $1', [packageName]);
		await query(
			// The dates are given because in SQLite the table's own default for them is not a date in n8n 2.41.
			`INSERT INTO installed_packages
			("packageName", "installedVersion", "authorName", "authorEmail", "createdAt", "updatedAt")
			VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)`,
			[packageName, version, author.name, author.email],
		);
		for (const node of ownNodes(nodeTypes)) {
			await query(
				'INSERT INTO installed_nodes (name, type, "latestVersion", package) VALUES ($1, $2, $3, $4)',
				[node.displayName, node.name, Math.max(...[node.version].flat()), packageName],
			);
		}
		await query('COMMIT', []);
	} finally {
		await close();
	}
}

/** What n8n itself derives from a node, to give it to AI agents as a tool, is not a node of the package. */
function ownNodes(nodeTypes: NodeTypeDescription[]): NodeTypeDescription[] {
	const ours = nodeTypes.filter(({ name }) => name.startsWith(`${packageName}.`));
	const names = new Set(ours.map(({ name }) => name));
	return ours.filter(({ name }) => !(name.endsWith('Tool') && names.has(name.slice(0, -'Tool'.length))));
}

interface SqliteDatabase {
	configure(option: 'busyTimeout', value: number): void;
	run(sql: string, values: unknown[], done: (error: Error | null) => void): void;
	close(done: (error: Error | null) => void): void;
}

function openSqlite(userFolder: string): Database {
	const { Database } = driver<{ Database: new (file: string) => SqliteDatabase }>('sqlite3');
	const database = new Database(join(userFolder, '.n8n', 'database.sqlite'));
	database.configure('busyTimeout', BUSY_TIMEOUT_MS);
	return {
		query: promisify(database.run.bind(database)),
		close: promisify(database.close.bind(database)),
	};
}

interface PostgresClient {
	connect(): Promise<void>;
	query(sql: string, values: unknown[]): Promise<unknown>;
	end(): Promise<void>;
}

async function openPostgres({ port, username: user, database }: Postgres): Promise<Database> {
	const { Client } = driver<{ Client: new (options: object) => PostgresClient }>('pg');
	const client = new Client({ host: '127.0.0.1', port, user, database });
	await client.connect();
	return { query: client.query.bind(client), close: client.end.bind(client) };
}
