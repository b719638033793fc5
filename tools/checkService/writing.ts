import { randomBytes } from 'node:crypto';

import type { Agreement } from './agreement';
import { Unanswered } from './call';
import { Writer } from './change';
import type { Session } from './session';
import type { Undo } from './undo';
import { writeContact } from './writingContact';
import { writeList } from './writingList';

/** Writes what the person has agreed to, and removes it again, however that ends. */
export async function write(session: Session, undo: Undo, agreement: Agreement): Promise<void> {
	try {
		await writeParts(session, undo, agreement);
	} finally {
		await undo.removeAll();
	}
}

async function writeParts(session: Session, undo: Undo, { contact }: Agreement): Promise<void> {
	const writer = new Writer(session, undo);
	// Nothing of the account has such a name.
	const name = `n8n check ${randomBytes(6).toString('hex')}`;
	const part = async (title: string, writes: Promise<void>) =>
		await writes.catch((error) => {
			if (!(error instanceof Unanswered)) throw error;
			session.notes.push(`The part about ${title} ended early, because the service did not answer.`);
		});
	await part('lists', writeList(writer, name, contact?.botId ?? anyBot(session)));
	if (contact) await part('the contact', writeContact(writer, contact, name));
}

/** Some services make no list without a bot. */
function anyBot({ calls }: Session): number | undefined {
	const rows = calls.filter(({ endpoint }) => endpoint === 'getContacts').flatMap((call) => call.rows);
	return rows.map(({ bot_id }) => bot_id).find((id) => typeof id === 'number');
}
