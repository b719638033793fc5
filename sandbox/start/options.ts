import { parseArgs } from 'node:util';

export interface StartOptions {
	/** End after the example's result, and do not keep the editor open. */
	once: boolean;
	/** The real service to use instead of the emulator. */
	service?: { url: string; token: string };
	help: boolean;
}

/** The command line is invalid; the message is for the user who typed it. */
export class UsageError extends Error {}

export const usage = `npm start                                   n8n with the node, the emulator and the examples
npm start -- --once                         the same, ending after the example's result
npm start -- --url <address> --token <token>  with your own account instead of the emulator`;

export function parseOptions(args: string[]): StartOptions {
	const { once, url, token, help } = parse(args);
	if ((url === undefined) !== (token === undefined)) {
		throw new UsageError('--url and --token belong together: give both to use your own account, or none');
	}
	if (url === undefined || token === undefined) return { once, help };
	if (token.trim() === '') throw new UsageError('--token is empty');
	if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
		throw new UsageError(
			`--url must be the address of the service, such as https://chat.example.com, not "${url}"`,
		);
	}
	return { once, help, service: { url, token } };
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				once: { type: 'boolean', default: false },
				url: { type: 'string' },
				token: { type: 'string' },
				help: { type: 'boolean', short: 'h', default: false },
			},
		}).values;
	} catch (error) {
		throw new UsageError((error as Error).message.split('\n')[0]);
	}
}
