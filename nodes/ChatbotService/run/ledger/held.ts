import { namesIn, type End, type Standing } from './entries';
import { assertTransition, type Transitions } from './states';

/*
 * The states of a recipient within this process. The other runs of the process wait until it is free.
 *
 *     free ──▶ looking ──▶ claimed ──▶ confirmed ──▶ recording
 *      ▲          │           │                          │
 *      │          ├───────────┼───────▶ removing ◀───────┘
 *      │          │           │            │
 *      └──────────┴───────────┴────────────┘
 *
 * Its message leaves while it is "confirmed". It stays "removing" until its obsolete entries are removed.
 */

export type State = 'free' | 'looking' | 'claimed' | 'confirmed' | 'recording' | 'removing';

const transitions: Transitions<State> = {
	free: ['looking'],
	// Free at once: another process has claimed it, no run wants it any more, or the call has failed.
	looking: ['claimed', 'removing', 'free'],
	// Claimed again: another process has overwritten the claim.
	claimed: ['claimed', 'confirmed', 'removing', 'free'],
	confirmed: ['recording'],
	recording: ['removing'],
	removing: ['free'],
};

export class Recipient {
	state: State = 'free';

	/** Whether the run that looks for it still wants it. If not, its claim is released. */
	isWanted!: () => boolean;

	/** Tells the run the state of the recipient. */
	found!: (standing: Standing) => void;

	/** Tells the run why the store has failed. */
	failed!: (error: unknown) => void;

	/** The tickets of all calls that have claimed it. */
	readonly tickets: string[] = [];

	/** How its message has ended. */
	end: End = 'notSent';

	/** Tells the run whether the end is in the store. */
	recorded: (isRecorded: boolean) => void = () => {};

	private free: Promise<void> | undefined;

	private onFree = () => {};

	constructor(
		readonly key: string,
		private readonly held: Map<string, Recipient>,
	) {}

	/** @throws if this state must not follow the current one */
	become(state: State) {
		assertTransition(transitions, this.state, state);
		this.state = state;
		const isFree = state === 'free';
		for (const name of namesIn(this.key)) {
			if (isFree) this.held.delete(name);
			else this.held.set(name, this);
		}
		if (isFree) this.onFree();
	}

	/** Resolves when the recipient is free. Undefined if it is free now. */
	whenFree(): Promise<void> | undefined {
		if (this.state === 'free') return undefined;
		return (this.free ??= new Promise((resolve) => (this.onFree = resolve)));
	}

	/** Whether a run waits until the recipient is free. */
	get isAwaited(): boolean {
		return this.free !== undefined;
	}
}

/** The recipients that runs of this process look for or have claimed, by each of their names. */
export class Held {
	private readonly recipients = new Map<string, Recipient>();

	/** The recipient of a key; a free one if no run has it. */
	of(key: string): Recipient {
		const held = namesIn(key).flatMap((name) => this.recipients.get(name) ?? []);
		return held[0] ?? new Recipient(key, this.recipients);
	}
}
