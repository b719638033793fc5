/** Keeps the item order of requests that change the same target: each starts after the one before has ended. */
export class Order {
	/** The latest item of each target. */
	private readonly latest = new Map<string | undefined, number>();
	/** The next item with the same target. */
	private readonly next = new Map<number, number>();

	/**
	 * Notes an item. Call it in item order.
	 *
	 * @param target what the item changes, if it changes an existing record
	 * @returns whether the item may start now; otherwise `ended` returns it later
	 */
	add(item: number, target: string | undefined): boolean {
		if (target === undefined) return true;
		const before = this.latest.get(target);
		this.latest.set(target, item);
		if (before === undefined) return true;
		this.next.set(before, item);
		return false;
	}

	/** Notes that an item has ended. @returns the item that was waiting for it, if any */
	ended(item: number, target: string | undefined): number | undefined {
		const next = this.next.get(item);
		this.next.delete(item);
		if (this.latest.get(target) === item) this.latest.delete(target);
		return next;
	}
}
