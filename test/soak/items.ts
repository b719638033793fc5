/* Each request contains the number of its item, so that the emulator's record can be compared with the output of n8n. */

/** IDs of the records that belong to an item start here; those of the seed are lower. */
export const firstId = 1_000_000;

/** As the service writes it: 24 hexadecimal characters. */
const idOf = (item: number, fill: string) => (firstId + item).toString(16).padStart(24, fill);
export const schemaIdOf = (item: number) => idOf(item, '5');
export const listItemIdOf = (item: number) => idOf(item, '6');

export const marked = (text: string, item: number) => `${text} №${item}`;

/** The item of a request, by its contents; undefined for requests for all lists. */
export function itemIn(input: Record<string, unknown>): number | undefined {
	for (const text of [input.text, input.name, input.value]) {
		const marker = /№(\d+)$/.exec(String(text ?? ''));
		if (marker) return Number(marker[1]);
	}
	const listed = input.schema_id ?? input.item_id;
	if (typeof listed === 'string') return parseInt(listed.replace(/^[56]+/, ''), 16) - firstId;
	const id = [input.contact_id, input.bot_id].map(Number).find((each) => each >= firstId);
	return id === undefined ? undefined : id - firstId;
}
