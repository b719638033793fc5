import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';

import Fastify from 'fastify';

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

interface Manifest {
	name: string;
	version: string;
}

/**
 * @param tarballs of the versions; the last is the latest
 * @param folder for what npm keeps
 */
export async function startRegistry(tarballs: string[], folder: string): Promise<Registry> {
	await mkdir(folder, { recursive: true });
	const contents = new Map<string, Buffer>();
	const manifests: Manifest[] = [];
	for (const tarball of tarballs) {
		contents.set(basename(tarball), await readFile(tarball));
		manifests.push(await manifestOf(tarball, folder));
	}
	const { name, version: latest } = manifests.at(-1)!;

	const app = Fastify();
	app.get(`/${name}`, async () => ({
		name,
		'dist-tags': { latest },
		versions: Object.fromEntries(
			manifests.map((manifest, index) => {
				const file = basename(tarballs[index]!);
				const dist = {
					tarball: `${app.listeningOrigin}/${name}/-/${file}`,
					integrity: `sha512-${createHash('sha512').update(contents.get(file)!).digest('base64')}`,
				};
				return [manifest.version, { ...manifest, dist }];
			}),
		),
	}));
	app.get<{ Params: { file: string } }>(
		`/${name}/-/:file`,
		async ({ params }, reply) => await reply.type('application/octet-stream').send(contents.get(params.file)),
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
	const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
	await writeFile(file, JSON.stringify({ ...manifest, version }, null, 2));
	const packed = join(folder, `${manifest.name}-${version}.tgz`);
	await runCommand('tar', ['-czf', packed, '-C', unpacked, 'package'], { cwd: folder });
	return packed;
}

/** The package.json in a tarball. */
async function manifestOf(tarball: string, folder: string): Promise<Manifest> {
	const args = ['-xzOf', tarball, 'package/package.json'];
	return JSON.parse(await runCommand('tar', args, { cwd: folder })) as Manifest;
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
