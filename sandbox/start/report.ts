import type { Log } from '../host';
import type { Deed } from './deed';
import { formatTable } from './table';
import type { WelcomeResult } from './welcome';

/** Prints what came of the example, and returns whether it is what the leads ask for. */
export function reportWelcome(
	{ witness, deeds, failed, deviations, error }: WelcomeResult,
	log: Log,
): boolean {
	log(witness === 'service' ? '\nWhat the service received:\n' : '\nWhat was done, as n8n recorded it:\n');
	log(formatTable(['time', 'operation', 'recipient', 'what', 'answer'], deeds.map(row)));
	log('\nWhat ended on the error branch:\n');
	log(
		formatTable(
			['lead', 'recipient', 'reason'],
			failed.map(({ name, recipient, reason }) => [name, recipient, reason]),
			200,
		),
	);
	log('');
	if (error) log(`The workflow stopped: ${error}`);
	if (deviations.length === 0)
		log('This is what the leads ask for: every good lead once, the others not at all.');
	else log(`This is NOT what the leads ask for:\n${deviations.map((line) => `  - ${line}`).join('\n')}`);
	return deviations.length === 0;
}

function row({ time, operation, recipient, summary, answer }: Deed): string[] {
	return [clock(time), operation, recipient, summary, answer];
}

function clock(time: Date): string {
	const pad = (value: number, length = 2) => String(value).padStart(length, '0');
	return `${[time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => pad(part)).join(':')}.${pad(time.getMilliseconds(), 3)}`;
}
