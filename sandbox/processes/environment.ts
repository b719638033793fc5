/** Settings of the caller's shell or test runner that would change the behavior of a child process. */
const foreign = [
	/^npm_(package|lifecycle|command|node_execpath)/i,
	/^npm_config_(engine_strict|ignore_scripts|local_prefix|omit|provenance|workspace)/i,
	/^(NODE_OPTIONS|NODE_PATH|NODE_ENV|JEST_WORKER_ID|TS_NODE_.*|TSX_.*)$/,
];

/** Settings of an n8n: the variables of a user's own instance must not affect the sandbox. */
const foreignToHost = [/^(N8N|DB|EXECUTIONS|QUEUE|NODES|CREDENTIALS|GENERIC)_/, /^WEBHOOK_URL$/];

/** The environment for npm: the user's own, without the variables of an enclosing `npm run` or test runner. */
export const toolEnvironment = () => without(foreign);

/** The environment for n8n: like that for npm, and without the settings of another n8n. */
export const hostEnvironment = (extra: Record<string, string>) => ({
	...without([...foreign, ...foreignToHost]),
	NODE_ENV: 'production',
	...extra,
});

const without = (patterns: RegExp[]): NodeJS.ProcessEnv =>
	Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !patterns.some((pattern) => pattern.test(name))),
	);
