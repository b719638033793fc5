/** `npm run check:service` as a command: what it prints where, and what Ctrl+C does. */

import { join } from 'node:path';

import execa from 'execa';

import { useEmulator } from '../contract/client';

const service = useEmulator();

const run = (args: string[], ...answers: string[]) =>
	execa(process.execPath, ['--import', 'tsx', 'tools/checkService/index.ts', ...args], {
		cwd: join(__dirname, '../..'),
		input: [service.url, service.token, ...answers].join('\n'),
		reject: false,
	});

test('It asks on stderr, and prints the report alone', async () => {
	const body = { data: [], [service.token]: 1, last_seen: 2 };
	service.faults.add({ kind: 'answer', status: 200, body, match: { path: 'getBotTags', nth: 1 } });
	const { stdout, stderr, exitCode } = await run([]);
	expect(exitCode).toBe(0);
	expect(stderr).toMatch(/only reads.*Base URL.*API Token.*hides these names.*last_seen/s);
	expect(stdout.trim()).toMatch(/^Service: .*\| getBotTags \| … \|.*<\/details>$/s);
	expect(stdout + stderr).not.toContain(service.token);
});

test('After Ctrl+C, it removes what is new, and reports', async () => {
	const { listSchemas, listItems } = service.data;
	const stored = () => JSON.stringify([...listSchemas, ...listItems]);
	const before = stored();
	const running = run(['--write'], '5001', 'write');
	const where = () => !running.kill('SIGINT');
	service.faults.add({ kind: 'delay', ms: 0, match: { path: 'addListItem', where } });
	const { stdout, exitCode } = await running;
	expect([exitCode, stored()]).toEqual([130, before]);
	expect(stdout).toContain('The check was interrupted.');
});
