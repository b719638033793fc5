import type { Fault } from '../sandbox/emulator';
import type { Expressions } from './messages';

/* What the bench measures: each row compares contenders under the same conditions. */

/** A contender, and its settings. */
export interface Contender {
	/** 'Declarative node': the least node with the same effect, which n8n's own loop for such nodes runs. */
	node: 'Chatbot Service' | 'HTTP Request' | 'Declarative node';
	/** Node setting 'Batching'. */
	batching?: { size: number; intervalMs: number };
	/** Node setting 'Retry On Fail'. */
	retry?: { tries: number; waitMs: number };
	/** As in docs/comparison/with-http-request.json: its batching, and its nodes that send again what got a 429. */
	pictured?: boolean;
	/** Node setting 'On Error': 'Continue'. */
	continues?: boolean;
	/** Option 'Send Once Per', which only this package's node has. */
	sendOncePer?: string;
}

export interface Row {
	messages: number;
	contenders: Contender[];
	/** The limit of the service, and of the credential of this package's node; without it, there is none. */
	limit?: { requests: number; windowMs: number };
	expressions: Expressions;
	/** Random faults: the same seed gives the same ones. */
	faults?: (seed: number) => Fault[];
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
}

const ours: Contender = { node: 'Chatbot Service' };
const plainHttp: Contender = { node: 'HTTP Request' };
const http = (intervalMs: number, retry?: Contender['retry']): Contender => ({
	...plainHttp,
	batching: { size: 2, intervalMs },
	retry,
});

const pictured: Contender = { ...plainHttp, pictured: true };

const usual = { expressions: '2' } as const;
const limited = { ...usual, limit: { requests: 2, windowMs: 1000 } };
const large = {
	messages: 10_000,
	contenders: [plainHttp, { node: 'Declarative node' } as const, ours, { ...ours, continues: true }],
};

/** By name. */
export const rows: Record<string, Row> = {
	limit: { ...limited, messages: 60, contenders: [ours, http(1000), http(1100)] },
	late: {
		...limited,
		messages: 150,
		faults: (seed) => [{ kind: 'delay', when: 'before', ms: [0, 150], match: { seed } }],
		contenders: [ours, http(1000), http(1100), http(1100, { tries: 3, waitMs: 1000 }), pictured],
	},
	failing: {
		...limited,
		messages: 60,
		// After accepting the message.
		faults: () =>
			[5, 15, 25, 35, 45, 55].map((nth) => ({
				kind: 'server error',
				when: 'after',
				match: { nth, path: 'sendMessage' },
			})),
		contenders: [{ ...ours, continues: true }, pictured],
	},
	'large-2': { ...large, expressions: '2' },
	'large-5': { ...large, expressions: '5' },
	once: {
		...usual,
		messages: 10_000,
		remembered: 50_000,
		contenders: [ours, { ...ours, sendOncePer: 'осенняя распродажа' }],
	},
};

export const labelOf = ({ node, batching, retry, pictured, continues, sendOncePer }: Contender) =>
	[
		node,
		batching && `${batching.size} per ${batching.intervalMs} ms`,
		retry && 'Retry On Fail',
		pictured && 'as pictured',
		continues && 'continues on errors',
		sendOncePer && 'Send Once Per',
	]
		.filter(Boolean)
		.join(', ');
