/**
 * Runs the engine tests on one release line of n8n: `npm run test:engine -- <line>`, followed by arguments for jest. The lines are in
 * lines.json; missing packages of a line are installed first. The variable EXPRESSION_ENGINE selects the expression engine.
 */

import { join } from 'node:path';

import execa from 'execa';

import { ensureHostInstalled, type Log, stopwatch } from '../host';
import { runNpm } from '../processes/command';
import { hostFolder, hostNode, projectFolder, sandboxFolder } from '../host/paths';
import { installOnce } from '../host/installOnce';
import lines from './lines.json';

const log: Log = (line) => console.log(line);

async function main([line = '', ...jestArguments]: string[]): Promise<number> {
	const chosen = (lines as Record<string, { folder: string; expressionEngines: string[] } | undefined>)[line];
	if (!chosen)
		throw new Error(`Name a release line of n8n: npm run test:engine -- ${Object.keys(lines).join(' | ')}`);
	const expressionEngine = process.env.EXPRESSION_ENGINE || 'legacy';
	if (!chosen.expressionEngines.includes(expressionEngine)) {
		throw new Error(
			`n8n ${line} evaluates expressions by ${chosen.expressionEngines.join(' or ')}, not by ${expressionEngine}`,
		);
	}

	const folder = join(projectFolder, chosen.folder);
	// The Node.js of the pinned n8n, which requires its version; isolates have a prebuilt addon for it, but not for every version.
	const needsHostNode = folder === hostFolder || expressionEngine !== 'legacy';
	if (needsHostNode) await ensureHostInstalled(log);
	if (folder !== hostFolder && folder !== projectFolder) {
		await installOnce(folder, async () => await installEngine(line, folder));
	}

	const { exitCode = 1 } = await execa(
		needsHostNode ? hostNode : process.execPath,
		[require.resolve('jest/bin/jest'), '--config', 'test/engine/jest.config.js', ...jestArguments],
		{
			cwd: projectFolder,
			stdio: 'inherit',
			reject: false,
			env: {
				ENGINE: line,
				EXPRESSION_ENGINE: expressionEngine,
				// For the `import()` with which n8n loads its other expression engines.
				NODE_OPTIONS: [process.env.NODE_OPTIONS, '--experimental-vm-modules'].filter(Boolean).join(' '),
			},
		},
	);
	return exitCode;
}

async function installEngine(line: string, folder: string): Promise<void> {
	log(`Installing the engine of n8n ${line}: about 250 MB, only this once`);
	const taken = stopwatch();
	await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
		cwd: folder,
		logFile: join(sandboxFolder, 'logs', `engine-${line}-install.log`),
	});
	log(`The engine of n8n ${line} is installed (${taken()})`);
}

main(process.argv.slice(2)).then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	},
);
