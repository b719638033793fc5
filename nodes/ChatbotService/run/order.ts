/** Who goes after whom: what changes the same thing leaves in item order, the next only after the one before has ended. */
export class Order {
	/** The latest item of each target. */
	private readonly latest = new Map<string | undefined, number>();

	/** The next item of the same target. */
	private readonly next = new Map<number, number>();

	/**
	 * Notes an item; they come in their order.
	 *
	 * @param target what it changes, if it changes what is there already
	 * @returns whether it may go at once; else `ended` names it when its time has come
	 */
	add(item: number, target: string | undefined): boolean {
		if (target === undefined) return true;
		const before = this.latest.get(target);
		this.latest.set(target, item);
		if (before === undefined) return true;
		this.next.set(before, item);
		return false;
	}

	/** Notes that an item has ended. @returns the item that may go now, if one waited for it */
	ended(item: number, target: string | undefined): number | undefined {
		const next = this.next.get(item);
		this.next.delete(item);
		if (this.latest.get(target) === item) this.latest.delete(target);
		return next;
	}
}
