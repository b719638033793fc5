/** Starts the emulator alone: `npm run emulator -- --port 3999 [--limits]`. */

import { parseArgs } from 'node:util';

import { TOKEN_WITHOUT_API, startEmulator } from './index';

async function main() {
	const { values } = parseArgs({
		options: { port: { type: 'string', default: '3999' }, limits: { type: 'boolean', default: false } },
	});
	const service = await startEmulator({ port: Number(values.port), limits: values.limits ? {} : false });
	const headers = `-H 'Accept: application/json' -H 'X-Requested-With: XMLHttpRequest'`;
	const api = (path: string) => `'${service.url}/api/v1/${path}&api_token=${service.token}'`;
	console.log(`
Emulator of the Chatbot Service, limits ${values.limits ? 'as documented' : 'off (--limits switches them on)'}

  Base URL                  ${service.url}
  Token                     ${service.token}
  Token without API access  ${TOKEN_WITHOUT_API}

  curl ${headers} ${api('getBotTags?bot_id=101')}
  curl ${headers} -X POST ${api('sendMessage?contact_id=5001&text=Hello')}
  curl ${service.url}/sandbox/deliveries     # who got which message

Ctrl-C stops.
`);
	const stop = () => void service.stop().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

void main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
