import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 1_000;

/** tsx, the shell in which npm runs a script, and npm. */
const STARTED_BY = 3;

/**
 * Calls back when one of those that started us is gone. npm and the shell pass a signal sent to them alone to nobody, so
 * that without this n8n would stay behind when only npm is ended.
 */
export function whenParentEnds(callback: () => void): void {
	const atStart = ancestors();
	const timer = setInterval(() => {
		if (ancestors() === atStart) return;
		clearInterval(timer);
		callback();
	}, CHECK_EVERY_MS);
	timer.unref();
}

function ancestors(): string {
	const pids = [process.ppid];
	while (pids.length < STARTED_BY) pids.push(parentOf(pids.at(-1)!));
	return pids.join();
}

/** Known where the system shows its processes as files; elsewhere only our own parent is watched. */
function parentOf(pid: number): number {
	try {
		const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name comes before, in parentheses, and may hold anything.
		return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
	} catch {
		return 0;
	}
}
