import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import { Connection } from '../../nodes/ChatbotService/client/http/connection';
import { readRetryAfter } from '../../nodes/ChatbotService/client/http/headers';
import { listSchemaGetAll } from '../../nodes/ChatbotService/resources/listSchema/getAll';
import { bodyOf, requestWith, sendWith, type Answer } from './call';
import { headersIn, limitsIn } from './names';
import type { Session } from './session';

/* Exceeds the limit of the account once, with requests that only read, to see how the service refuses. */

/** More than any documented limit. */
const mostRequests = 150;
const atOnce = 10;
/** Longer than any documented window. */
const longestWaitMs = 120_000;

/** As the node recognizes it, under any status. */
const isRefused = ({ status, text }: Answer) =>
	status === 429 || /^Too Many (Attempts\.|Requests)$/.test(String(bodyOf(text)?.message));

export async function exceedLimit(session: Session): Promise<void> {
	const { credential } = session;
	const answers: Answer[] = [];
	const connection = new Connection(
		readAccount(credential),
		sendWith(credential, (answer) => answers.push(answer)),
	);
	// Past the pace of the client, and without its repeats.
	const ask = async () => void (await connection.exchange(requestWith(listSchemaGetAll, {})));
	const startedAt = performance.now();
	let sent = 0;
	while (sent < mostRequests && !answers.some(isRefused) && answers.length === sent) {
		session.proceed();
		await Promise.all(Array.from({ length: atOnce }, ask));
		sent += atOnce;
	}
	const seconds = (performance.now() - startedAt) / 1000;
	const refused = answers.find(isRefused);
	const passed = answers.filter(({ status }) => status < 300).length;
	const inWords = `${passed} requests passed in ${seconds.toFixed(1)} s`;
	session.found(
		'limitOfAccount',
		refused !== undefined && passed <= 2 * (seconds + 1),
		refused ? `${inWords}, then one was refused` : `${inWords}, and none was refused`,
	);
	session.notes.push(`Limit: ${inWords}, ${answers.filter(isRefused).length} of ${sent} were refused.`);
	const limitHeaders = limitsIn((refused ?? answers.at(-1))?.headers ?? {});
	const isSaid = /x-ratelimit-limit/i.test(limitHeaders);
	session.found('limitHeaders', isSaid || undefined, isSaid ? 'they come' : 'they do not come');
	if (!refused) return;
	session.found('limitStatus', refused.status === 429, `status ${refused.status}`);
	session.notes.push(
		`Refused by the limit: status ${refused.status}, ${limitHeaders}; headers ${headersIn(refused.headers)}.`,
	);
	const hasReset = /x-ratelimit-reset/i.test(limitHeaders);
	session.found('limitReset', hasReset || undefined, hasReset ? 'it comes' : 'it does not come');
	session.calls.push({
		...{ title: 'Requests at once', endpoint: 'getListSchemas', answers: [refused], status: refused.status },
		...{ said: undefined, rows: [], all: [], hasPages: false, failure: undefined, isUnknown: false },
		...{ remarks: [], mayFail: true },
	});
	await comeBack(session, ask, answers);
}

/** Whether a request passes after the wait that the service asks for. */
async function comeBack(session: Session, ask: () => Promise<void>, answers: Answer[]): Promise<void> {
	const { headers } = answers.findLast(isRefused)!;
	const waitMs = readRetryAfter(headers, Date.now());
	if (waitMs === undefined || waitMs > longestWaitMs) {
		session.found(
			'retryAfter',
			undefined,
			waitMs === undefined ? 'it does not come' : 'it asks for more than two minutes',
		);
		return;
	}
	const passes = async (afterMs: number) => {
		await session.sleep(afterMs);
		const before = answers.length;
		await ask();
		return answers.length > before && !isRefused(answers.at(-1)!);
	};
	if (await passes(waitMs)) return session.found('retryAfter', true, 'a request after it passes');
	const isRounded = await passes(1000);
	session.found('retryAfter', isRounded, [
		'a request after it is refused, and passes a second later',
		'a request a second after it is refused too',
	]);
}
