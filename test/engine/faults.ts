import type { Fault } from '../../sandbox/emulator';

/* What can go wrong with a request, and how the node reacts, for every operation. */

export interface Outcome {
	fault: Fault;
	/** A second fault that applies to the same request. */
	beside?: Fault;
	message: RegExp;
	/**
	 * Whether the outcome is unknown. The description then starts with the operation's sentence for that. 'changing': only for
	 * operations that change something, because repeating a read is safe.
	 */
	isUnknown?: true | 'changing';
	/** What else the description says, and what it must not say. */
	says?: RegExp;
	saysNot?: RegExp;
	/** How often an idempotent request is sent; every other request is sent once. */
	attempts?: 3;
	/** A fault only for operations that read. */
	onlyForReading?: true;
}

const failedUnknown = { message: /failed to process/, isUnknown: true, attempts: 3 } as const;
export const underMaintenance = { message: /under maintenance/, says: /^Nothing was done\./ } as const;
const refusedValues = {
	fault: {
		kind: 'answer',
		status: 422,
		body: { message: 'The given data was invalid.', errors: { _: ['Так нельзя.'] } },
	},
	message: /refused the value/,
	says: /Так нельзя\./,
	saysNot: /Warning|tariff/,
} as const;

/** The advice for a web page: at the start, or after the operation's sentence for an unknown outcome. */
const pageFirst =
	/^(?:The \w+ may have been .+\. )?Check 'Base URL' in the credential: it must be the address that /;

export const faults: Array<[string, Outcome]> = [
	['a 500', { fault: { kind: 'server error' }, ...failedUnknown }],
	['a page with status 503', { fault: { kind: 'unavailable' }, ...failedUnknown }],
	[
		'a reset',
		{ fault: { kind: 'reset' }, message: /was lost/, isUnknown: true, says: /ECONNRESET/, attempts: 3 },
	],
	[
		'a time-out',
		{
			fault: { kind: 'timeout', when: 'before' },
			message: /in time/,
			isUnknown: true,
			says: /'Timeout'/,
			attempts: 3,
		},
	],
	[
		'truncated JSON',
		{
			fault: { kind: 'malformed', when: 'before' },
			message: /cannot be read/,
			isUnknown: true,
			says: /The service answered/,
			attempts: 3,
		},
	],
	[
		'an empty answer',
		{ fault: { kind: 'empty', when: 'before' }, message: /empty answer/, attempts: 3, onlyForReading: true },
	],
	['a page', { fault: { kind: 'html' }, message: /web page/, isUnknown: 'changing', says: pageFirst }],
	[
		'Forbidden with status 200',
		{ fault: { kind: 'forbidden' }, message: /refused access/, says: /"Forbidden"/ },
	],
	['a redirect', { fault: { kind: 'redirect' }, message: /redirected/, says: /login page/ }],
	[
		'a long Retry-After',
		{ fault: { kind: 'too many', retryAfter: 900 }, message: /limit of requests/, says: /Too Many/ },
	],
	['a refusal of the values', refusedValues],
	[
		'success that is false',
		{
			fault: { kind: 'answer', status: 200, body: { success: false, message: 'Диалог закрыт' } },
			message: /refused the request/,
			says: /Диалог закрыт/,
		},
	],
	['maintenance that takes long', { fault: { kind: 'maintenance', retryAfter: 900 }, ...underMaintenance }],
	["PHP's error", { fault: { kind: 'php error' }, ...failedUnknown }],
	["PHP's warning and a refusal of the values", { ...refusedValues, beside: { kind: 'php warning' } }],
];
