import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Two n8n instances with one database would corrupt it: refuses to start while another instance is running here. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
	await mkdir(folder, { recursive: true });
	const file = join(folder, 'running.pid');
	const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
	if (pid > 0 && (await isOurs(pid))) {
		throw new Error(
			`Another npm start is already running in this folder (process ${pid}). Press Ctrl-C there, or end that process.`,
		);
	}
	await writeFile(file, String(process.pid));
	return async () => await rm(file, { force: true });
}

/** Process IDs are reused, especially after a restart of the machine. */
async function isOurs(pid: number): Promise<boolean> {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	if (!existsSync('/proc/self/cmdline')) return true;
	const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
	return commandLine.includes(join('sandbox', 'start'));
}
