/**
 * What can go wrong on the way, switched on by tests: each fault says what happens, whether before or after the
 * request took effect, and which requests it hits.
 */

import { html, json, type Answer } from './answers';
import { LOGIN_PAGE, MAINTENANCE_PAGE, serverPage } from './html';
import { fatalError, warning, type Plain } from './php';
import { seededRandom } from './random';
import type { RecordedRequest } from './recording';

/** Which requests a fault hits; all of what is given must match. Nothing given matches every request. */
interface FaultMatch {
	/** Operation (`sendMessage`) or path (`/api/v1/sendMessage`). */
	path?: string;
	/** contact_id, contact_external_id or phone of the request, as text or number. */
	recipient?: string | number;
	/** The `text` of the request, exactly. */
	text?: string;
	/** Anything else; only inside the process. */
	where?: (request: RecordedRequest) => boolean;
	/** Only these of the requests that match the rest, counted from 1; those an earlier fault ended do not count. */
	nth?: number | number[];
	/** How many requests it hits at most; without it, any number. */
	times?: number;
	/** Of the delays that a range leaves to chance: the same seed, the same sequence. */
	seed?: number;
}

/** What happens. Each kind has a usual moment; `when` changes it. */
type FaultKind =
	/**
	 * Waits; several delays add up. `ms` fixed or a range. Usually before: the request is on its way that long, or the
	 * framework starts that long, and is counted late. After, it delays answers of any kind.
	 */
	| { kind: 'delay'; ms: number | [min: number, max: number] }
	/** Destroys the connection. Usually before. */
	| { kind: 'reset' }
	/** Never answers. Usually after. */
	| { kind: 'timeout' }
	/** 500 {"message":"Server Error"}. Usually before. */
	| { kind: 'server error' }
	/** 503, the web server's page, which proves nothing; `retryAfter` in seconds or as a literal header. Usually before. */
	| { kind: 'unavailable'; retryAfter?: number | string }
	/**
	 * 503 {"message":"Service Unavailable"}, or the framework's page of it, before token and limits are looked at;
	 * `retryAfter` as above. Usually before.
	 */
	| { kind: 'maintenance'; retryAfter?: number | string; page?: boolean }
	/** 429 although no limit is exceeded; `retryAfter` in seconds, `'date'` for an HTTP date `dateInMs` from now. */
	| { kind: 'too many'; retryAfter?: number | 'date'; dateInMs?: number }
	/** A page instead of JSON: the login page with 200 (default) or the web server's with another status. */
	| { kind: 'html'; status?: number }
	/** 200 {"message":"Forbidden"}. Usually before. */
	| { kind: 'forbidden' }
	/** 200 with PHP's own words about an error that ended the request. Usually before. */
	| { kind: 'php error'; plain?: Plain }
	/** Ends nothing: PHP's words get ahead of whatever is answered, of refusals and faults as well. Usually before. */
	| { kind: 'php warning'; plain?: Plain }
	/** 200 without a body. Usually after. */
	| { kind: 'empty' }
	/** 200 with JSON cut off in the middle. Usually after. */
	| { kind: 'malformed' }
	/** 302 to another host. Usually before. */
	| { kind: 'redirect' }
	/** Any answer at all; `body` is sent as JSON unless it is a string. Usually before. */
	| { kind: 'answer'; status: number; headers?: Record<string, string>; body?: unknown };

export type Fault = FaultKind & {
	/** `before`: the request takes no effect. `after`: it was accepted; a request the service refuses is not hit. */
	when?: 'before' | 'after';
	match?: FaultMatch;
};

const USUALLY_AFTER = ['timeout', 'empty', 'malformed'];

/** What the faults do to one request at one moment. */
export interface Effect {
	delayMs: number;
	/** What PHP prints ahead of the answer. */
	printed: string;
	/** Instead of going on: cut the connection, fall silent, or answer this. */
	end: 'reset' | 'silence' | Answer | undefined;
}

export class Faults {
	private active: ActiveFault[] = [];

	/** Switches a fault on, after those already there. Of several that end a request, the first added wins. */
	add(fault: Fault): void {
		this.active.push(new ActiveFault(fault));
	}

	/** Switches all faults off. */
	clear(): void {
		this.active = [];
	}

	/**
	 * Asks the faults of one moment what happens to a request, and notes their kinds in it.
	 * @param accepted whether the request took effect; of one that did not, only what ends nothing happens after
	 */
	apply(when: 'before' | 'after', request: RecordedRequest, accepted: boolean): Effect {
		const effect: Effect = { delayMs: 0, printed: '', end: undefined };
		for (const active of this.active) {
			const { fault } = active;
			if (active.when !== when) continue;
			const tooLate = effect.end !== undefined || (when === 'after' && !accepted);
			if (tooLate && !endsNothing(fault)) continue;
			if (!active.hits(request)) continue;
			request.faults.push(fault.kind);
			if (!endsNothing(fault)) effect.end = endOf(fault);
			else if (fault.kind === 'delay') effect.delayMs += active.delay(fault.ms);
			else effect.printed += warning(fault.plain ?? false);
		}
		return effect;
	}
}

class ActiveFault {
	readonly when: 'before' | 'after';
	private readonly random: () => number;
	private matched = 0;
	private hitCount = 0;

	constructor(readonly fault: Fault) {
		this.when = fault.when ?? (USUALLY_AFTER.includes(fault.kind) ? 'after' : 'before');
		this.random = seededRandom(fault.match?.seed ?? 1);
	}

	hits(request: RecordedRequest): boolean {
		const { path, recipient, text, where, nth, times } = this.fault.match ?? {};
		const { contact_id, contact_external_id, phone } = request.input;
		if (path !== undefined && path !== request.operation && path !== request.path) return false;
		if (recipient !== undefined && ![contact_id, contact_external_id, phone].some(equals(recipient)))
			return false;
		if (text !== undefined && request.input.text !== text) return false;
		if (where && !where(request)) return false;
		this.matched++;
		if (nth !== undefined && ![nth].flat().includes(this.matched)) return false;
		if (times !== undefined && this.hitCount >= times) return false;
		this.hitCount++;
		return true;
	}

	delay(ms: number | [number, number]): number {
		return typeof ms === 'number' ? ms : ms[0] + this.random() * (ms[1] - ms[0]);
	}
}

/** A fault after which the request goes on. */
type Passing = Extract<Fault, { kind: 'delay' | 'php warning' }>;

function endsNothing(fault: Fault): fault is Passing {
	return fault.kind === 'delay' || fault.kind === 'php warning';
}

type Ending = Exclude<Fault, Passing>;

/** What each fault that ends a request ends it with. */
const ENDINGS: { [Kind in Ending['kind']]: (fault: Extract<Fault, { kind: Kind }>) => Effect['end'] } = {
	reset: () => 'reset',
	timeout: () => 'silence',
	'server error': () => json({ message: 'Server Error' }, 500),
	unavailable: ({ retryAfter }) => html(pageOf(503), 503, asHeader(retryAfter)),
	maintenance: ({ retryAfter, page }) =>
		page
			? html(MAINTENANCE_PAGE, 503, asHeader(retryAfter))
			: json({ message: 'Service Unavailable' }, 503, asHeader(retryAfter)),
	'php error': ({ plain = false }) => fatalError(plain),
	'too many': ({ retryAfter, dateInMs = 1000 }) => {
		const date = new Date(Date.now() + dateInMs).toUTCString();
		return json({ message: 'Too Many Attempts.' }, 429, asHeader(retryAfter === 'date' ? date : retryAfter));
	},
	html: ({ status = 200 }) => (status === 200 ? html(LOGIN_PAGE) : html(pageOf(status), status)),
	forbidden: () => json({ message: 'Forbidden' }),
	empty: () => html(''),
	malformed: () => ({ ...json(null), body: '{"success":tr' }),
	redirect: () => html('', 302, { location: 'https://login.example.invalid/login' }),
	answer: ({ status, headers = {}, body = '' }) =>
		typeof body === 'string' ? { status, headers, body } : json(body, status, headers),
};

export const FAULT_KINDS = ['delay', 'php warning', ...Object.keys(ENDINGS)];

function endOf(fault: Ending): Effect['end'] {
	return (ENDINGS[fault.kind] as (fault: Fault) => Effect['end'])(fault);
}

function pageOf(status: number): string {
	const names: Record<number, string> = {
		502: 'Bad Gateway',
		503: 'Service Temporarily Unavailable',
		504: 'Gateway Time-out',
	};
	return serverPage(`${status} ${names[status] ?? 'Error'}`);
}

function asHeader(retryAfter: number | string | undefined): Record<string, string> {
	return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

function equals(wanted: string | number) {
	return (value: unknown) => value !== undefined && String(value) === String(wanted);
}
