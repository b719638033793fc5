import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client, Way } from '../client/client';
import type { Left, Result } from '../client/failure/result';
import type { ServiceRequest } from '../client/http/request';
import { beforeOthers } from '../client/pace/scheduler';
import type { Operation, Requests, Steps } from '../resources/operation';
import { requestOf } from '../resources/operationRequest';
import type { SharedLists } from './sharedLists';
import type { Slices } from './slices';
import type { CheckedValues } from './values/check';

/* The requests of one item, in the order of its steps. */

/** From this number of requests on, a run waits for longer trouble: it would lose too much. */
const manyRequests = 10;

/** What an item shares with the others of its run. */
interface RequestsRun {
	prepared: { client: Client; operation: Operation };
	caller: Caller;
	lists: SharedLists;
	/** Hundreds of items can look through the same page. */
	slices: Slices;
	saved: Set<unknown>;
	on: { tell(text: string): void };
}

const oneRequest: Steps = async ({ ask, own }) => await ask(own);

export class ItemRequests implements Requests {
	/** Whether a request of the item has left. */
	hasLeft = false;
	private count = 0;

	/** @param first how its first request waits, and what is called when it leaves */
	constructor(
		private readonly run: RequestsRun,
		private readonly values: CheckedValues,
		private readonly first: Way = {},
	) {}

	get own(): ServiceRequest {
		return requestOf(this.run.prepared.operation, this.values);
	}

	get saved(): Set<unknown> {
		return this.run.saved;
	}

	get most(): number | undefined {
		return this.values.limit;
	}

	/** How the item ends. */
	async end(): Promise<Result | Left> {
		return await (this.values.steps ?? oneRequest)(this);
	}

	ask = async (request: ServiceRequest, most = this.most): Promise<Result | Left> => {
		const { client } = this.run.prepared;
		return await client.request(this.run.caller, this.with(request), { most, ...this.way() });
	};

	async *read(list: ServiceRequest, most?: number): AsyncGenerator<Result | Left, void> {
		const { lists, slices } = this.run;
		for await (const page of lists.read(
			{ ...this.with(list), mayFail: true },
			{ most, ...this.way() },
			this.values,
		)) {
			await slices.next();
			yield page;
		}
	}

	known(list: ServiceRequest): IDataObject[] | undefined {
		return this.run.lists.known(this.with(list));
	}

	msFor(count: number): number {
		return (count / this.run.prepared.client.leaving({}, 1000)) * 1000;
	}

	say(text: string) {
		this.run.on.tell(text);
	}

	/** A request as one of this item. */
	private with(request: ServiceRequest): ServiceRequest {
		const { sending, reads } = this.values;
		return { ...request, sending, ofChange: !reads };
	}

	/** How the next request of the item waits: an item that has begun goes on before others begin. */
	private way(): Way {
		if (++this.count === manyRequests) this.run.caller.isPatient = true;
		const left = () => {
			this.hasLeft = true;
			this.first.left?.();
		};
		return { ...this.first, ...(this.count > 1 && { behind: beforeOthers }), left };
	}
}
