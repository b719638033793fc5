/**
 * Runs the engine tests on one release line of n8n: `npm run test:engine -- <line>`, followed by arguments for jest. The lines are in
 * lines.json; missing packages of a line are installed first. The variable EXPRESSION_ENGINE selects another expression engine than the
 * first one of the line.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import execa from 'execa';

import { ensureHostInstalled, hostFolder, projectFolder } from '../../sandbox/host';
import { installOnce } from '../../sandbox/host/install';
import { hostNode } from '../../sandbox/host/paths';
import { runNpm } from '../../sandbox/processes/command';
import lines from '../../sandbox/engines/lines.json';

async function main([line = '', ...jestArguments]: string[]): Promise<number> {
	if (!(line in lines)) throw new Error(`Name a release line of n8n: ${Object.keys(lines).join(', ')}`);
	const { folder, expressionEngines } = lines[line as keyof typeof lines];
	const expressionEngine = process.env.EXPRESSION_ENGINE || expressionEngines[0]!;
	if (!expressionEngines.includes(expressionEngine))
		throw new Error(`n8n ${line} evaluates expressions by ${expressionEngines.join(' or ')}`);

	const cwd = join(projectFolder, folder);
	// The Node.js of the pinned n8n, which requires its version; isolates have a prebuilt addon for it, but not for every version.
	const needsHostNode = cwd === hostFolder || expressionEngine !== 'legacy';
	if (needsHostNode) await ensureHostInstalled();
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
	if (line === '1.x')
		await installOnce(cwd, async (folder) => void (await runNpm(['ci', ...flags], { cwd: folder })));
	if (line === 'newest') {
		await mkdir(cwd, { recursive: true });
		await runNpm(['install', 'n8n-core@latest', ...flags, '--prefix', cwd], { cwd });
	}

	const { exitCode } = await execa(
		needsHostNode ? hostNode : process.execPath,
		[require.resolve('jest/bin/jest'), '--config', 'test/engine/jest.config.js', ...jestArguments],
		{
			cwd: projectFolder,
			stdio: 'inherit',
			reject: false,
			env: { ENGINE: line, EXPRESSION_ENGINE: expressionEngine },
		},
	);
	return exitCode;
}

main(process.argv.slice(2)).then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	},
);
