/** Starts the emulator alone: `npm run emulator -- --port 3999 [--limits] [--service watbot]`. */

import { parseArgs } from 'node:util';

import { TOKEN_WITHOUT_API, startEmulator } from './index';
import { SERVICES, type Difference } from './services';

async function main() {
	const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
	const options = { port: { ...text, default: '3999' }, limits: flag, service: text };
	const { port, limits, service: name } = parseArgs({ options }).values;
	const service = await startEmulator({ port: Number(port), limits: limits ? {} : false, service: name });
	const differences = name === undefined ? [] : [`  Speaks as ${name}`, ...SERVICES[name]!.map(inWords)];
	const headers = `-H 'Accept: application/json' -H 'X-Requested-With: XMLHttpRequest'`;
	const api = (path: string) => `'${service.url}/api/v1/${path}&api_token=${service.token}'`;
	console.log(`
Emulator of the Chatbot Service, limits ${limits ? 'as documented' : 'off (--limits switches them on)'}

  Base URL                  ${service.url}
  Token                     ${service.token}
  Token without API access  ${TOKEN_WITHOUT_API}
${differences.map((line) => `${line}\n`).join('')}
  curl ${headers} ${api('getBotTags?bot_id=101')}
  curl ${headers} -X POST ${api('sendMessage?contact_id=5001&text=Hello')}
  curl ${service.url}/sandbox/deliveries     # who got which message

Ctrl-C stops.
`);
	const stop = () => void service.stop().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

const inWords = ({ way, mark, from }: Difference) =>
	`    ${Object.entries(way).flat().join(': ')} (${[mark, from].filter(Boolean).join(', ')})`;

void main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
