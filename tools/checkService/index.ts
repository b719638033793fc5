/**
 * `npm run check:service`: whether a live account answers as docs/openapi.yaml says, with the node's own client and n8n's own HTTP
 * helper. It only reads, unless the person asks for more. The report goes to the standard output, everything else to the standard error.
 */

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isAddress } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { agree } from './agreement';
import { Interrupted } from './call';
import { exceedLimit } from './limits';
import { Names } from './names';
import { prompts, type Terminal } from './prompts';
import { read } from './reading';
import { reportOf } from './report';
import { Session, type Settings } from './session';
import { Undo } from './undo';
import { interruptible, interruption } from './interruption';
import { write } from './writing';

const introduction = `
This check compares the answers of your account with docs/openapi.yaml.
`;

const itReads = `- It only reads: it sends no message, and changes nothing in the service.
- It makes about 25 requests, at most 2 per second. Two have a wrong token or none on purpose. A busy service can make it wait for minutes.
`;

const itWrites = `- It makes one list with a random name such as "n8n check 3f9a…", a few items in it, and removes them.
- If you name a contact, it gives this contact one variable and one tag with that name, and removes them. The bot may keep both names: then
  it tells you, because the API cannot delete them there.
- Only if you agree, it sends this contact one message, and exceeds the limit of the account once.
- It changes nothing else. It makes about 110 requests, at most 2 per second, and asks you before it writes.
- Ctrl+C ends it, and it first removes what it has made. A second Ctrl+C ends it at once.
`;

const itHides = `- Its report contains no token, and nothing about your contacts: no names, phone numbers, IDs, texts or totals.
`;

const usage = `npm run check:service               only reads
npm run check:service -- --write    also writes, after it has asked you`;

/** As shells know it. */
const interruptedCode = 130;

interface Options extends Omit<Settings, 'credential' | 'starts'> {
	args?: string[];
	/** Changes the credential, for tests. */
	credential?: ICredentialDataDecryptedObject;
	/** Called when there is something that may have to be removed by hand. */
	making?: (undo: Undo) => void;
}

/** @param terminal how it asks the person */
export async function main(
	terminal: Terminal = prompts(),
	{ args = [], credential, making, signal, ...settings }: Options = {},
): Promise<void> {
	const { say, print, close } = terminal;
	const unknown = args.find((each) => each !== '--write');
	if (unknown !== undefined) {
		close();
		throw new Error(`${unknown === '--help' ? '' : `Unknown argument: ${unknown}\n\n`}${usage}`);
	}
	const mayWrite = args.includes('--write');
	say(`${introduction}\n${mayWrite ? itWrites : itReads}${itHides}`);
	const ask = interruptible(terminal.ask, signal);
	const baseUrl = await ask('Base URL, for example https://app.example.com: ');
	if (!isAddress(baseUrl))
		throw new Error('This is not an address. Copy it from the browser, and start again.');
	const token = await ask('API Token (stays invisible): ', { isSecret: true });
	if (!token)
		throw new Error('Without a token, the service answers nothing. Start again, and paste the token.');

	const session = new Session({
		...settings,
		...(signal && { signal }),
		credential: { baseUrl, token, ...credential },
		starts: (title) => say(`Asking: ${title}`),
	});
	const undo = new Undo(session);
	making?.(undo);
	let trouble: unknown;
	let canRead = true;
	try {
		const agreement = mayWrite ? await agree(session, { say, ask }) : undefined;
		close();
		canRead = await read(session);
		if (agreement && canRead) {
			await write(session, undo, agreement);
			if (agreement.limit) await exceedLimit(session);
		}
	} catch (error) {
		trouble = error;
	}
	close();
	const left = undo.remaining;
	const isInterrupted = trouble instanceof Interrupted;
	const names = new Names();
	print(`\n${reportOf(session, names, { left, isInterrupted })}\n`);
	if (left.length) say(leftInWords(undo));
	// A service may repeat the token anywhere.
	const hidden = [...names.hidden].filter((name) => !name.includes(token));
	if (hidden.length)
		say(
			`The report hides these names, because they may be yours. Add those of the service: ${hidden.join(', ')}`,
		);
	if (trouble && !isInterrupted) throw trouble;
	if (!canRead) throw new Error('The check ended after the first call, which says why.');
	say('Please paste the report into a new issue of the repository.');
}

/** What the person has to look for. */
export const leftInWords = ({ remaining }: Undo): string =>
	[
		'The check may have left this behind. Remove it in the service:',
		...remaining.map(({ what, name, where }) => `- ${what}: "${name}", in ${where}`),
	].join('\n');

if (require.main === module) {
	let made: Undo | undefined;
	const signal = interruption(() => {
		if (made?.remaining.length) console.error(leftInWords(made));
		process.exit(interruptedCode);
	});
	main(prompts(), { args: process.argv.slice(2), signal, making: (undo) => (made = undo) })
		.catch((error: Error) => {
			console.error(error.message);
			process.exitCode = 1;
		})
		.finally(() => {
			if (signal.aborted) process.exitCode = interruptedCode;
		});
}
