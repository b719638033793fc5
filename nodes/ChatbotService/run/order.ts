/** Keeps the item order of requests that change the same target: each starts after the one before has ended. */
export class Order {
	/** The latest item of each target. */
	private readonly latest = new Map<string | undefined, number>();
	/** Starts the item that waits for another. */
	private readonly next = new Map<number, () => void>();

	/**
	 * Notes an item. Call it in item order.
	 *
	 * @param target what the item changes, if it changes an existing record
	 * @returns its turn; undefined if the item may start now
	 */
	add(item: number, target: string | undefined): Promise<void> | undefined {
		if (target === undefined) return undefined;
		const before = this.latest.get(target);
		this.latest.set(target, item);
		return before === undefined ? undefined : new Promise((start) => this.next.set(before, start));
	}

	/** Notes that an item has ended. The next one of the same target starts. */
	ended(item: number, target: string | undefined) {
		this.next.get(item)?.();
		this.next.delete(item);
		if (this.latest.get(target) === item) this.latest.delete(target);
	}
}
