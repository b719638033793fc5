import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import execa from 'execa';

import { hostNode } from '../../sandbox/host/paths';
import { startPostgres } from '../../sandbox/processes/databases';
import { benchFolder, type Built } from '../build';
import { keep, type RecordFigures } from '../records';

/** Measures the calls of n8n's store in both of its databases. */
export async function measureStore({ storeProgram }: Built, log: (text: string) => void) {
	const folder = await mkdtemp(join(benchFolder, 'store-'));
	const postgres = await startPostgres();
	const onPostgres = {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_USER: postgres.username,
		DB_POSTGRESDB_DATABASE: postgres.database,
	};
	const timesOf = async (env: Record<string, string>) => {
		const usual = {
			PATH: process.env.PATH,
			NODE_ENV: 'production',
			N8N_LOG_LEVEL: 'silent',
			N8N_USER_FOLDER: folder,
		};
		const { stdout } = await execa(hostNode, [storeProgram], { env: { ...usual, ...env }, extendEnv: false });
		return JSON.parse(stdout.split('\n').at(-1)!) as RecordFigures;
	};
	try {
		log('n8n’s store in SQLite ...');
		keep('sqlite', await timesOf({}));
		log('n8n’s store in PostgreSQL ...');
		keep('postgres', await timesOf(onPostgres));
	} finally {
		await postgres.stop();
		await rm(folder, { recursive: true, force: true });
	}
}
