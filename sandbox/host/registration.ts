import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { NodeTypeDescription } from './api';
import { installedPackageJson, packageName } from './packaging';
import { hostFolder } from './paths';

interface Database {
	run(sql: string, values: unknown[], done: (error: Error | null) => void): void;
	close(done: (error: Error | null) => void): void;
	configure(option: 'busyTimeout', value: number): void;
}

interface Sqlite {
	OPEN_READWRITE: number;
	Database: new (file: string, mode: number, done: (error: Error | null) => void) => Database;
}

const BUSY_TIMEOUT_MS = 10_000;

/**
 * Notes the installed package in the database of a running n8n, as its installer does, so that it is listed under
 * Settings > Community nodes. The tables exist once n8n has started; it reads them whenever the list is shown.
 */
export async function registerPackage(userFolder: string, nodeTypes: NodeTypeDescription[]): Promise<void> {
	const { version, author } = await installedPackageJson(userFolder);
	const { name: authorName, email: authorEmail } = author as { name?: string; email?: string };
	const database = await open(join(userFolder, '.n8n', 'database.sqlite'));
	const run = promisify(database.run.bind(database));
	try {
		await run('BEGIN IMMEDIATE', []);
		await run('DELETE FROM installed_nodes WHERE package = ?', [packageName]);
		await run('DELETE FROM installed_packages WHERE packageName = ?', [packageName]);
		await run(
			// The dates are given because the table's own default for them is not a date in n8n 2.41.
			`INSERT INTO installed_packages (packageName, installedVersion, authorName, authorEmail, createdAt, updatedAt)
			VALUES (?, ?, ?, ?, STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW'), STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW'))`,
			[packageName, version, authorName, authorEmail],
		);
		for (const node of ownNodes(nodeTypes)) {
			const latestVersion = Array.isArray(node.version) ? Math.max(...node.version) : node.version;
			await run('INSERT INTO installed_nodes (name, type, latestVersion, package) VALUES (?, ?, ?, ?)', [
				node.displayName,
				node.name,
				latestVersion,
				packageName,
			]);
		}
		await run('COMMIT', []);
	} finally {
		await promisify(database.close.bind(database))();
	}
}

/** What n8n itself derives from a node, to give it to AI agents as a tool, is not a node of the package. */
function ownNodes(nodeTypes: NodeTypeDescription[]): NodeTypeDescription[] {
	const ours = nodeTypes.filter(({ name }) => name.startsWith(`${packageName}.`));
	const names = new Set(ours.map(({ name }) => name));
	return ours.filter(({ name }) => !(name.endsWith('Tool') && names.has(name.slice(0, -'Tool'.length))));
}

async function open(file: string): Promise<Database> {
	const sqlite = createRequire(join(hostFolder, 'package.json'))('sqlite3') as Sqlite;
	const database = await new Promise<Database>((resolve, reject) => {
		const opened = new sqlite.Database(file, sqlite.OPEN_READWRITE, (error) =>
			error ? reject(error) : resolve(opened),
		);
	});
	database.configure('busyTimeout', BUSY_TIMEOUT_MS);
	return database;
}
