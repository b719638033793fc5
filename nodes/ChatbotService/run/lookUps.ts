import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client } from '../client/client';
import { findOperation } from '../resources';
import { labelsOf, requestOf } from '../resources/request';
import type { ReadyItem } from './lane';

/* What the service tells about the values of items, such as the types of a list's fields. A run requests each answer once. */

export class LookUps {
	private readonly requested = new Map<string, Promise<void>>();
	/** Rows of answers. */
	private readonly known = new Map<string, IDataObject>();

	constructor(private readonly client: Client) {}

	/** Completes the values of an item by what is known. @returns whether this has changed them */
	complete({ values }: ReadyItem): boolean {
		const lookUp = values.selection?.lookUp;
		const row = lookUp && this.known.get(keyOf(lookUp));
		return row ? lookUp.complete(row) : false;
	}

	/** Requests what an item needs. Without an answer, its values stay as they are: the service may lack this endpoint. */
	async learn({ values, sending }: ReadyItem, { signal, isPatient }: Caller): Promise<void> {
		const lookUp = values.selection?.lookUp;
		if (!lookUp) return;
		const key = keyOf(lookUp);
		const { resource, operation: name, parameters } = lookUp;
		const operation = findOperation(resource, name)!;
		const labels = labelsOf(operation, operation.fields);
		const request = requestOf(operation, { parameters, labels, limits: {}, sending, selection: undefined });
		// Not for the caller itself, whose run would stop after a refusal.
		const ask = async () => {
			const answer = await this.client.ask({ signal, isPatient }, request);
			if (typeof answer === 'object' && 'rows' in answer) this.known.set(key, answer.rows[0]!);
		};
		if (!this.requested.has(key)) this.requested.set(key, ask());
		await this.requested.get(key);
	}
}

const keyOf = (lookUp: object) => JSON.stringify(lookUp);
