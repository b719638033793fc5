import type { Emulator } from '../../sandbox/emulator';
import { main } from '../../tools/checkService';

/* `npm run check:service` as a person runs it, in this process and at full speed. */

/** What a person answers who allows writing. */
export const allowed = ['5001', 'write'];

/** @param answers to the questions after address and token; without them, it only reads */
export async function runCheck(
	{ url, token }: Pick<Emulator, 'url' | 'token'>,
	answers?: string[],
	options: Parameters<typeof main>[1] = {},
) {
	const given = [url, token, ...(answers ?? [])];
	let report = '';
	let said = '';
	const error = await main(
		{
			say: (text) => void (said += `${text}\n`),
			print: (text) => void (report += text),
			ask: async () => given.shift() ?? '',
			close: () => {},
		},
		{
			args: answers ? ['--write'] : [],
			credential: { requestsPerSecond: 0 },
			sleep: async () => {},
			...options,
		},
	).catch((failure: Error) => failure);
	return { report, said, error };
}
