import type { INodeParameters } from 'n8n-workflow';

import type { Emulator } from '../../sandbox/emulator';

/* Contact Variable, Create or Update Many. */

export type Row = [name: unknown, value: unknown];

/** The variables as rows in the editor. */
export const asRows = (...variables: Row[]): INodeParameters => ({
	variablesInput: 'define',
	variables: { variable: variables.map(([name, value]) => ({ name, value })) } as INodeParameters,
});

/** The variables as an object, or its text. */
export const asJson = (object: unknown): INodeParameters => ({
	...{ variablesInput: 'json', variablesJson: object as string },
});

/** The contact and the variables of each item are in its fields `id` and `form`. */
export const upsertMany = (variables = asJson('={{ $json.form }}')): INodeParameters => ({
	...{ resource: 'contactVariable', operation: 'upsertMany', contactId: '={{ $json.id }}' },
	...variables,
});

/** What the requests of an emulator set, in the order of their arrival. @param id of a contact; all by default */
export const askedOf = ({ requests }: Emulator, id?: number) =>
	requests
		.map(({ input }) => [Number(input.contact_id), input.name, input.value])
		.filter(([contact]) => contact === (id ?? contact))
		.map(([contact, ...variable]) => (id === undefined ? [contact, ...variable] : variable));

/** The variables that a contact of an emulator has, by name. */
export const variablesOf = ({ data }: Emulator, id: number) =>
	Object.fromEntries(data.contacts.get(id)!.variables.map(({ name, value }) => [name, value]));

/** What a text says of the variables of its item; undefined if it says nothing of them. */
export function partsIn(text: unknown): { failed: string[]; set: string[]; rest: string[] } | undefined {
	const found = /Failed: (.*)\. Set before: (.*)\. Not attempted: (.*?)\.(?: |$)/.exec(String(text));
	const [failed, set, rest] = (found?.slice(1) ?? []).map((part) => part.match(/(?<=")[^",]+(?=")/g) ?? []);
	return found ? { failed: failed!, set: set!, rest: rest! } : undefined;
}
