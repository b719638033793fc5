import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client } from '../client/client';
import { hasFailed, isDone, type Left, type Result } from '../client/failure/result';
import type { ServiceRequest } from '../client/http/request';
import type { CheckedValues } from './values/check';

/** A list that several items of a run read together. Each page is requested when the first item needs it, and kept for the others. */
class SharedList {
	private readonly pages: Array<Promise<IteratorResult<Result | Left, void>>> = [];
	/** The rows of its first page, once they are there; none if it cannot be read. */
	first: IDataObject[] | undefined;
	/** Whether it has ended before the end of the list. */
	isBroken = false;

	constructor(private readonly source: AsyncGenerator<Result | Left, void>) {}

	/** The pages from the first one on. */
	async *read(): AsyncGenerator<Result | Left, void> {
		for (let page = 0; ; page++) {
			const { value, done } = await (this.pages[page] ??= this.next());
			if (done) return;
			yield value;
		}
	}

	private async next() {
		const next = await this.source.next();
		if (next.done) return next;
		this.isBroken ||= typeof next.value === 'string' || hasFailed(next.value);
		this.first ??= isDone(next.value) ? next.value.rows : [];
		return next;
	}
}

/** The lists that the items of a run read. Those of items that were added here go when no item can ask for them again. */
export class SharedLists {
	private readonly latest = new Map<string, SharedList>();
	/** Items that send the same read the same lists: how many of them have not ended, and the keys of these lists. */
	private readonly groups = new Map<string, { items: number; keys: Set<string> }>();
	private isComplete = false;

	/** @param isShared whether several items read; one alone keeps no list */
	constructor(
		private readonly client: Client,
		private readonly caller: Caller,
		private readonly isShared: boolean,
	) {}

	add(item: ListReader) {
		const { items, keys } = this.groupOf(item) ?? { items: 0, keys: new Set() };
		this.groups.set(nameOf(item), { items: items + 1, keys });
	}

	/** Call it when all items were added. Until then, an item that is still to come may ask for what others have read. */
	complete() {
		this.isComplete = true;
		for (const name of this.groups.keys()) this.dropUnused(name);
	}

	ended(item: ListReader) {
		const group = this.groupOf(item);
		if (!group) return;
		group.items--;
		this.dropUnused(nameOf(item));
	}

	private dropUnused(name: string) {
		const { items, keys } = this.groups.get(name)!;
		if (items || !this.isComplete) return;
		this.groups.delete(name);
		for (const key of keys) this.latest.delete(key);
	}

	/** Most runs have none, and the values of their items can be long. */
	private groupOf(item: ListReader) {
		return this.groups.size ? this.groups.get(nameOf(item)) : undefined;
	}

	/** The pages of a list. Parameters: `Client.pages`. */
	read(
		list: ServiceRequest,
		part: Parameters<Client['pages']>[2] = {},
		item?: ListReader,
	): AsyncGenerator<Result | Left, void> {
		const pages = () => this.client.pages(this.caller, list, part);
		if (!this.isShared && list.answer !== 'one') return pages();
		const key = keyOf(list, part.most);
		if (item && list.answer !== 'one') this.groupOf(item)?.keys.add(key);
		const known = this.latest.get(key);
		if (known && !known.isBroken) return known.read();
		const shared = new SharedList(pages());
		this.latest.set(key, shared);
		return shared.read();
	}

	known(list: ServiceRequest): IDataObject[] | undefined {
		return this.latest.get(keyOf(list))?.first;
	}
}

/** What an item sends that reads a list. */
type ListReader = Pick<CheckedValues, 'parameters' | 'sending'>;

const nameOf = ({ parameters, sending }: ListReader) => JSON.stringify([parameters, sending]);

const keyOf = ({ url, parameters, sending }: ServiceRequest, most?: number) =>
	JSON.stringify([url, parameters, sending, most]);
