/** Starts the emulator alone: `npm run emulator -- --port 3999 [--limits]`. */

import { parseArgs } from 'node:util';

import { SEEDED, TOKEN_WITHOUT_API, startEmulator } from './index';

async function main() {
	const { values } = parseArgs({
		options: { port: { type: 'string', default: '3999' }, limits: { type: 'boolean', default: false } },
	});
	const service = await startEmulator({ port: Number(values.port), limits: values.limits ? {} : false });
	const manner = `limits ${values.limits ? 'as documented' : 'off (--limits switches them on)'}`;
	const { telegram } = SEEDED.contacts;
	const headers = `-H 'Accept: application/json' -H 'X-Requested-With: XMLHttpRequest'`;
	const api = (path: string) => `'${service.url}/api/v1/${path}api_token=${service.token}'`;
	console.log(`
Emulator of the Chatbot Service, ${manner}

  Base URL                  ${service.url}
  Token                     ${service.token}
  Token without API access  ${TOKEN_WITHOUT_API}

  curl ${headers} ${api(`getBotTags?bot_id=${SEEDED.bots.school}&`)}

  curl ${headers} -X POST ${api(`sendMessage?contact_id=${telegram}&text=Hello&`)}

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
