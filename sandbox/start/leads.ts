import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';

import { examplesFolder } from './examples';

/** A row of the file the example reads. */
export interface Lead {
	name: string;
	contact_id: string;
	phone: string;
	bot_id: string;
	city: string;
	interest: string;
	tag: string;
}

/** The leads of the example, in the order of the file. */
export async function readLeads(): Promise<Lead[]> {
	const content = await readFile(join(examplesFolder, 'leads.csv'), 'utf8');
	return parse(content, { columns: true, bom: true, skip_empty_lines: true }) as Lead[];
}

/**
 * Whom the example writes to for a lead: the contact, and only when there is no contact the phone number, which arrives
 * without the blanks, brackets and hyphens of the file.
 */
export function recipientOf(lead: Lead): string {
	return lead.contact_id || lead.phone.replace(/[\s()-]/g, '');
}

/** Whether the interface takes the lead's values at all: IDs are positive integers, numbers have ten digits or more. */
export function isUsable(lead: Lead): boolean {
	return lead.contact_id
		? isId(lead.contact_id)
		: isId(lead.bot_id) && /^\+?\d{10,15}$/.test(recipientOf(lead));
}

function isId(value: string): boolean {
	return /^[1-9]\d*$/.test(value);
}
