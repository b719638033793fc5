import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client } from '../client/client';
import type { Left, Result } from '../client/failure/result';
import type { ServiceRequest } from '../client/http/request';
import { beforeOthers, type Slot } from '../client/pace/scheduler';
import type { Operation, Requests, Steps } from '../resources/operation';
import { requestOf } from '../resources/operationRequest';
import type { Readings } from './readings';
import type { Slices } from './slices';
import type { CheckedValues } from './values/check';

/* The requests of one item, in the order of its steps. */

/** From this number of requests on, a run waits for longer trouble: it would lose too much. */
const manyRequests = 10;

/** What an item shares with the others of its run. */
export interface RequestsRun {
	prepared: { client: Client; operation: Operation };
	caller: Caller;
	readings: Readings;
	/** Hundreds of items can look through the same page. */
	slices: Slices;
	saved: Set<unknown>;
	tell(text: string): void;
}

const oneRequest: Steps = async ({ ask, own }) => await ask(own);

export class ItemRequests implements Requests {
	/** Whether a request of the item has been handed to the client, so that it may have left. */
	hasLeft = false;
	private count = 0;

	/** @param slot of the first request, if the item has waited for it */
	constructor(
		private readonly run: RequestsRun,
		private readonly values: CheckedValues,
		private slot?: Slot,
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

	/** How the item ends. A slot that none of its requests has taken is free again. */
	async end(): Promise<Result | Left> {
		try {
			return await (this.values.steps ?? oneRequest)(this);
		} finally {
			const slot = this.takeSlot();
			slot?.scheduler.release(slot);
		}
	}

	ask = async (request: ServiceRequest, most = this.most): Promise<Result | Left> => {
		const { client } = this.run.prepared;
		const way = this.begin();
		this.hasLeft = true;
		return await client.request(this.run.caller, this.with(request), { most, ...way });
	};

	async *read(list: ServiceRequest, most?: number): AsyncGenerator<Result | Left, void> {
		const { readings, slices } = this.run;
		const way = this.begin();
		for await (const page of readings.read(
			{ ...this.with(list), mayFail: true },
			{ most, ...way },
			this.values,
		)) {
			await slices.next();
			yield page;
		}
	}

	known(list: ServiceRequest): IDataObject[] | undefined {
		return this.run.readings.known(this.with(list));
	}

	msFor(count: number): number {
		return (count / this.run.prepared.client.leaving({}, 1000)) * 1000;
	}

	say(text: string) {
		this.run.tell(text);
	}

	/** A request with the options of the user. */
	private with(request: ServiceRequest): ServiceRequest {
		return { ...request, sending: this.values.sending };
	}

	/** How the next request of the item waits: an item that has begun goes on before others begin. */
	private begin(): { slot: Slot | undefined; behind: number } {
		if (++this.count === manyRequests) this.run.caller.isPatient = true;
		return { slot: this.takeSlot(), behind: this.count > 1 ? beforeOthers : 0 };
	}

	private takeSlot(): Slot | undefined {
		const { slot } = this;
		this.slot = undefined;
		return slot;
	}
}
