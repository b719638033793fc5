// n8n-core reports errors that it catches to its own logger; the tests check the results instead.
process.env.N8N_LOG_LEVEL ??= 'silent';

// n8n-workflow's `sleep` cannot be canceled, and a worker of Jest has to end without waiting for it. While the worker is in use, its
// channel keeps it alive. Jest itself, which runs single files, has no such channel.
if (process.send)
	globalThis.setTimeout = new Proxy(setTimeout, {
		apply: (start, self, given) => Reflect.apply(start, self, given).unref(),
	});
