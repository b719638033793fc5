import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { userFolderOf } from './bench';

/* A clock that a test sets while n8n runs. Only what asks for the present time notices it: timers and logins go on as usual. */

const lookMs = 50;

/** @param file with the milliseconds by which the clock is ahead */
const program = (file: string) => `
const { readFileSync } = require('node:fs');
const now = Date.now.bind(Date);
let ahead = 0;
setInterval(() => { try { ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')); } catch {} }, ${lookMs}).unref();
Date.now = () => now() + ahead;
`;

/**
 * For an n8n that starts later.
 *
 * @param name of the user folder
 * @returns its variables, and what sets the clock to a time of tomorrow in UTC, such as 05:10
 */
export async function settableClock(name: string) {
	const folder = userFolderOf(name);
	const [file, code] = [join(folder, 'clock.txt'), join(folder, 'clock.cjs')];
	await mkdir(folder, { recursive: true });
	await writeFile(file, '0');
	await writeFile(code, program(file));
	const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
	return {
		env: { NODE_OPTIONS: `--require ${code}` },
		async set(time: string) {
			await writeFile(file, String(Date.parse(`${tomorrow}T${time}Z`) - Date.now()));
			await pause(10 * lookMs);
		},
	};
}
