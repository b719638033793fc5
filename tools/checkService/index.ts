/**
 * `npm run check:service`: whether a live account answers as docs/openapi.yaml says, with the node's own client and n8n's own HTTP
 * helper. It only reads, unless the person asks for more. The report goes to the standard output, everything else to the standard error.
 */

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isAddress } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { agree } from './agreement';
import { Names } from './names';
import { interruptible, interruption, prompts, type Terminal } from './prompts';
import { read } from './reading';
import { reportOf } from './report';
import { Interrupted, Session, type Settings } from './session';
import { write, type Left } from './writing';

const introduction = '\nThis check compares the answers of your account with docs/openapi.yaml.\n\n';

const itReads = `- It only reads: it sends no message, and changes nothing in the service.
- It makes about 20 requests, at most 2 per second. Two have a wrong token or none on purpose. A busy service can make it wait for minutes.
`;

const itWrites = `- It first reads: about 20 requests, at most 2 per second. Then it asks you before it writes.
- It makes a list with a random name such as "n8n check 3f9a…" and an item in it, gives the contact that you name a variable and a tag with
  that name, and removes all four. The bot may keep the names of variable and tag: the API cannot delete them there.
- It changes nothing else, and sends no message.
- Ctrl+C ends it, and it first removes what it has made. A second Ctrl+C ends it at once.
`;

const itHides = `- Its report contains no token, and nothing about your contacts: no names, phone numbers, IDs, texts or totals.
`;

const usage = `npm run check:service               only reads
npm run check:service -- --write    also writes, after it has asked you`;

/** As shells know it. */
const interruptedCode = 130;

interface Options extends Pick<Settings, 'signal'> {
	args?: string[];
	/** Changes the credential, for tests. */
	credential?: ICredentialDataDecryptedObject;
	/** Gets what may have to be removed by hand. */
	left?: Set<Left>;
	/** Waits before another look at what should be removed. */
	wait?: Parameters<typeof write>[3];
}

/** @param terminal how it asks the person */
export async function main(
	terminal: Terminal = prompts(),
	{ args = [], credential, left = new Set(), signal, wait }: Options = {},
): Promise<void> {
	const { say, print, close } = terminal;
	const unknown = args.find((each) => each !== '--write');
	if (unknown !== undefined) {
		close();
		throw new Error(`${unknown === '--help' ? '' : `Unknown argument: ${unknown}\n\n`}${usage}`);
	}
	const mayWrite = args.includes('--write');
	say(`${introduction}${mayWrite ? itWrites : itReads}${itHides}`);
	const ask = interruptible(terminal.ask, signal);
	const baseUrl = await ask('Base URL, for example https://app.example.com: ');
	if (!isAddress(baseUrl))
		throw new Error('This is not an address. Copy it from the browser, and start again.');
	const token = await ask('API Token (stays invisible): ', { isSecret: true });
	if (!token)
		throw new Error('Without a token, the service answers nothing. Start again, and paste the token.');
	if (!mayWrite) close();

	const session = new Session({
		...(signal && { signal }),
		credential: { baseUrl, token, ...credential },
		starts: (title) => say(`Asking: ${title}`),
	});
	let trouble: unknown;
	try {
		const refusal = await read(session);
		if (refusal !== undefined) throw new Error(`The check ended after the first call. ${refusal}`);
		const contact = mayWrite && (await agree(session, { say, ask }));
		if (contact) await write(session, contact, left, wait);
	} catch (error) {
		trouble = error;
	}
	close();
	const isInterrupted = trouble instanceof Interrupted;
	const names = new Names();
	print(`\n${reportOf(session, names, left, isInterrupted)}\n`);
	for (const { title, failure, expects } of session.calls)
		if (failure !== undefined && !expects) say(`${title}: ${failure}`);
	// A service may repeat the token anywhere.
	const hidden = [...names.hidden].filter((name) => !name.includes(token));
	if (hidden.length)
		say(
			`The report hides these names, because they may be yours. Add those of the service: ${JSON.stringify(hidden)}`,
		);
	if (left.size) say(inWords(left));
	if (trouble && !isInterrupted) throw trouble;
	say('Please paste the report into a new issue of the repository.');
}

/** What the person has to look for. */
const inWords = (left: Set<Left>): string =>
	[
		'The check may have left this behind. Remove it in the service:',
		...[...left].map(({ what, name, where }) => `- ${what}: "${name}", in ${where}`),
	].join('\n');

if (require.main === module) {
	const left = new Set<Left>();
	const signal = interruption(() => {
		if (left.size) console.error(inWords(left));
		process.exit(interruptedCode);
	});
	main(prompts(), { args: process.argv.slice(2), signal, left })
		.catch((error: Error) => {
			console.error(error.message);
			process.exitCode = 1;
		})
		.finally(() => {
			if (signal.aborted) process.exitCode = interruptedCode;
		});
}
