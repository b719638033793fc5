import {
	accessRefused,
	emptyAnswer,
	interrupted,
	redirected,
	serviceFailed,
	timedOut,
	tooManyRequests,
	valuesRefused,
	webPage,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import type { Fault } from '../../sandbox/emulator';

/* What can go wrong with a request, and how the node reacts, for every operation. All kinds: unit/answer.test.ts. */

export interface Outcome {
	fault: Fault;
	/** The error has its message, and contains its description. */
	failure: Pick<Failure, 'message' | 'description'>;
	/**
	 * Whether the outcome is unknown. The description then starts with the operation's sentence for that. 'changing': only for
	 * operations that change something, because repeating a read is safe.
	 */
	isUnknown?: true | 'changing';
	/** What else the description says, in words of the service or of Node.js. */
	says?: RegExp;
	/** How often an idempotent request is sent; every other request is sent once. */
	attempts?: 3;
	/** A fault only for operations that read. */
	onlyForReading?: true;
}

/** Without the advice: it depends on the operation. */
const titleOf = ({ message }: Failure) => ({ message, description: '' });

const outcomes: Record<string, Outcome> = {
	'a time-out': {
		fault: { kind: 'timeout', when: 'before' },
		...{ failure: timedOut(), isUnknown: true, attempts: 3 },
	},
	'a 500': {
		fault: { kind: 'server error' },
		...{ failure: serviceFailed(500), isUnknown: true, attempts: 3 },
	},
	'a reset': {
		fault: { kind: 'reset' },
		...{ failure: interrupted(''), isUnknown: true, says: /ECONNRESET/, attempts: 3 },
	},
	'an empty answer': {
		fault: { kind: 'empty', when: 'before' },
		...{ failure: emptyAnswer(), attempts: 3, onlyForReading: true },
	},
	'a page': { fault: { kind: 'html' }, failure: webPage(200, undefined), isUnknown: 'changing' },
	'Forbidden with status 200': {
		fault: { kind: 'forbidden' },
		failure: titleOf(accessRefused({ expected: [], isForeign: false })),
		says: /"Forbidden"/,
	},
	'a redirect': { fault: { kind: 'redirect' }, failure: redirected(undefined), says: /"http.*"\.$/ },
	'a long Retry-After': {
		fault: { kind: 'too many', retryAfter: 900 },
		failure: titleOf(tooManyRequests()),
		says: /Too Many/,
	},
	'a refusal of the values': {
		fault: { kind: 'answer', status: 422, body: { message: 'Плохо.', errors: { _: ['Так нельзя.'] } } },
		failure: valuesRefused(['_'], 'Так нельзя.'),
	},
};

export const faults = Object.entries(outcomes);
