import { contactGetAll } from '../../nodes/ChatbotService/resources/contact/getAll';
import type { Terminal } from './prompts';
import type { Session } from './session';

/* To whom the person allows the check to write. Without a clear answer, it only reads. */

/** The contact that gets the variable and the tag. */
export interface Contact {
	id: number;
	/** A bot of the account: that of the contact if the check finds it. Some services make no list without one. */
	botId: number | undefined;
}

/** Among how many contacts the check looks for the name of the person's contact. */
const mostContacts = 1000;

/** @returns undefined if nothing may be written */
export async function agree(
	session: Session,
	{ say, ask }: Pick<Terminal, 'say' | 'ask'>,
): Promise<Contact | undefined> {
	const answer = await ask('ID of a contact of yours, which gets the variable and the tag: ');
	const id = Number(answer);
	if (!/^\d+$/.test(answer) || id < 1 || !Number.isSafeInteger(id))
		throw new Error('The ID of a contact is a whole number above 0. Start again.');
	const { rows } = await session.read('The first contacts', contactGetAll, {}, { most: mostContacts });
	const found = rows.find((each) => String(each.id) === String(id));
	say(
		found
			? `Contact ${id}: ${JSON.stringify([found.name, found.messenger])}.`
			: `Contact ${id} is not among the first ${rows.length} contacts. Look in the service whose ID this is.`,
	);
	if ((await ask('To go on, type the word write. With anything else, nothing is written: ')) !== 'write') {
		say('Nothing is written.');
		return undefined;
	}
	const botId = (found ?? rows[0])?.bot_id;
	return { id, botId: Number.isSafeInteger(botId) ? Number(botId) : undefined };
}
