import { statfs } from 'node:fs/promises';

const GIGABYTE = 1e9;

/** Of n8n, of its packages in npm's cache, and of what both need while they are unpacked. */
const NEEDED_GIGABYTES = 4;

/** Refuses before an installation that would fill the disk. */
export async function checkDiskSpace(folder: string, neededGigabytes = NEEDED_GIGABYTES): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = (bavail * bsize) / GIGABYTE;
	if (free < neededGigabytes) {
		throw new Error(
			`The disk of ${folder} has ${free.toFixed(1)} GB free, and the installation of n8n needs ${neededGigabytes} GB.`,
		);
	}
}
