import type { Emulator } from '../../sandbox/emulator';
import { main } from '../../tools/checkService';

/* `npm run check:service` as a person runs it, in this process and at full speed. */

type Options = Parameters<typeof main>[1];

/** What a person answers who allows everything but the message and the limit. */
export const allowed = ['write', '5001', 'yes', 'no', 'no'];

/** The names of the services as docs/openapi.yaml writes them. */
export const serviceNames: Record<string, string> = {
	watbot: 'WatBot',
	cleverapp: 'CleverApp',
	onebot: 'OneBot',
	jetbot: 'JetBot',
	leadtex: 'LEADTEX',
};

/** @param answers to the questions after address and token; without them, it only reads */
export async function runCheck(service: Emulator, answers?: string[], options: Options = {}) {
	const given = [service.url, service.token, ...(answers ?? [])];
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

/** The lines that a report calls contradicted, with what the service does. */
export const contradictedIn = (report: string): string[] =>
	report.split('\n').filter((line) => line.includes('**contradicted**'));
