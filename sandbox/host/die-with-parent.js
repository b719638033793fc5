/**
 * Preloaded into n8n: the channel to the process that started it closes when that process ends, however it ends, and
 * n8n then stops too instead of staying behind with its port and its database.
 */
process.on('disconnect', () => {
	process.kill(process.pid, 'SIGTERM');
	setTimeout(() => process.kill(process.pid, 'SIGKILL'), 10_000).unref();
});
process.channel?.unref();
