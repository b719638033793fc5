import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { name, version } from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import { dependencies as ofHost } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* The versions that people rely on: those of n8n that the tests run, and that of the package which queue mode installs. */

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

test.each(['README.md', 'docs/ru/README.md'])('%s names the versions of n8n that the tests run', (readme) => {
	expect(read(readme)).toContain(ofHost.n8n);
	// In that release line, the minor version of n8n is one ahead of its engine's.
	expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
	expect(read(readme)).toMatch(/1\.123\D.*2\.8\D.*2\.41/);
});

test('the processes of docs/queue-mode/compose.yaml install this version', () => {
	expect(read('docs/queue-mode/compose.yaml')).toContain(`[{ "name": "${name}", "version": "${version}" }]`);
});
