import { version } from '../../package.json';
import { baseUrlOf, services } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { loadContract } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';
import type { Names } from './names';
import { bodyOf, type Observation } from './observer';

/* The report, in Markdown. It shows no value of an answer, because values belong to the account and to people. */

/**
 * @param address of the service; the report names it only if it is a known one
 * @param names decides which names the report shows
 */
export function reportOf(calls: Observation[], address: string, names: Names): string {
	const { host } = new URL(baseUrlOf(address));
	const service = services.find((each) => each.host === host)?.name ?? 'at another address';
	const compared = calls.map((call) => {
		const failure = call.failure && names.quotedIn(call.failure);
		return { ...call, failure, differences: differencesOf({ ...call, failure }, names) };
	});
	const differences = new Set(
		compared.flatMap((call) => call.differences.map((each) => `- ${call.endpoint}: ${each}`)),
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
		differences.length ? '**differs**' : 'as documented',
		[...new Set(answers.map(({ headers }) => limitsIn(headers)))].join(', then '),
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

/** All differences of a call from docs/openapi.yaml, each in a sentence. */
function differencesOf(
	{ title, endpoint, answers, failure, mayFail, remarks }: Observation,
	{ shown }: Names,
): string[] {
	const compare = (...[status, type, text]: [number, string, string]) =>
		loadContract().checkAnswer(endpoint, status, type, text, shown);
	return [
		...answers.flatMap(({ status, headers, text }) => {
			const json = parseJson(text) === undefined && bodyOf(text);
			return json
				? ['The JSON follows other text', ...compare(status, 'application/json', JSON.stringify(json))]
				: compare(status, String(headers['content-type'] ?? 'no content type'), text);
		}),
		...(failure && !mayFail ? [`${title}: ${failure}`] : []),
		...remarks.flatMap(({ text, differs }) => (differs ? text : [])),
	];
}
