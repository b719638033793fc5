import markdownTable from 'markdown-table';

import type { Log } from '../host';
import type { Action } from './deviations';
import type { WelcomeResult } from './welcome';

const clock: Intl.DateTimeFormatOptions = {
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
	fractionalSecondDigits: 3,
};

/** Prints the result of the example, and returns whether it matches the requests of the leads. */
export function reportWelcome(
	{ recordedBy, actions, failed, deviations, error }: WelcomeResult,
	log: Log,
): boolean {
	log(recordedBy === 'service' ? '\nWhat the service received:\n' : '\nWhat n8n did:\n');
	log(table(['time', 'operation', 'recipient', 'what', 'answer'], actions.map(row)));
	log('\nWhat n8n sent to the error branch:\n');
	const reasons = failed.map(({ name, recipient, reason }) => [name, recipient, reason]);
	log(table(['lead', 'recipient', 'reason'], reasons, { widest: 200 }));
	log('');
	if (error) log(`The workflow stopped: ${error}`);
	if (deviations.length === 0)
		log('Everything is as expected: each valid lead was processed once, and the invalid ones were not sent.');
	else log(`This is NOT as expected:\n${deviations.map((line) => `  - ${line}`).join('\n')}`);
	return deviations.length === 0;
}

function row({ time, operation, recipient, summary, answer }: Action): string[] {
	return [time.toLocaleTimeString('en-GB', clock), operation, recipient, summary, answer];
}

/** Rows in aligned columns, for a terminal. */
function table(headings: string[], rows: string[][], { widest } = { widest: 60 }): string {
	const shorten = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text);
	const inOneLine = (text: string) => shorten(text.replace(/\s+/g, ' ').trim());
	return markdownTable([headings, ...rows].map((cells) => cells.map(inOneLine)));
}
