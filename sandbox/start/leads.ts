import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';

import { examplesFolder } from './examples';

/** A row of the file that the example reads. */
export interface Lead {
	name: string;
	contact_id: string;
	phone: string;
	bot_id: string;
	city: string;
	interest: string;
	tag: string;
}

export async function readLeads(): Promise<Lead[]> {
	const content = await readFile(join(examplesFolder, 'leads.csv'), 'utf8');
	return parse(content, { columns: true, bom: true, skip_empty_lines: true }) as Lead[];
}

/**
 * The recipient of the example for a lead: the contact, or without a contact the phone number, which is sent without the
 * spaces, parentheses and hyphens of the file.
 */
export function recipientOf(lead: Lead): string {
	return lead.contact_id || lead.phone.replace(/[\s()-]/g, '');
}

/** Whether the API accepts the lead's values: IDs are positive integers, numbers have ten digits or more. */
export function isUsable(lead: Lead): boolean {
	return lead.contact_id
		? isId(lead.contact_id)
		: isId(lead.bot_id) && /^\+?\d{10,15}$/.test(recipientOf(lead));
}

function isId(value: string): boolean {
	return /^[1-9]\d*$/.test(value);
}
