import type { Caller, Client } from '../client/client';
import type { Problem } from '../client/failure';
import type { Left, Result } from '../client/result';
import { findOperation } from '../resources';
import { labelsOf, requestOf } from '../resources/request';
import type { ReadyItem } from './lane';

/* What the service tells about the values of items before they leave, such as the types of a list's fields. */

/** The answers of one run. Items that need the same answer share one request. */
export class LookUps {
	private readonly answers = new Map<string, Promise<Result | Left>>();

	constructor(private readonly client: Client) {}

	/** Completes the values of an item. Without an answer, they stay as they are: the service may lack this endpoint only. */
	async complete(item: ReadyItem, caller: Caller): Promise<ReadyItem | { problems: Problem[] }> {
		const { lookUp } = item.values;
		if (!lookUp) return item;
		const key = JSON.stringify([lookUp, item.sending]);
		const answer = await (this.answers.get(key) ?? this.ask(key, item, caller));
		const problems = typeof answer === 'object' && 'rows' in answer ? lookUp.complete(answer.rows[0]!) : [];
		return problems.length ? { problems } : item;
	}

	private ask(key: string, { values, sending }: ReadyItem, { signal, isPatient }: Caller) {
		const { resource, operation: name, parameters } = values.lookUp!;
		const operation = findOperation(resource, name)!;
		const labels = labelsOf(operation, operation.fields);
		const request = requestOf(operation, { parameters, labels, limits: {}, sending, selection: undefined });
		// Not for the caller itself, which would stop the run after a refusal.
		const answer = this.client.ask({ signal, isPatient }, request);
		this.answers.set(key, answer);
		return answer;
	}
}
