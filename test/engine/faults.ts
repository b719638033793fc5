import {
	accessRefused,
	emptyAnswer,
	interrupted,
	malformedAnswer,
	redirected,
	serviceFailed,
	timedOut,
	tooManyRequests,
	underMaintenance,
	valuesRefused,
	webPage,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import type { Fault } from '../../sandbox/emulator';

/* What can go wrong with a request, and how the node reacts, for every operation. */

export interface Outcome {
	fault: Fault;
	/** A second fault that applies to the same request. */
	beside?: Fault;
	/** The error has its message, and contains its description. */
	failure: Pick<Failure, 'message' | 'description'>;
	/**
	 * Whether the outcome is unknown. The description then starts with the operation's sentence for that. 'changing': only for
	 * operations that change something, because repeating a read is safe.
	 */
	isUnknown?: true | 'changing';
	/** What else the description says, and what it must not say, in words of the service or of Node.js. */
	says?: RegExp;
	saysNot?: RegExp;
	/** How often an idempotent request is sent; every other request is sent once. */
	attempts?: 3;
	/** A fault only for operations that read. */
	onlyForReading?: true;
}

const failedUnknown = (status: number) =>
	({ failure: serviceFailed(status), isUnknown: true, attempts: 3 }) as const;
/** Without the advice: it depends on the operation. */
const titleOf = ({ message }: Failure) => ({ message, description: '' });
const refusedValues = {
	fault: {
		kind: 'answer',
		status: 422,
		body: { message: 'The given data was invalid.', errors: { _: ['Так нельзя.'] } },
	},
	failure: valuesRefused(422, ['_'], 'Так нельзя.'),
	saysNot: /Warning|plan/,
} as const;

const outcomes: Record<string, Outcome> = {
	'a time-out': {
		fault: { kind: 'timeout', when: 'before' },
		...{ failure: timedOut(), isUnknown: true, attempts: 3 },
	},
	'a 500': { fault: { kind: 'server error' }, ...failedUnknown(500) },
	'a page with status 503': { fault: { kind: 'unavailable' }, ...failedUnknown(503) },
	'a reset': {
		fault: { kind: 'reset' },
		...{ failure: interrupted(''), isUnknown: true, says: /ECONNRESET/, attempts: 3 },
	},
	'truncated JSON': {
		fault: { kind: 'malformed', when: 'before' },
		...{ failure: titleOf(malformedAnswer(200, '')), isUnknown: true, says: /: "\{.*"\.$/, attempts: 3 },
	},
	'an empty answer': {
		fault: { kind: 'empty', when: 'before' },
		...{ failure: emptyAnswer(200), attempts: 3, onlyForReading: true },
	},
	'a page': { fault: { kind: 'html' }, failure: webPage(200, undefined), isUnknown: 'changing' },
	'Forbidden with status 200': {
		fault: { kind: 'forbidden' },
		failure: titleOf(accessRefused(200, { expected: [], isForeign: false })),
		says: /"Forbidden"/,
	},
	'a redirect': { fault: { kind: 'redirect' }, failure: redirected(302, undefined), says: /"http.*"\.$/ },
	'a long Retry-After': {
		fault: { kind: 'too many', retryAfter: 900 },
		failure: titleOf(tooManyRequests(429)),
		says: /Too Many/,
	},
	'a refusal of the values': refusedValues,
	'success that is false': {
		fault: { kind: 'answer', status: 200, body: { success: false, message: 'Диалог закрыт' } },
		failure: valuesRefused(200, [], 'Диалог закрыт'),
	},
	'maintenance that takes long': {
		fault: { kind: 'maintenance', retryAfter: 900 },
		failure: underMaintenance(503),
	},
	"PHP's error": { fault: { kind: 'php error' }, ...failedUnknown(200) },
	"PHP's warning and a refusal of the values": { ...refusedValues, beside: { kind: 'php warning' } },
};

export const faults = Object.entries(outcomes);
