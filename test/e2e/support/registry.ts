import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import Fastify from 'fastify';

import { packageName } from '../../../sandbox/host';
import { runCommand } from '../../../sandbox/processes/command';

/*
 * n8n's own installer takes packages only from the public registry, which does not have the versions under test. So the test
 * directs its npm to a local registry. Everything else, n8n's installer, npm and tar, works as usual.
 */

/** A registry with one package, in several versions. */
export interface Registry {
	/** Settings for an n8n that installs from it, and reaches no other host. */
	env: Record<string, string>;
	stop(): Promise<void>;
}

/**
 * @param tarballs of the versions; the last is the latest
 * @param folder for what npm keeps
 */
export async function startRegistry(tarballs: Record<string, string>, folder: string): Promise<Registry> {
	await mkdir(folder, { recursive: true });
	const app = Fastify();
	const versions = Object.keys(tarballs);
	const read = async (version: string) => await readFile(tarballs[version]!);
	const describe = async (version: string) => {
		const integrity = `sha512-${createHash('sha512')
			.update(await read(version))
			.digest('base64')}`;
		const tarball = `${app.listeningOrigin}/tarballs/${version}`;
		return [version, { name: packageName, version, dist: { tarball, integrity } }];
	};
	app.get(`/${packageName}`, async () => ({
		name: packageName,
		'dist-tags': { latest: versions.at(-1) },
		versions: Object.fromEntries(await Promise.all(versions.map(describe))) as object,
	}));
	app.get<{ Params: { version: string } }>(
		'/tarballs/:version',
		async ({ params }, reply) =>
			await reply.type('application/octet-stream').send(await read(params.version)),
	);
	await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		env: {
			PATH: [await npmWithoutRegistry(folder), process.env.PATH].join(delimiter),
			npm_config_registry: app.listeningOrigin,
			npm_config_cache: join(folder, 'cache'),
			npm_config_offline: 'false',
			// n8n asks its vendor whether a package is banned, and the public registry whether it exists. When nobody answers, it
			// continues with npm.
			HTTP_PROXY: NOBODY,
			HTTPS_PROXY: NOBODY,
			NO_PROXY: '127.0.0.1,localhost',
		},
		stop: async () => await app.close(),
	};
}

const NOBODY = 'http://127.0.0.1:9';

/** Packs a package again with another version number. @returns the tarball */
export async function repack(tarball: string, version: string, folder: string): Promise<string> {
	const unpacked = join(folder, version);
	await mkdir(unpacked, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', unpacked], { cwd: folder });
	const file = join(unpacked, 'package', 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8')) as object;
	await writeFile(file, JSON.stringify({ ...manifest, version }, null, 2));
	const packed = join(folder, `${packageName}-${version}.tgz`);
	await runCommand('tar', ['-czf', packed, '-C', unpacked, 'package'], { cwd: folder });
	return packed;
}

/** An `npm` that drops the registry that n8n names in every command. @returns its folder */
async function npmWithoutRegistry(folder: string): Promise<string> {
	const bin = join(folder, 'bin');
	await mkdir(bin, { recursive: true });
	const script = `#!/bin/sh
for argument do
	shift
	case "$argument" in --registry=*) ;; *) set -- "$@" "$argument" ;; esac
done
PATH="\${PATH#*:}"
export PATH
exec npm "$@"
`;
	await writeFile(join(bin, 'npm'), script);
	await chmod(join(bin, 'npm'), 0o755);
	return bin;
}
