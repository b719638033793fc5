import type { IDataObject } from 'n8n-workflow';

import type { Observation } from './call';
import type { Writer } from './change';

/* The list that the check makes, as its steps pass it on. */

export const slugs = {
	text: 'check_text',
	number: 'check_number',
	yes: 'check_yes',
	other: 'check_other',
	secret: 'check_secret',
};

/** A field as a request has it. */
export const field = (slug: string, type: string, is_required = false) => ({
	name: `Проверка ${slug}`,
	...{ slug, type, is_required, is_hidden: false, is_encryptable: false },
});

export interface OwnList {
	writer: Writer;
	schema_id: string;
	botId: number | undefined;
	/** Whether the list belongs to a bot. */
	isOfBot: boolean;
	/** The items, in the order of their creation. The second has a text without special characters. */
	items: IDataObject[];
	second: IDataObject;
	first: IDataObject;
	/** Reads all items. */
	read(title: string, values?: IDataObject): Promise<Observation>;
	/** The values of an item as a request has them. */
	form(values: IDataObject): IDataObject;
}

export const hasValue = (value: unknown): boolean => value !== undefined && value !== null;
