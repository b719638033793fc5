/* The number of an item stands in each of its requests, so that what the emulator has recorded is held against what n8n says. */

/** IDs of the records that belong to an item begin here; those of the seed are lower. */
export const firstId = 1_000_000;

/** As the service writes it: 24 hexadecimal characters. */
export const schemaIdOf = (item: number) => (firstId + item).toString(16).padStart(24, '5');

/** Ends a text with the number of the item. */
export const marked = (text: string, item: number) => `${text} №${item}`;

/** The item that a request belongs to, from what it says; undefined for lists of everything. */
export function itemIn(input: Record<string, unknown>): number | undefined {
	for (const text of [input.text, input.name, input.value]) {
		const marker = /№(\d+)$/.exec(String(text ?? ''));
		if (marker) return Number(marker[1]);
	}
	if (typeof input.schema_id === 'string') return parseInt(input.schema_id.replace(/^5+/, ''), 16) - firstId;
	const id = [input.contact_id, input.bot_id].map(Number).find((each) => each >= firstId);
	return id === undefined ? undefined : id - firstId;
}
