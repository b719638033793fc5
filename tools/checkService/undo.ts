import { Unanswered, type Observation } from './call';
import type { ClaimName } from './claims';
import type { Session } from './session';

/* Removes what the check has made. Each thing is noted before the request that makes it, so that a lost answer leaves nothing behind. */

/** A thing that the check makes. */
export interface Made {
	/** In the report. */
	what: string;
	/** For the person alone. */
	name: string;
	/** Where the person can remove it. */
	where: string;
	/** @returns what to pass to `remove`, empty if it is gone; undefined if it cannot be read */
	find(): Promise<string[] | undefined>;
	/** Undefined if the API cannot remove it. */
	remove?(id: string): Promise<Observation>;
	/** What docs/openapi.yaml says about the removal. */
	claim?: ClaimName;
}

/** Waits before each look, in milliseconds. Between two looks, it is removed. */
const looks = [0, 0, 2000, 5000];

export class Undo {
	private made: Made[] = [];
	private readonly left: Made[] = [];

	constructor(private readonly session: Session) {}

	add(made: Made): Made {
		this.made.push(made);
		return made;
	}

	/** What is not known to be gone. */
	get remaining(): Made[] {
		return [...this.left, ...this.made];
	}

	/** Forgets a thing that was certainly not made. */
	forget(made: Made): void {
		this.made = this.made.filter((each) => each !== made);
	}

	/** Removes a thing, and looks whether it is gone. */
	async remove(made: Made): Promise<boolean> {
		const isGone = await this.isGone(made);
		this.forget(made);
		if (!isGone) this.left.push(made);
		return isGone;
	}

	/** Removes everything, the last first. */
	async removeAll(): Promise<void> {
		this.session.cleanUp();
		for (const made of [...this.made].reverse()) await this.remove(made);
	}

	private async isGone({ find, remove, claim }: Made): Promise<boolean> {
		let removal: Observation | undefined;
		for (const [look, waitMs] of looks.entries()) {
			if (waitMs) await this.session.sleep(waitMs);
			const found = await unlessUnanswered(find());
			if (claim && found && removal && !removal.failure)
				this.session.found(claim, !found.length, ['it is gone', 'it is still there']);
			if (found && !found.length) return true;
			if (found && !remove) return false;
			if (look === looks.length - 1) return false;
			for (const id of found ?? []) removal = await unlessUnanswered(remove!(id));
		}
		return false;
	}
}

/** Undefined without an answer. */
const unlessUnanswered = async <Value>(value: Promise<Value>): Promise<Value | undefined> =>
	await value.catch((error) => {
		if (error instanceof Unanswered) return undefined;
		throw error;
	});
