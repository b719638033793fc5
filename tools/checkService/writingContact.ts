import { contactVariableGetAll } from '../../nodes/ChatbotService/resources/contactVariable/getAll';
import { contactVariableUpsert } from '../../nodes/ChatbotService/resources/contactVariable/upsert';
import { messageSend } from '../../nodes/ChatbotService/resources/message/send';
import { tagAttach } from '../../nodes/ChatbotService/resources/tag/attach';
import type { Agreement } from './agreement';
import type { Writer } from './change';
import { nameOf, tagNamed, tagOfBot, variableNamed, variableOfBot } from './made';
import { formOf, parametersRefused } from './remarks';

/* What the check writes to the contact that the person has named: a variable, a tag, and a message if the person agrees. */

type Person = NonNullable<Agreement['contact']>;

const text =
	'Проверка API узлом n8n: npm run check:service. Отвечать не нужно. / A check of the API by an n8n node. No answer is needed.';

/** Short enough for the query. */
const short = '007 «Ёж» "q" 🚀';
/** Too long for the query, so that the node sends it in the body. */
const long = 'Ёж и 007 🚀 '.repeat(80).trim();

export async function writeContact(writer: Writer, contact: Person, name: string): Promise<void> {
	await writeVariable(writer, contact, name);
	await writeTag(writer, contact, name);
	if (contact.message) {
		const message = await writer.change('One message', messageSend, { contact_id: contact.id, text });
		if (!message.failure)
			writer.session.found(
				'sent',
				message.said?.success === true,
				message.said?.success === true ? 'it is' : 'it is another',
			);
	}
}

async function writeVariable(writer: Writer, { id: contact_id }: Person, name: string): Promise<void> {
	const { session, undo } = writer;
	const variable = variableNamed(writer, contact_id, name);
	const ofBot = variableOfBot(name);
	undo.add(ofBot);
	undo.add(variable);
	const given = { contact_id, name, value: short };
	let set = await writer.change('A variable', contactVariableUpsert, given);
	const needed = parametersRefused(set);
	const isNeeded = needed.includes('deletable');
	if (!set.failure || needed.length)
		session.found(
			'variableDeletable',
			isNeeded,
			`a request without it is ${isNeeded ? 'refused' : 'accepted'}`,
		);
	if (isNeeded) {
		set.mayFail = true;
		set = await writer.change('A variable, with `deletable`', contactVariableUpsert, {
			...given,
			deletable: 0,
		});
	}
	const stored = async () => {
		const title = 'Variables of the contact';
		const variables = await writer.read(title, contactVariableGetAll, { contact_id });
		return variables.failure ? undefined : variables.all.filter((each) => nameOf(each) === name);
	};
	const first = await stored();
	const isThere = first?.length === 1;
	if (first && !set.failure) {
		formOf(session, set);
		session.found('variableSet', isThere, ['it is there', 'it is not there']);
		session.found('variableCreated', isThere, ['a new one is there', 'no new one is there']);
	}
	if (first?.[0]) {
		const isSame = first[0].value === short;
		session.found('variableUpdated', isSame, ['the value is there exactly', 'the value is another']);
		session.notes.push(
			`\`deletable\` ${first[0].deletable === undefined ? 'does not come' : 'comes'} with a variable.`,
		);
	}
	const again = { contact_id, name, value: long, ...(isNeeded && { deletable: 0 }) };
	const second = await writer.change('The same variable, with a long value', contactVariableUpsert, again);
	const now = await stored();
	if (now && !second.failure) {
		const isIn = now.some(({ value }) => value === long);
		session.found('variableInBody', isIn, ['both ways work', 'the long value did not arrive']);
		session.notes.push(`Setting a variable twice makes ${now.length === 1 ? 'one variable' : 'several'}.`);
	}
	await undo.remove(variable);
	// Without a success, the bot has not got the variable.
	if (set.failure && second.failure && !set.isUnknown && !second.isUnknown) undo.forget(ofBot);
}

async function writeTag(writer: Writer, contact: Person, name: string): Promise<void> {
	const { session, undo } = writer;
	const { id: contact_id, botId } = contact;
	const ofBot = undo.add(tagOfBot(writer, botId, name));
	const tag = undo.add(tagNamed(writer, contact_id, name));
	const attached = await writer.change('A tag that the bot does not have', tagAttach, { contact_id, name });
	// Where a tag is not created, nothing else can be tried.
	attached.mayFail = [404, 422].includes(attached.status);
	const found = await tag.find();
	const isThere = found?.length === 1;
	if (found && !attached.isUnknown) {
		if (!attached.failure) session.found('tagAttached', isThere, ['it is there', 'it is not there']);
		const here = attached.failure ? `it is refused with ${attached.status}` : 'the answer is a success';
		session.found('tagCreated', isThere, isThere ? 'the tag is created' : here);
	}
	if (!attached.failure) formOf(session, attached);
	const before = botId === undefined ? undefined : await ofBot.find();
	if (isThere) session.notes.push(`The tag ${before?.length ? 'appears' : 'does not appear'} in getBotTags.`);
	await undo.remove(tag);
	if (attached.failure && !attached.isUnknown && (botId === undefined || before?.length === 0))
		undo.forget(ofBot);
	else {
		const isGone = await undo.remove(ofBot);
		if (before?.length) session.found('tagKept', !isGone, ['it stays', 'it disappears']);
	}
}
