import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Limits } from './limits';

/** What an item turns into when the service has answered. */
export type AnswerShape =
	/** One item per element of `data`, over all pages. Tags, plain strings at the service, become `{ name }`. */
	| 'many'
	/** One item: the object answered, taken out of `data` when it is wrapped. */
	| 'one'
	/** One item: as 'one', or `{ success: true }` when the service answered with nothing. */
	| 'created'
	/** One item: what the service answered, or `{ success: true }` when it answered with nothing. */
	| 'done'
	/** One item: `{ deleted: true }`. */
	| 'deleted';

/**
 * One operation of the node: everything that is particular to one endpoint of the service.
 *
 * `fields` may hold the same object as another operation's `fields`: it then becomes one parameter shown for both
 * (see `describeResources`).
 */
export interface Operation {
	/** The entry of the Operation parameter, method and URL included. */
	option: INodePropertyOptions & { value: string };
	/** The parameters, in the editor's order; `displayOptions` hold only what depends on other fields. */
	fields: INodeProperties[];
	/** Wire names of which at least one must have a value; the empty ones are left out. */
	atLeastOneOf?: string[];
	/** Where the interface wants the parameters: all of an operation travel in the same place. */
	place: 'query' | 'body';
	answer: AnswerShape;
	/**
	 * Limits of the service that requests of this operation count towards, beside the account's (interface, section 8).
	 *
	 * @param values by wire name
	 * @param control the item's value of a parameter that does not travel
	 */
	limits?: (values: ReadonlyMap<string, unknown>, control: (parameter: string) => unknown) => Limits;
	/** Whether repeating the request leaves the service as one request does, so that it may be repeated on its own. */
	repeatable: boolean;
	/** Whether the parameters in the query may travel as a JSON body instead when the request target gets long. */
	longInBody?: boolean;
}

/** Operations of one resource, with what the Resource and Operation parameters show. */
export interface Resource {
	option: INodePropertyOptions & { value: string };
	operations: Operation[];
	/** The operation that is chosen when the resource is. */
	defaultOperation: Operation;
}
