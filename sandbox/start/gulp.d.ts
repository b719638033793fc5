/** The part of gulp that is used in TypeScript; it has no types of its own. */
declare module 'gulp' {
	export function watch(
		globs: string[],
		options: { cwd: string },
		task: () => Promise<void>,
	): { close(): Promise<void> };
}
