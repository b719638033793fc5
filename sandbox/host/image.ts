import { toolEnvironment } from '../processes/environment';

/*
 * Another n8n than the pinned one: that of an image, which the variable N8N_IMAGE names. Only on Linux, where a container can use the
 * network of the machine.
 */

/** Empty for the pinned n8n. */
export const image = process.env.N8N_IMAGE ?? '';

/**
 * Runs n8n in a container, like a process of the current user with the same folders.
 *
 * @param env all variables of this n8n
 */
export function inContainer(args: string[], env: Record<string, string>) {
	const { N8N_USER_FOLDER: own, N8N_RESTRICT_FILE_ACCESS_TO: readable } = env;
	const volumes = [`${own}:${own}`, ...(readable ? [`${readable}:${readable}:ro`] : [])];
	// The home of the image belongs to another user.
	const variables = Object.entries({ ...env, HOME: own });
	const options = [
		'--rm',
		'--network=host',
		`--workdir=${own}`,
		`--user=${process.getuid!()}:${process.getgid!()}`,
		...volumes.map((volume) => `--volume=${volume}`),
		...variables.map(([name, value]) => `--env=${name}=${value}`),
	];
	return { program: 'docker', args: ['run', ...options, image, ...args], env: toolEnvironment() };
}
