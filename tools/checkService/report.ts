import { version } from '../../package.json';
import { baseUrlOf, services } from '../../nodes/ChatbotService/client/baseUrl';
import { loadContract } from '../../sandbox/emulator';
import { nameIn } from './names';
import type { Observation } from './observer';

/* The report, in Markdown. It shows no value of an answer, because values belong to the account and to people. */

/** @param address of the service; the report names it only if it is a known one */
export function reportOf(calls: Observation[], address: string): string {
	const shown = nameIn(calls);
	const { host } = new URL(baseUrlOf(address));
	const service = services.find((each) => each.host === host)?.name ?? 'at another address';
	const compared = calls.map((call) => ({ ...call, differences: differencesOf(call, shown) }));
	const differences = new Set(
		compared.flatMap(({ endpoint, differences }) => differences.map((each) => `- ${endpoint}: ${each}`)),
	);
	return [
		`Service: ${service}. n8n-nodes-chatbot-service ${version}, Node.js ${process.versions.node}.`,
		[head, ...compared.map(rowOf)].join('\n'),
		`Differences from docs/openapi.yaml: ${differences.size || 'none'}`,
		[...differences].join('\n'),
	]
		.join('\n\n')
		.trim();
}

const head = '| Call | Status | Answer | Limits | The node |\n|---|---|---|---|---|';

type Compared = Observation & { differences: string[] };

const rowOf = ({ endpoint, title, answers, failure, remarks, differences }: Compared): string =>
	[
		'',
		`${endpoint}: ${title}`,
		answers.map(({ status }) => status).join(', then ') || 'none',
		answers.length === 0 ? 'none' : differences.length ? '**differs**' : 'as documented',
		answers.map(({ headers }) => limitsIn(headers)).join(', then '),
		[failure ?? 'reads it', ...remarks.flatMap(({ text, differs }) => (differs ? [] : text))].join('. '),
		'',
	]
		.join(' | ')
		.trim();

/** The headers about limits. Their values are numbers of the service. */
const limitsIn = (headers: Record<string, unknown>): string =>
	Object.entries(headers)
		.filter(([name]) => /ratelimit|^retry-after$/i.test(name))
		.map(([name, value]) => `${name}: ${/^\d+$/.test(String(value)) ? String(value) : '…'}`)
		.join(', ') || 'no headers';

/** What differs in the shape of an answer, and what a remark says of it. */
function differencesOf(
	{ endpoint, answers, remarks }: Observation,
	shown: (name: string) => string,
): string[] {
	const ofShape = answers.flatMap(({ status, headers, text }) => {
		const type = String(headers['content-type'] ?? 'no content type');
		return loadContract().checkAnswer(endpoint, status, type, text, shown);
	});
	return [...ofShape, ...remarks.flatMap(({ text, differs }) => (differs ? text : []))];
}
