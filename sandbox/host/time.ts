/** Starts a measurement; the returned function gives the elapsed time as text. */
export function stopwatch(): () => string {
	const start = performance.now();
	return () => {
		const seconds = (performance.now() - start) / 1000;
		return seconds < 60
			? `${seconds.toFixed(1)} s`
			: `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
	};
}
