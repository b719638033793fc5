import { version } from '../../package.json';
import { baseUrlOf, services } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { isReading } from '../../nodes/ChatbotService/resources/operation';
import { resources } from '../../nodes/ChatbotService/resources';
import { tableOf } from '../tables';
import { differencesIn } from './comparison';
import type { Names } from './names';
import type { Session } from './session';

/* The report, in Markdown. It contains neither the token nor anything of the account. */

/** @param names decides which names it shows @param left what may still be in the service */
export function reportOf(
	{ calls, credential }: Session,
	names: Names,
	left: ReadonlySet<{ what: string }>,
	isInterrupted: boolean,
) {
	const { host } = new URL(baseUrlOf(credential.baseUrl));
	const service = services.find((each) => each.host === host)?.name ?? 'at another address';
	const differences = differencesIn(calls, names);
	const reached = new Set(calls.map(({ endpoint }) => endpoint));
	const unreached = readingEndpoints().filter((endpoint) => !reached.has(endpoint));
	return [
		`Service: ${service}. n8n-nodes-chatbot-service ${version}, Node.js ${process.versions.node}.`,
		isInterrupted && 'The check was interrupted. What it did not reach is open.',
		`Differences from docs/openapi.yaml: ${differences.length || 'none'}`,
		differences.length > 0 &&
			tableOf(['Operation', 'Place', 'docs/openapi.yaml', 'This service'], differences.map(inCells)),
		unreached.length > 0 && `Not reached: ${unreached.join(', ')}.`,
		`Headers about limits: ${limitHeadersIn(calls).join(', ') || 'none'}.`,
		`Left behind: ${[...left].map(({ what }) => what).join(', ') || 'nothing'}.`,
		'<details><summary>Calls</summary>',
		tableOf(
			['Operation', 'Call', 'Status', 'The node'],
			calls.map(({ endpoint, title, answers, failure }) => [
				endpoint,
				title,
				// Not how many there were: pages show how much the account has.
				[...new Set(answers.map(({ status }) => status))].join(', ') || 'none',
				failure ? 'fails' : 'reads it',
			]),
		),
		'</details>',
	]
		.filter(Boolean)
		.join('\n\n');
}

/** Texts of docs/openapi.yaml in cells of a table. */
const inCells = (texts: string[]) => texts.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' '));

/** The endpoints of the operations that only read. */
const readingEndpoints = (): string[] => {
	const operations = resources.flatMap((resource) => resource.operations).filter((each) => isReading(each));
	return [...new Set(operations.map(({ option }) => option.routing.request.url.slice(1)))];
};

const limitHeadersIn = (calls: Session['calls']): string[] => {
	const headers = calls.flatMap(({ answers }) => answers.flatMap((answer) => Object.keys(answer.headers)));
	return [...new Set(headers)].filter((name) =>
		/^(x-ratelimit-(limit|remaining|reset)|retry-after)$/.test(name),
	);
};
