/** The process of one emulator. It evaluates its own record, because that of many messages is too large to send to another process. */

import { addContacts, startEmulator, type Emulator, type Fault, type Limits } from '../sandbox/emulator';
import { reachedBy, type Batch, type Expressions } from './messages';

let service: Emulator;

export async function listen(): Promise<{ url: string; token: string }> {
	service = await startEmulator();
	const { url, token } = service;
	return { url, token };
}

/** The state before a run: new, with this many additional contacts. */
interface Opening {
	contacts: number;
	limits?: Partial<Limits>;
	faults?: Fault[];
}

/** @returns the IDs of the contacts for the next run */
export function open({ contacts, limits, faults = [] }: Opening): number[] {
	service.reset();
	service.setLimits(limits ?? false);
	for (const fault of faults) service.faults.add(fault);
	// VK has no limit of its own, so only the limit of the account applies.
	return addContacts(service.data, contacts, { messenger: 'vk' }).map(({ id }) => id);
}

export const read = (batch: Batch, expressions: Expressions) =>
	reachedBy(service.requests, batch, expressions);

export function teardown(): void {
	process.exit();
}
process.on('disconnect', teardown);
