/** Starts measuring; the function it returns tells the time since then in words. */
export function stopwatch(): () => string {
	const start = performance.now();
	return () => {
		const seconds = (performance.now() - start) / 1000;
		return seconds < 60
			? `${seconds.toFixed(1)} s`
			: `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
	};
}
