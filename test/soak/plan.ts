import { createHash } from 'node:crypto';

import { seededRandom } from '../../sandbox/service/random';
import type { Fault, Messenger } from '../../sandbox/service';
import { firstId, operations, type Recipient, type SoakOperation } from './operations';

/* Everything that is left to chance, the same for the same seed in every process. */

export interface SoakItem {
	/** Counts from 0 over the whole plan. */
	number: number;
	json: Record<string, unknown>;
	/** Whether its values are such that nothing may leave. */
	invalid: boolean;
}

/** One run of a workflow. */
export interface SoakRun {
	operation: SoakOperation;
	items: SoakItem[];
	errorOutput: boolean;
	retryOnFail: boolean;
	/** When the user stops it, if so. */
	cancelAfterMs: number | undefined;
}

export interface Plan {
	seed: number;
	tokens: string[];
	/** By round, then by account: the runs in the order in which they begin. */
	rounds: SoakRun[][][];
	/** Contacts to write to, by their messenger. */
	recipients: Array<Recipient & { messenger: Messenger }>;
}

export const roundsInPlan = 3;
const accounts = 16;
const mostItemsInRun = 25;

export const limits = { account: { requests: 10, windowMs: 1000 } };

export function makePlan(seed: number, count: number): Plan {
	const random = seededRandom(seed);
	const below = (end: number) => Math.floor(random() * end);
	const recipients: Plan['recipients'] = [];
	const addRecipient = (messenger: Messenger) => {
		const number = recipients.length;
		const recipient = {
			messenger,
			contactId: 500_000 + number,
			externalId: `7888${1_000_000 + number}`,
			phone: `7888${1_000_000 + number}`,
		};
		recipients.push(recipient);
		return recipient;
	};

	const total = operations.reduce((sum, { weight }) => sum + weight, 0);
	const anyOperation = () => {
		let left = random() * total;
		return operations.find(({ weight }) => (left -= weight) < 0) ?? operations[0]!;
	};

	/** Runs that still take items, by what their items have in common. */
	const open = new Map<string, { run: SoakRun; size: number; to: Recipient[] }>();
	const rounds = Array.from({ length: roundsInPlan }, () =>
		Array.from({ length: accounts }, () => [] as SoakRun[]),
	);
	for (let number = 0; number < count; number++) {
		const round = Math.floor((number * roundsInPlan) / count);
		const account = below(accounts);
		const operation = anyOperation();
		const key = `${round} ${account} ${operations.indexOf(operation)}`;
		let place = open.get(key);
		if (!place || place.run.items.length === place.size) {
			const run = {
				operation,
				items: [],
				errorOutput: random() < 0.5,
				retryOnFail: random() < 0.2,
				cancelAfterMs: random() < 0.03 ? below(3000) : undefined,
			};
			const { needs } = operation;
			// Some get several messages of a run, which are to keep their order.
			const to = typeof needs === 'object' ? [1, 2, 3].map(() => addRecipient(needs.recipient)) : [];
			place = { run, size: 1 + below(mostItemsInRun), to };
			open.set(key, place);
			rounds[round]![account]!.push(run);
		}
		const invalid = operation.data !== undefined && random() < 0.02;
		const recipient = place.to[below(place.to.length)]!;
		const json = invalid ? {} : (operation.data?.(number, recipient) ?? {});
		place.run.items.push({ number, json: { ...json, number }, invalid });
	}
	const tokens = Array.from({ length: accounts }, (_, account) => `soak-${seed}-${account}-7f3c2e91`);
	return { seed, tokens, rounds, recipients };
}

export const itemsOf = (plan: Plan) =>
	plan.rounds.flat(2).flatMap((run) => run.items.map((item) => ({ ...item, run })));

/** What may happen to a request, and to how many of a thousand. */
export const mishaps: Array<{ perMille: number; fault: Fault }> = [
	{ perMille: 30, fault: { kind: 'delay', ms: [5, 60] } },
	{ perMille: 15, fault: { kind: 'delay', ms: [50, 400], when: 'after' } },
	{ perMille: 7, fault: { kind: 'reset' } },
	{ perMille: 7, fault: { kind: 'reset', when: 'after' } },
	{ perMille: 3, fault: { kind: 'timeout' } },
	{ perMille: 2, fault: { kind: 'timeout', when: 'before' } },
	{ perMille: 6, fault: { kind: 'server error' } },
	{ perMille: 6, fault: { kind: 'server error', when: 'after' } },
	{ perMille: 5, fault: { kind: 'unavailable', retryAfter: 1 } },
	{ perMille: 5, fault: { kind: 'html' } },
	{ perMille: 4, fault: { kind: 'html', status: 502, when: 'after' } },
	{ perMille: 5, fault: { kind: 'forbidden' } },
	{ perMille: 4, fault: { kind: 'redirect' } },
	{ perMille: 4, fault: { kind: 'malformed' } },
	{ perMille: 3, fault: { kind: 'empty' } },
	{ perMille: 5, fault: { kind: 'too many' } },
	{ perMille: 4, fault: { kind: 'too many', retryAfter: 1 } },
	{ perMille: 2, fault: { kind: 'too many', retryAfter: 'date', dateInMs: 2000 } },
];

/**
 * What happens to a request: the place in the list above, or -1 for nothing. The same item meets the same again when a seed
 * is repeated, in whatever order the requests arrive.
 *
 * @param key what the request asks for
 * @param attempt how often that was asked for, from 1
 */
export function mishapOf(seed: number, key: string, attempt: number): number {
	const digest = createHash('sha256').update(`${seed} ${key} ${attempt}`).digest();
	let left = (digest.readUInt32LE() / 2 ** 32) * 1000;
	return mishaps.findIndex(({ perMille }) => (left -= perMille) < 0);
}

export const recordId = (item: SoakItem) => firstId + item.number;
