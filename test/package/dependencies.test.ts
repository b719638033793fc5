import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { satisfies } from 'semver';
import { parse } from 'yaml';

import { devDependencies } from '../../package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* The packages that tests and builds need. Users install none of them. */

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

const { packages } = JSON.parse(read('package-lock.json')) as {
	packages: Record<string, { engines?: { node?: string }; optional?: boolean }>;
};
const locked = Object.entries(packages).filter(([folder]) => folder !== '');

// The oldest version that package.json allows, and the first ones with long-term support of the other release lines. `npm ci` warns
// otherwise, and one of these packages may fail. It leaves out optional packages that do not fit, such as those for 32-bit Windows.
test.each(['20.19.0', '22.13.0', '24.11.0'])(
	'Every package of the lock file supports Node.js %s',
	(version) => {
		const unsupported = locked.filter(
			([, { engines, optional }]) => !optional && engines?.node && !satisfies(version, engines.node),
		);
		expect(unsupported.map(([folder, { engines }]) => `${folder}: ${engines!.node}`)).toEqual([]);
		expect(locked.length).toBeGreaterThan(Object.keys(devDependencies).length);
	},
);

// Dependabot ignores a name without a package, and reports no error.
test('Dependabot holds back only packages that are here', () => {
	const { updates } = parse(read('.github/dependabot.yml')) as {
		updates: Array<{ ignore?: Array<{ 'dependency-name': string }> }>;
	};
	const held = updates.flatMap(({ ignore = [] }) => ignore.map((each) => each['dependency-name']));
	const names = Object.keys(devDependencies);
	const isHere = (name: string) =>
		name.endsWith('*') ? names.some((each) => each.startsWith(name.slice(0, -1))) : names.includes(name);
	expect(held.filter((name) => !isHere(name))).toEqual([]);
	expect(held).toContain('n8n-core');
});
