/**
 * `npm run check:service`: whether a live account answers as docs/openapi.yaml says. It only reads, with the node's own client and
 * n8n's own HTTP helper. The report goes to the standard output, and everything else to the standard error.
 */

import { isAddress } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { check } from './calls';
import { Names } from './names';
import { prompts } from './prompts';
import { reportOf } from './report';

const introduction = `
This check compares the answers of your account with docs/openapi.yaml.

- It only reads: it sends no message, and changes nothing in the service.
- It makes about 20 requests, at most 2 per second. One has a wrong token on purpose. A busy service can make it wait for minutes.
- Its report contains no token, and nothing about your contacts: no names, phone numbers, IDs, texts or totals.
`;

/** @param ask how it asks the person at the terminal */
export async function main({ say, ask, close } = prompts()): Promise<void> {
	say(introduction);
	const baseUrl = await ask('Base URL, for example https://app.example.com: ');
	if (!isAddress(baseUrl))
		throw new Error('This is not an address. Copy it from the browser, and start again.');
	const token = await ask('API Token (stays invisible): ', { isSecret: true });
	if (!token)
		throw new Error('Without a token, the service answers nothing. Start again, and paste the token.');
	close();
	const calls = await check({ baseUrl, token }, (title) => say(`Asking: ${title}`));
	const names = new Names();
	console.log(`\n${reportOf(calls, baseUrl, names)}\n`);
	// A service may repeat the token anywhere.
	const hidden = [...names.hidden].filter((name) => !name.includes(token));
	if (hidden.length)
		say(
			`The report hides these names, because they may be yours. Add those of the service: ${hidden.join(', ')}`,
		);
	if (calls.length === 1) throw new Error('The check ended after the first call, which says why.');
	say('Please paste the report into a new issue of the repository.');
}

if (require.main === module)
	main().catch((error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	});
