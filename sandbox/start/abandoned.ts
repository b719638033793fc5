import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 1_000;

/**
 * Calls back when what started us is gone. npm and the shell in between pass a signal sent to them alone to nobody, so
 * that without this n8n would stay behind when only npm is ended.
 */
export function onceAbandoned(callback: () => void): void {
	const ancestry = () => `${process.ppid} ${parentOf(process.ppid)}`;
	const atStart = ancestry();
	const timer = setInterval(() => {
		if (ancestry() === atStart) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}

/** Known where the system shows its processes as files; elsewhere only our own parent is watched. */
function parentOf(pid: number): string {
	try {
		const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name comes before, in parentheses, and may hold anything.
		return status.slice(status.lastIndexOf(')') + 2).split(' ')[1] ?? '';
	} catch {
		return '';
	}
}
