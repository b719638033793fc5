import { contactVariableDelete } from '../../nodes/ChatbotService/resources/contactVariable/delete';
import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { listSchemaDelete } from '../../nodes/ChatbotService/resources/listSchema/delete';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import { tagDetach } from '../../nodes/ChatbotService/resources/tag/detach';
import { tagGetManyByBot } from '../../nodes/ChatbotService/resources/tag/getManyByBot';
import { tagGetManyByContact } from '../../nodes/ChatbotService/resources/tag/getManyByContact';
import type { Observation } from './call';
import type { Writer } from './change';
import type { Made } from './undo';

/* What the check makes in an account, and how it finds that again by its own name. */

/** Where the name of a variable is depends on the service. */
export const nameOf = ({ name, variable }: Observation['all'][number]): unknown =>
	name ?? (variable as { name?: unknown } | undefined)?.name;

/** The name if a row has it; undefined if the rows cannot be read. */
const namesIn = ({ failure, all }: Observation, name: string): string[] | undefined => {
	if (failure) return undefined;
	return all.some((row) => nameOf(row) === name) ? [name] : [];
};

/** Its items go with it. @param known IDs that the service has told */
export function listNamed(writer: Writer, name: string, known: Set<string>): Made {
	return {
		what: 'list',
		name,
		where: 'the lists of the service',
		claim: 'listDeleted',
		async find() {
			const { failure, all } = await writer.read('All lists, for its own', listSchemaGetAll, {});
			if (failure) return undefined;
			return all
				.map(({ id, ...list }) => ({ id: String(id), isOwn: list.name === name }))
				.filter(({ id, isOwn }) => isOwn || known.has(id))
				.map(({ id }) => id);
		},
		remove: async (schema_id) => await writer.change('Its own list', listSchemaDelete, { schema_id }),
	};
}

export function variableNamed(writer: Writer, contact_id: number, name: string): Made {
	return {
		what: 'variable of a contact',
		name,
		where: `the variables of contact ${contact_id}`,
		claim: 'variableDeleted',
		async find() {
			const title = 'Variables of the contact';
			return namesIn(await writer.read(title, contactVariableGetAll, { contact_id }), name);
		},
		remove: async () =>
			await writer.change('Its own variable, by its name', contactVariableDelete, { contact_id, name }),
	};
}

export function tagNamed(writer: Writer, contact_id: number, name: string): Made {
	return {
		what: 'tag of a contact',
		name,
		where: `the tags of contact ${contact_id}`,
		claim: 'tagDetached',
		async find() {
			return namesIn(await writer.read('Tags of the contact', tagGetManyByContact, { contact_id }), name);
		},
		remove: async () => await writer.change('Its own tag', tagDetach, { contact_id, name }),
	};
}

/** The API cannot delete a tag of a bot. @param botId undefined if it is not known, so that nothing shows whether the tag is there */
export function tagOfBot(writer: Writer, bot_id: number | undefined, name: string): Made {
	return {
		what: 'tag of a bot',
		name,
		where: bot_id === undefined ? "the tags of the contact's bot" : `the tags of bot ${bot_id}`,
		async find() {
			if (bot_id === undefined) return [name];
			return namesIn(await writer.read('Tags of the bot', tagGetManyByBot, { bot_id }), name);
		},
	};
}

/** The API neither shows nor deletes the variables of a bot. */
export const variableOfBot = (name: string): Made => ({
	what: 'variable of a bot, which the API does not show',
	name,
	where: "the variables of the contact's bot",
	find: async () => [name],
});
