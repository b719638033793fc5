import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { AnswerShape } from '../client/answer';
import type { ServiceRequest } from '../client/client';
import type { Advice, Expected } from '../client/advice';
import type { Limits } from '../client/pace/limits';
import type { Kind } from './kinds';

/** A parameter of the node, with what has to be known of it beyond the editor. */
export interface Field extends INodeProperties {
	/** One that travels has its name in the interface here. */
	routing?: { send: { property: string } };
	/** What has to be chosen in other fields of the same operation. */
	displayOptions?: { show: NonNullable<IDisplayOptions['show']> };
	/** What may stand in it, for every field that travels, and for others that take expressions. */
	kind?: Kind;
	/**
	 * What its value names, of all that the service knows:
	 * - `target`: what the request changes, such as a contact; requests that change the same thing keep their order
	 * - `person`: the same, by a phone number or another ID
	 * - `partOfTarget`: what a target's name is read with, such as the messenger of an ID
	 * - `existing`: something else that must be there, such as a bot
	 * - `new`: something that may come about by the request, such as a tag
	 */
	names?: 'target' | 'person' | 'partOfTarget' | 'existing' | 'new';
	/** What there is none of when the service finds nothing under its value, such as 'contact with this ID'. */
	whatItIs?: string;
}

/** What has to be there for a request with this field to succeed. */
export const expectedBy = ({ displayName: label, whatItIs }: Field): Expected[] =>
	whatItIs ? [{ label, whatItIs }] : [];

/**
 * One operation of the node: everything that is particular to one endpoint of the service.
 *
 * `fields` may hold the same object as another operation's `fields`: it then becomes one parameter that is shown for both (see
 * `describeResources`).
 */
export interface Operation {
	/** The entry of the Operation parameter, method and URL included. */
	option: INodePropertyOptions & {
		value: string;
		routing: { request: Pick<ServiceRequest, 'method' | 'url'> };
	};
	/** The parameters, in the editor's order. */
	fields: Field[];
	/** Wire names of which at least one must have a value; the empty ones are left out. */
	atLeastOneOf?: string[];
	/** Where the interface wants the parameters: all of an operation travel in the same place. */
	place: 'query' | 'body';
	answer: AnswerShape;
	/**
	 * Limits of the service that requests of this operation count towards, beside the account's.
	 *
	 * @param values by wire name
	 * @param control the item's value of a parameter that does not travel, if it has one
	 */
	limits?: (values: ReadonlyMap<string, unknown>, control: (parameter: string) => unknown) => Limits;
	/** Whether repeating the request leaves the service as one request does, so that it may be repeated on its own. */
	idempotent: boolean;
	/** The field whose value may come about by the request, though others want it to be there. */
	creates?: Field;
	/** What the user is told of a failure in words of the operation; those for reading are the client's. */
	advice?: Advice;
	/** The parameter under whose value each target gets the request at most once, whatever runs again. */
	sendOncePer?: { path: string; field: Field };
	/** Whether the parameters in the query may travel as a JSON body instead when the request target gets long. */
	longInBody?: boolean;
}

/** Whether an operation changes nothing at the service. */
export const isReading = ({ option }: Operation): boolean => option.routing.request.method === 'GET';

/** Operations of one resource, with what the Resource and Operation parameters show. */
export interface Resource {
	option: INodePropertyOptions & { value: string };
	operations: Operation[];
	/** The operation that is chosen when the resource is. */
	defaultOperation: Operation;
}
