import { contactGetAll } from '../../nodes/ChatbotService/resources/contact/getAll';
import type { Terminal } from './prompts';
import type { Session } from './session';

/* What the person allows the check to do. Without a clear answer, it does less. */

/** What the person has allowed with `--write`. */
export interface Agreement {
	/** The contact to which the check may write. */
	contact?: {
		id: number;
		/** Undefined if the contact was not found, so that its bot is not known. */
		botId: number | undefined;
		/** Whether it gets a message. */
		message: boolean;
	};
	/** Whether the check may exceed the limit of the account. */
	limit: boolean;
}

/** On how many contacts the check looks for the name of the person's contact. */
const mostContacts = 1000;

/** @returns undefined if nothing may be written */
export async function agree(
	session: Session,
	{ say, ask }: Pick<Terminal, 'say' | 'ask'>,
): Promise<Agreement | undefined> {
	const isYes = async (question: string) => /^(yes|да)$/i.test(await ask(`${question} Type yes or no: `));
	if ((await ask('To go on, type the word write. With anything else, the check only reads: ')) !== 'write') {
		say('The check only reads.');
		return undefined;
	}
	const contact = await chooseContact(session, { say, ask }, isYes);
	const limit = await isYes(
		'Exceed the limit of the account once, at the end? The service then refuses the requests of your other workflows for up to a minute.',
	);
	return { ...(contact && { contact }), limit };
}

async function chooseContact(
	session: Session,
	{ say, ask }: Parameters<typeof agree>[1],
	isYes: (question: string) => Promise<boolean>,
): Promise<Agreement['contact']> {
	const answer = await ask(
		'ID of a contact of yours, for the variable and the tag. Leave it empty for no contact: ',
	);
	if (!answer) return undefined;
	const id = Number(answer);
	if (!/^\d+$/.test(answer) || id < 1 || !Number.isSafeInteger(id))
		throw new Error('The ID of a contact is a whole number above 0. Start again.');
	const { all } = await session.observe('The first contacts', contactGetAll, {}, { most: mostContacts });
	const found = all.find((each) => String(each.id) === String(id));
	say(
		found
			? `Contact ${id}: ${String(found.name)}, ${String(found.messenger)}.`
			: `Contact ${id} is not among the first ${all.length} contacts. Look in the service whose ID this is.`,
	);
	if (!(await isYes('Write a variable and a tag to this contact?'))) {
		say('No contact is touched.');
		return undefined;
	}
	const message = await isYes('Send this contact one message, which says that it is a check?');
	const botId = Number.isSafeInteger(found?.bot_id) ? Number(found!.bot_id) : undefined;
	return { id, botId, message };
}
