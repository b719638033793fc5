/** The process of one emulator. It evaluates its own record, because that of many messages is too large to send to another process. */

import { addContacts, startEmulator, type Emulator, type Fault, type Limits } from '../sandbox/emulator';
import { reachedBy, type Batch, type Expressions } from './messages';

let service: Emulator;

export async function listen() {
	service = await startEmulator();
	const { url, token } = service;
	return { url, token };
}

/** Starts anew with so many additional contacts. @returns their IDs */
export function open(contacts: number, limits: Partial<Limits> | false, faults: Fault[]): number[] {
	service.reset();
	service.setLimits(limits);
	for (const fault of faults) service.faults.add(fault);
	// VK has no limit of its own, so only the limit of the account applies.
	return addContacts(service.data, contacts, { messenger: 'vk' }).map(({ id }) => id);
}

export const read = (batch: Batch, expressions: Expressions) =>
	reachedBy(service.requests, batch, expressions);

// The process that started this one has ended.
process.on('disconnect', () => process.exit());
