import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { NodeTypeDescription } from './api';
import { installedPackageJson, packageName } from './packaging';
import { hostFolder } from './paths';
import type { Postgres } from './queueServers';

interface Client {
	connect(): Promise<void>;
	query(sql: string, values?: unknown[]): Promise<unknown>;
	end(): Promise<void>;
}

interface Driver {
	Client: new (options: { host: string; port: number; user: string; database: string }) => Client;
}

/**
 * Notes the installed package in a PostgreSQL database of n8n, as `registerPackage` does in that of an n8n
 * with SQLite. A worker that starts compares the note with what is installed in its own user folder.
 */
export async function registerPackageInPostgres(
	{ port, user, database }: Postgres,
	userFolder: string,
	nodeTypes: NodeTypeDescription[],
): Promise<void> {
	const { version, author } = await installedPackageJson(userFolder);
	const { name: authorName, email: authorEmail } = author as { name?: string; email?: string };
	// The driver that n8n itself brings along.
	const { Client } = createRequire(join(hostFolder, 'package.json'))('pg') as Driver;
	const client = new Client({ host: '127.0.0.1', port, user, database });
	await client.connect();
	try {
		await client.query('BEGIN');
		await client.query('DELETE FROM installed_packages WHERE "packageName" = $1', [packageName]);
		await client.query(
			`INSERT INTO installed_packages ("packageName", "installedVersion", "authorName", "authorEmail")
			VALUES ($1, $2, $3, $4)`,
			[packageName, version, authorName, authorEmail],
		);
		for (const node of nodeTypes) {
			// What n8n itself derives from a node, to give it to AI agents as a tool, is not a node of the package.
			if (!node.name.startsWith(`${packageName}.`) || node.name.endsWith('Tool')) continue;
			const latestVersion = Array.isArray(node.version) ? Math.max(...node.version) : node.version;
			await client.query(
				'INSERT INTO installed_nodes (name, type, "latestVersion", package) VALUES ($1, $2, $3, $4)',
				[node.displayName, node.name, latestVersion, packageName],
			);
		}
		await client.query('COMMIT');
	} finally {
		await client.end();
	}
}
