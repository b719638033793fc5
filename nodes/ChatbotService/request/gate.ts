import { sleep } from 'n8n-workflow';

/** What the gate tells an item when all have been checked. */
export type Passage =
	| 'go'
	/** Another item's values are invalid, and the run is to stop then. */
	| 'othersInvalid'
	/** The engine could not evaluate an expression of another item; it drops the answers of all. */
	| 'notAllCame';

/**
 * Holds the items of a run until all of them have been checked, so that nothing leaves when something is wrong.
 *
 * It rests on the engine's loop over the items, which starts each item's request without waiting for anything: whoever
 * joins does so before the first timer can fire. An item that has not joined by then never will, because the loop ended
 * at an expression of it. With the user's own batching the loop does wait; a run then has no gate.
 */
export class Gate {
	private joined = 0;

	private invalid = 0;

	private verdict: Promise<boolean> | undefined;

	/** @param expected number of items in the run */
	constructor(private readonly expected: number) {}

	/**
	 * Must be called before the caller waits for anything.
	 *
	 * @param valid whether the item's own values are
	 */
	async join(valid: boolean): Promise<Passage> {
		this.joined++;
		if (!valid) this.invalid++;
		this.verdict ??= sleep(0).then(() => this.joined >= this.expected);
		if (!(await this.verdict)) return 'notAllCame';
		return this.invalid > 0 ? 'othersInvalid' : 'go';
	}
}
