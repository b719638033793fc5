/**
 * Faults that tests can enable: each fault says what happens, whether before or after the request takes effect, and which requests
 * it applies to.
 */

import { html, json, page, serverPage, type Answer } from './answers';
import { seededRandom } from './random';
import type { RecordedRequest } from './recording';

/** The requests that a fault applies to; all given conditions must match. Without conditions, every request matches. */
interface FaultMatch {
	/** For example `sendMessage`. */
	path?: string;
	/** contact_id, contact_external_id or phone of the request, as text or number. */
	recipient?: string | number;
	/** The `text` of the request, exactly. */
	text?: string;
	/** Any other condition; only inside the process. */
	where?: (request: RecordedRequest) => boolean;
	/** Only this one of the requests that match the rest, counted from 1; requests that an earlier fault ended do not count. */
	nth?: number;
	/** The maximum number of requests; without it, any number. */
	times?: number;
	/** Seed for delays in a range: the same seed gives the same sequence. */
	seed?: number;
}

/** A fault after which the request continues; usually before it. */
type Passing =
	/**
	 * Waits; several delays add up. `ms` is fixed or a range. Before: the request is in transit that long, or the framework needs
	 * that long to start, and the request is counted late. After, it delays answers of any kind.
	 */
	| { kind: 'delay'; ms: number | [min: number, max: number] }
	/** A PHP text precedes any answer, including refusals and faults. */
	| { kind: 'php warning' };

/** A fault instead of an answer; ENDINGS has the answers. Each kind has a usual moment, which `when` changes. */
type Ending =
	| { kind: 'reset' }
	| { kind: 'timeout' }
	| { kind: 'server error' }
	/** Does not show whether the request took effect; `retryAfter` in seconds. */
	| { kind: 'unavailable'; retryAfter?: number }
	/** As JSON or as the framework's page for it, before token and limits are checked. */
	| { kind: 'maintenance'; retryAfter?: number; page?: boolean }
	/** Although no limit is exceeded. */
	| { kind: 'too many'; retryAfter?: number }
	/** A page instead of JSON: the login page with 200 (default) or the web server's with another status. */
	| { kind: 'html'; status?: number }
	| { kind: 'forbidden' }
	| { kind: 'php error' }
	| { kind: 'empty' }
	| { kind: 'malformed' }
	| { kind: 'redirect' }
	/** Any other answer; `body` is sent as JSON unless it is a string. */
	| { kind: 'answer'; status: number; headers?: Record<string, string>; body?: unknown };

export type Fault = (Passing | Ending) & {
	/** `before`: the request takes no effect. `after`: it was accepted; the fault does not apply to a refused request. */
	when?: 'before' | 'after';
	match?: FaultMatch;
};

/** The effect of the faults on one request at one moment. */
export interface Effect {
	delayMs: number;
	/** What PHP prints before the answer. */
	printed: string;
	/** Instead of the operation: close the connection, do not answer, or send this answer. */
	end: 'reset' | 'silence' | Answer | undefined;
}

const ENDINGS: { [Kind in Ending['kind']]: (fault: Extract<Ending, { kind: Kind }>) => Effect['end'] } = {
	reset: () => 'reset',
	timeout: () => 'silence',
	'server error': () => json({ message: 'Server Error' }, 500),
	unavailable: ({ retryAfter }) => html(serverPage(503), 503, asHeader(retryAfter)),
	maintenance: ({ retryAfter, page: isPage }) => {
		const title = 'Service Unavailable';
		return isPage
			? html(page(title, `<strong>503</strong> ${title}`), 503, asHeader(retryAfter))
			: json({ message: title }, 503, asHeader(retryAfter));
	},
	'too many': ({ retryAfter }) => json({ message: 'Too Many Attempts.' }, 429, asHeader(retryAfter)),
	html: ({ status = 200 }) => html(status === 200 ? loginPage : serverPage(status), status),
	forbidden: () => json({ message: 'Forbidden' }),
	'php error': () => html(printedByPhp('Fatal error', 'Uncaught TypeError: Argument #1 must not be null')),
	empty: () => html(''),
	malformed: () => ({ ...json(null), body: '{"success":tr' }),
	redirect: () => html('', 302, { location: 'https://login.example.invalid/login' }),
	answer: ({ status, headers = {}, body = '' }) =>
		typeof body === 'string' ? { status, headers, body } : json(body, status, headers),
};

const loginPage = page('Вход в личный кабинет', '<form method="post"></form>');

const printedByPhp = (level: string, message: string) =>
	`<br />\n<b>${level}</b>:  ${message} in <b>/var/www/app/Http/Kernel.php</b> on line <b>41</b><br />\n`;

const isPassing = (fault: Fault): fault is Passing => fault.kind === 'delay' || fault.kind === 'php warning';

const asHeader = (retryAfter: number | undefined): Record<string, string> =>
	retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };

interface ActiveFault {
	fault: Fault;
	when: 'before' | 'after';
	random: () => number;
	matched: number;
	hits: number;
}

export class Faults {
	private active: ActiveFault[] = [];

	/** Enables a fault, after existing ones. If several faults end a request, the one that was added first applies. */
	add(fault: Fault): void {
		// Other processes send faults as JSON.
		if (!isPassing(fault) && !Object.hasOwn(ENDINGS, fault.kind))
			throw new Error(`no such fault: ${JSON.stringify(fault)}`);
		const usually = ['timeout', 'empty', 'malformed'].includes(fault.kind) ? 'after' : 'before';
		const random = seededRandom(fault.match?.seed ?? 1);
		this.active.push({ fault, when: fault.when ?? usually, random, matched: 0, hits: 0 });
	}

	clear(): void {
		this.active = [];
	}

	/** @param accepted whether the request took effect; if not, only faults that do not end the request apply after it */
	apply(when: 'before' | 'after', request: RecordedRequest, accepted: boolean): Effect {
		const effect: Effect = { delayMs: 0, printed: '', end: undefined };
		for (const active of this.active.filter((each) => each.when === when)) {
			const { fault, random } = active;
			const isTooLate = effect.end !== undefined || (when === 'after' && !accepted);
			if ((isTooLate && !isPassing(fault)) || !isHit(active, request)) continue;
			request.faults.push(fault.kind);
			if (fault.kind === 'delay') {
				const [min, max] = typeof fault.ms === 'number' ? [fault.ms, fault.ms] : fault.ms;
				effect.delayMs += min + random() * (max - min);
			} else if (fault.kind === 'php warning')
				effect.printed += printedByPhp('Warning', 'Undefined variable $plan');
			else effect.end = (ENDINGS[fault.kind] as (fault: Fault) => Effect['end'])(fault);
		}
		return effect;
	}
}

/** Whether a fault applies to a request, which then counts. */
function isHit(active: ActiveFault, request: RecordedRequest): boolean {
	const { path, recipient, text, where, nth, times = Infinity } = active.fault.match ?? {};
	const { contact_id, contact_external_id, phone, text: sent } = request.input;
	const recipients = [contact_id, contact_external_id, phone].map(String);
	if (path !== undefined && path !== request.operation) return false;
	if (recipient !== undefined && !recipients.includes(String(recipient))) return false;
	if (text !== undefined && text !== sent) return false;
	if (where && !where(request)) return false;
	active.matched++;
	if ((nth ?? active.matched) !== active.matched || active.hits >= times) return false;
	active.hits++;
	return true;
}
