import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { name, version } from '../../package.json';
import { dependencies } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';

/*
 * What users copy from the documents to run the package in containers. Its processes run in test/e2e/nightly/compose.test.ts, and in
 * containers in .ci/compose.
 */

interface Service {
	image: string;
	environment: Record<string, string>;
	volumes: string[];
}

const read = (file: string) => readFileSync(join(projectFolder, 'docs', file), 'utf8');

const text = read('queue-mode/compose.yaml');
const { services, volumes } = parse(text, { merge: true }) as {
	services: Record<string, Service>;
	volumes: Record<string, unknown>;
};
const { n8n: main, 'worker-1': worker, 'worker-2': other } = services;

const matchesOf = (pattern: RegExp, searched: string) =>
	[...searched.matchAll(pattern)].map(([, found]) => found!);

test.each(['queue-mode.md', 'ru/queue-mode.md'])(
	'the .env of %s sets each variable that the Compose file requires, none that it does not read, and it starts the n8n of the tests',
	(page) => {
		const shown = /^ *```sh\n([^`]*N8N_ENCRYPTION_KEY=\n[^`]*)^ *```/m.exec(read(page))![1]!;
		const set = matchesOf(/^ *(\w+)=/gm, shown);
		expect(set).toEqual(expect.arrayContaining(matchesOf(/\$\{(\w+):\?/g, text)));
		expect(matchesOf(/\$\{(\w+)/g, text)).toEqual(expect.arrayContaining(set));
		expect(main!.image).toContain(`:\${N8N_VERSION:-${dependencies.n8n}}`);
	},
);

test('the main process and the workers are the same n8n with the same settings, and each has a volume of its own', () => {
	const {
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: _managed,
		N8N_COMMUNITY_PACKAGES: _listed,
		...common
	} = main!.environment;
	for (const { image, environment } of [worker!, other!]) {
		expect(image).toBe(main!.image);
		expect(environment).toMatchObject(common);
	}
	const used = Object.values(services).flatMap((service) =>
		service.volumes.map((each) => each.split(':')[0]!),
	);
	expect(used.sort()).toEqual(Object.keys(volumes).sort());
});

test.each(['queue-mode/compose.yaml', 'install.md', 'ru/install.md'])(
	'%s installs the current version',
	(file) => {
		const listed = matchesOf(/(\[\{ "name": .*\])'/g, read(file)).map((each) => JSON.parse(each) as unknown);
		expect(listed).toEqual([[{ name, version }]]);
	},
);
