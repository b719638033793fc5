import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client } from '../client/client';
import { findOperation } from '../resources';
import type { LookUp } from '../resources/operation';
import { labelsOf, requestOf } from '../resources/request';
import type { ReadyItem } from './queue';

/* What the service tells about the values of items, such as the types of a list's fields. A run requests each answer once. */

export class LookUps {
	private readonly requested = new Map<string, Promise<void>>();
	/** Rows of answers. */
	private readonly known = new Map<string, IDataObject>();

	/** One for all requests: the pace listens to the end of each caller. */
	private caller: Caller | undefined;

	constructor(private readonly client: Client) {}

	/** Completes the values of an item, also in a request, by what is known. @returns whether this has changed them */
	complete({ values }: ReadyItem): boolean {
		const lookUp = values.selection?.lookUp;
		const row = lookUp && this.known.get(keyOf(lookUp));
		return row ? lookUp.complete(row) : false;
	}

	/** Requests what an item needs, and completes its values. Without an answer they stay: the service may lack this endpoint. */
	async learn(item: ReadyItem, caller: Caller): Promise<boolean> {
		const lookUp = item.values.selection?.lookUp;
		if (!lookUp) return false;
		const key = keyOf(lookUp);
		if (!this.requested.has(key)) this.requested.set(key, this.request(lookUp, item, caller));
		await this.requested.get(key);
		return this.complete(item);
	}

	private async request(lookUp: LookUp, { sending }: ReadyItem, { signal, isPatient }: Caller) {
		const { resource, operation: name, parameters } = lookUp;
		const operation = findOperation(resource, name)!;
		const labels = labelsOf(operation.fields);
		const request = requestOf(operation, { parameters, labels, limits: {}, sending, selection: undefined });
		// Not for the caller itself, whose run would stop after a refusal.
		this.caller ??= { signal, isPatient };
		const answer = await this.client.request(this.caller, request);
		if (typeof answer === 'object' && 'rows' in answer) this.known.set(keyOf(lookUp), answer.rows[0]!);
	}
}

const keyOf = (lookUp: LookUp) => JSON.stringify(lookUp);
