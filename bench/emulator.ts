/**
 * The process of one emulator. What it has recorded is read here: the record of many messages is too large to be
 * sent about.
 */

import { addContacts, startEmulator, type Emulator } from '../sandbox/emulator';
import { readLedger, type Ledger } from './figures';
import type { Opening } from './job';
import type { Batch, Expressions } from './messages';

let service: Emulator;

export async function listen(): Promise<{ url: string; token: string }> {
	service = await startEmulator();
	const { url, token } = service;
	return { url, token };
}

/** @returns the IDs of the contacts there are for the next run */
export function open({ contacts, limits, faults = [] }: Opening): number[] {
	service.reset();
	service.setLimits(limits ?? false);
	for (const fault of faults) service.faults.add(fault);
	// No limit of a messenger applies to VK, so that the account's is the one that counts.
	return addContacts(service.data, contacts, { messenger: 'vk' }).map(({ id }) => id);
}

export function read(batch: Batch, expressions: Expressions): Ledger {
	return readLedger(service.requests, batch, expressions);
}

export function teardown(): void {
	process.exit();
}
process.on('disconnect', teardown);
