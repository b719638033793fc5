/** Settings of the caller's shell or test runner that would change how a child process behaves. */
const foreign = [
	/^npm_(package|lifecycle|command|node_execpath)/i,
	/^npm_config_(ignore_scripts|local_prefix|omit|workspace)/i,
	/^(NODE_OPTIONS|NODE_PATH|NODE_ENV|JEST_WORKER_ID|TS_NODE_.*|TSX_.*)$/,
];

/** What configures an n8n: a shell prepared for somebody's own instance must not leak into the sandbox. */
const foreignToHost = [/^(N8N|DB|EXECUTIONS|QUEUE|NODES|CREDENTIALS|GENERIC)_/, /^WEBHOOK_URL$/];

/** The environment for npm: the user's own, without what an enclosing `npm run` or test runner put there. */
export function toolEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
	return { ...without(process.env, foreign), ...extra };
}

/** The environment for n8n: as for tools, and without the settings of another n8n. */
export function hostEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
	return { ...without(process.env, [...foreign, ...foreignToHost]), NODE_ENV: 'production', ...extra };
}

function without(environment: NodeJS.ProcessEnv, patterns: RegExp[]): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(environment).filter(([name]) => !patterns.some((pattern) => pattern.test(name))),
	);
}
