import type { Limits } from '../../client/pace/limits';
import { assertTransition, type Transitions } from './states';

/*
 * The states of a claim. A run makes one for each item:
 *
 *     waiting ──▶ asked ──▶ claimed ──▶ left ──▶ ended
 *                   │          └─────────────────▲        The claim is released, and no request leaves.
 *                   ├─────▶ known                         No request leaves: sent before, in doubt, or the store has failed.
 *                   ├─────▶ waiting                       Enough are claimed already.
 *                   └─────▶ elsewhere ──▶ asked           Another process has claimed the recipient.
 *     waiting, elsewhere ──▶ blocked ──▶ waiting          Another item or run of this process has claimed it.
 */

export type State = 'waiting' | 'blocked' | 'asked' | 'elsewhere' | 'claimed' | 'left' | 'known' | 'ended';

export const transitions: Transitions<State> = {
	waiting: ['asked', 'blocked'],
	// An exception ends an item as known, too.
	blocked: ['waiting', 'known'],
	elsewhere: ['asked', 'blocked', 'known'],
	asked: ['claimed', 'waiting', 'elsewhere', 'known'],
	claimed: ['left', 'ended'],
	left: ['ended'],
	known: [],
	ended: [],
};

/** State of an item's recipient, or why the store has failed. */
export type Known = 'claimed' | 'sent' | 'inDoubt' | { error: unknown };

/** An item that waits until the state of its recipient is known. */
export interface Wanted {
	item: number;
	/** Identifies the recipient. */
	key: string;
	/** Limits that its request counts towards. */
	limits: Limits;
	/** Called once. Must not throw. */
	known(standing: Known): void;
}

/** The items whose requests count towards the same limits. */
export class Line {
	/** Claims by state. Waiting claims are in item order. */
	readonly waiting: Claim[] = [];
	readonly asked = new Set<Claim>();
	readonly claimed = new Set<Claim>();

	/** How many recipients to look for at once while all have the message already; otherwise 0. */
	atOnce = 0;

	constructor(readonly limits: Limits) {}

	get underWay(): number {
		return this.asked.size + this.claimed.size;
	}

	place(claim: Claim, state: State) {
		this.asked.delete(claim);
		this.claimed.delete(claim);
		if (state === 'asked' || state === 'claimed') this[state].add(claim);
		if (state !== 'waiting') return;
		const before = this.waiting.findLastIndex(({ wanted }) => wanted.item < claim.wanted.item);
		this.waiting.splice(before + 1, 0, claim);
	}
}

export class Claim {
	/** How long it has waited for another process, in milliseconds. */
	waitedMs = 0;

	private state: State = 'waiting';

	constructor(
		readonly wanted: Wanted,
		readonly line: Line,
	) {
		line.place(this, this.state);
	}

	/** @throws if this state must not follow the current one */
	become(state: State) {
		assertTransition(transitions, this.state, state);
		this.state = state;
		this.line.place(this, state);
	}

	/** Ends an item whose request does not leave. */
	end(standing: Known) {
		this.become('known');
		this.wanted.known(standing);
	}

	/** Ends an item after an exception. Otherwise, the run would wait for the item forever. */
	readonly fail = (error: unknown) => {
		if (transitions[this.state].includes('known')) this.end({ error });
	};
}
