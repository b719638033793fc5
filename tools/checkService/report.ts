import { version } from '../../package.json';
import { loadContract } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';
import { bodyOf, type Observation } from './call';
import { claims, type ClaimName } from './claims';
import { inferences, lineOfResponse, placesOf } from './lines';
import { limitsIn, type Names } from './names';
import type { Finding, Session } from './session';
import type { Made } from './undo';

/* The report, in Markdown. It shows no value of an answer, because values belong to the account and to people. */

/** What the service shows about one line of docs/openapi.yaml. */
interface Row {
	line: number;
	/** What stands there. */
	said: string;
	verdict: 'contradicted' | 'confirmed' | 'also here' | 'not here' | 'not seen';
	/** What the service does. */
	here: string;
}

/**
 * @param names decides which names the report shows
 * @param ending what was left behind, and whether the person has interrupted the check
 */
export function reportOf(
	session: Session,
	names: Names,
	{ left = [], isInterrupted = false }: { left?: readonly Made[]; isInterrupted?: boolean } = {},
): string {
	const { calls, findings, service = 'at another address', notes } = session;
	const rows = [...rowsOfClaims(findings, service), ...rowsOfResponses(calls, names)];
	const contradicted = rows.filter(({ verdict }) => verdict === 'contradicted');
	const ordered = [...rows].sort(
		(one, other) =>
			Number(other.verdict === 'contradicted') - Number(one.verdict === 'contradicted') ||
			one.line - other.line,
	);
	const counts = new Map<string, number>();
	for (const { what } of left) counts.set(what, (counts.get(what) ?? 0) + 1);
	const leftInWords = [...counts].map(([what, count]) => `${count} ${what}`).join('; ');
	const lines = [...new Set(contradicted.map(({ line }) => line))].sort((one, other) => one - other);
	return [
		`Service: ${service}. n8n-nodes-chatbot-service ${version}, Node.js ${process.versions.node}.`,
		...(isInterrupted ? ['The check was interrupted. What it did not reach is open.'] : []),
		`Contradicted lines of docs/openapi.yaml: ${lines.join(', ') || 'none'}`,
		[
			'| Line | docs/openapi.yaml | This service |\n|---|---|---|',
			...ordered.map(cellsOf),
			`| ${openLines(findings).join(', ')} | what is inferred there | open: the check did not show it |`,
		].join('\n'),
		[...new Set(notes)].map((note) => `- ${note}`).join('\n'),
		`Left behind: ${leftInWords || 'nothing'}.`,
		[
			'<details><summary>Calls</summary>',
			'',
			head,
			...calls.map((call) => logOf(call, names)),
			'',
			'</details>',
		].join('\n'),
	]
		.filter(Boolean)
		.join('\n\n')
		.trim();
}

const cellsOf = ({ line, said, verdict, here }: Row): string => {
	const isBold = verdict === 'contradicted' ? '**' : '';
	return `| ${line} | ${said.replaceAll('|', '\\|')} | ${isBold}${verdict}${isBold}${here && `: ${here}`} |`;
};

/** One row for each claim that the check has tried. */
function rowsOfClaims(findings: Finding[], service: string): Row[] {
	const tried = [...new Set(findings.map(({ claim }) => claim))];
	return tried.flatMap((name) => {
		const ofClaim = findings.filter(({ claim }) => claim === name);
		const verdicts = ofClaim.map((finding) => verdictOf(finding, service));
		const order = ['contradicted', 'not here', 'also here', 'confirmed', 'not seen'] as const;
		const verdict = order.find((each) => verdicts.includes(each))!;
		const here = new Set(ofClaim.filter((_, index) => verdicts[index] === verdict).map((each) => each.here));
		const [place] = placesOf(claims[name]);
		return place ? { line: place.line, said: claims[name].says, verdict, here: [...here].join('; ') } : [];
	});
}

function verdictOf({ claim, holds }: Finding, service: string): Row['verdict'] {
	const { of: services, isPossibility } = claims[claim];
	if (holds === undefined) return 'not seen';
	if (services && !services.includes(service)) return holds ? 'also here' : 'not here';
	if (holds) return 'confirmed';
	return isPossibility ? 'not here' : 'contradicted';
}

/** One row for each status of each endpoint, and one for each difference from its description. */
function rowsOfResponses(calls: Observation[], names: Names): Row[] {
	const rows = new Map<string, Row>();
	for (const call of calls) {
		const add = (status: number, verdict: Row['verdict'], here: string) => {
			const row: Row = {
				line: lineOfResponse(call.endpoint, status),
				said: `${call.endpoint}, ${status ? `status ${status}` : 'no answer'}`,
				verdict,
				here,
			};
			rows.set(JSON.stringify(row), row);
		};
		for (const answer of call.answers) {
			const differences = problemsOf(call.endpoint, answer, names);
			if (!differences.length) add(answer.status, 'confirmed', '');
			for (const each of differences) add(answer.status, 'contradicted', each);
		}
		for (const each of differencesOf(call, names))
			add(call.status, call.status ? 'contradicted' : 'not seen', each);
	}
	return [...rows.values()];
}

/** What differs in the form of an answer. */
function problemsOf(
	endpoint: string,
	{ status, headers, text }: Observation['answers'][number],
	{ shown }: Names,
) {
	const compare = (type: string, body: string) =>
		loadContract().checkAnswer(endpoint, status, type, body, shown);
	const json = parseJson(text) === undefined && bodyOf(text);
	return json
		? ['the JSON follows other text', ...compare('application/json', JSON.stringify(json))]
		: compare(String(headers['content-type'] ?? 'no content type'), text);
}

/** What differs otherwise. */
const differencesOf = ({ title, failure, mayFail, remarks }: Observation, names: Names): string[] => [
	...(failure && !mayFail ? [`${title}: ${names.quotedIn(failure)}`] : []),
	...remarks.flatMap(({ text, differs }) => (differs ? text : [])),
];

/** The lines with something inferred about which no claim was decided. */
function openLines(findings: Finding[]): number[] {
	const decided = findings.filter(({ holds }) => holds !== undefined).map(({ claim }) => claim);
	const places = [...new Set<ClaimName>(decided)].flatMap((name) => placesOf(claims[name]));
	const isOpen = ({ start, end }: { start: number; end: number }) =>
		!places.some((place) => place.start < end && start <= place.end + 1);
	return [
		...new Set(
			inferences()
				.filter(isOpen)
				.map(({ line }) => line),
		),
	];
}

const head = '| Call | Status | Limits | The node |\n|---|---|---|---|';

const logOf = ({ endpoint, title, answers, failure, remarks }: Observation, names: Names): string =>
	[
		'',
		`${endpoint}: ${title}`,
		answers.map(({ status }) => status).join(', then ') || 'none',
		[...new Set(answers.map(({ headers }) => limitsIn(headers)))].join(', then '),
		[
			failure ? names.quotedIn(failure) : 'reads it',
			...remarks.flatMap(({ text, differs }) => (differs ? [] : text)),
		].join('. '),
		'',
	]
		.join(' | ')
		.trim();
