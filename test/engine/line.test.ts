import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { Expression } from 'n8n-workflow';

import lines from '../../sandbox/engines/lines.json';
import './harness';

/* Checks that the other tests really run on the n8n release line that they are said to run on. */

const line = (process.env.ENGINE ?? '2.8') as keyof typeof lines;
const folder = resolve(__dirname, '../..', lines[line].folder);
const modules = realpathSync(join(folder, 'node_modules'));
const { packages: locked } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
	packages: Record<string, { version: string }>;
};

/** The folder of every n8n package that is loaded so far. */
const loaded = () => {
	const ofPackage = /^.*\/node_modules\/(?:n8n-core|n8n-workflow|@n8n\/[^/]+)(?=\/)/;
	const folders = Object.keys(require.cache).map((file) => ofPackage.exec(file.replaceAll('\\', '/'))?.[0]);
	return [...new Set(folders.filter((each) => each !== undefined))].map((each) => realpathSync(each));
};

test('every n8n package belongs to the release line under test', () => {
	const found = Object.fromEntries(
		loaded().map((each) => {
			const { version } = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as { version: string };
			return [relative(modules, each), version];
		}),
	);
	const wanted = Object.keys(found).map((name) => [name, locked[`node_modules/${name}`]?.version]);
	expect(found).toEqual(Object.fromEntries(wanted));
	expect(Object.keys(found)).toEqual(expect.arrayContaining(['n8n-core', 'n8n-workflow', '@n8n/di']));
	expect(found['n8n-core']).toMatch(line.endsWith('.x') ? /^1\./ : `${line}.`);
});

test('the selected engine evaluates expressions', () => {
	const { getActiveImplementation } = Expression as unknown as { getActiveImplementation?(): string };
	expect(getActiveImplementation?.call(Expression) ?? 'legacy').toBe(
		process.env.EXPRESSION_ENGINE ?? 'legacy',
	);
});
