import type { IDataObject, IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { AnswerShape } from '../client/http/answer';
import type { Problem } from '../client/failure/failure';
import type { WireParameter } from '../client/http/placement';
import type { ServiceRequest } from '../client/http/request';
import type { Advice } from '../client/failure/advice';
import type { Left, Result } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import type { Kind } from './kind';

/* Everything that an operation and a field can say about themselves. CONTRIBUTING.md shows how to add one. */

/** For n8n's AI that builds workflows. Older versions of n8n, such as 2.8, ignore it. */
interface BuilderHint {
	builderHint?: { propertyHint: string };
}

/** A parameter of the node, with attributes that only this node reads. */
export interface Field extends INodeProperties, BuilderHint {
	/** Name of the parameter in the API, for a field that is sent. */
	routing?: { send: { property: string } };
	/** Conditions on other fields of the same operation. */
	displayOptions?: Pick<IDisplayOptions, 'show' | 'hide'>;
	/** Valid values. Set for each field that is sent, and for each other field whose value the node checks. */
	kind?: Kind;
	/**
	 * How its value tells the target of a request, which is what the request changes. Requests with the same target keep their order.
	 * - `id`: by an ID of the service
	 * - `person`: by a phone number or another ID of a person
	 * - `part`: together with others, such as the messenger of an ID
	 * - `key`: the same, by the value of a list's field
	 */
	target?: 'id' | 'person' | 'part' | 'key';
	/**
	 * For a value that names what is created or changed, where `target` does not say so: an expression must leave no part of it empty.
	 * - `all`: no part at all
	 * - `each`: no part of one of its names; a whole name may be left out
	 * - `keys`: no part of a name in its JSON
	 */
	whole?: 'all' | 'each' | 'keys';
	/** The field that it is for an item, if its name in the API depends on the values before it. */
	variantFor?(sent: WireValues): Field | undefined;
	/** Puts its value together from others. Without it, `kind` reads the value of the parameter. */
	compose?(values: FieldReader): WireParameter['value'];
	/** What to do in place of entering a value, if the field is empty. */
	adviceIfEmpty?: string;
	/** For an optional field: whether its request concerns more without a value, so that an expression must not leave it empty. */
	narrows?: true;
	/** What its value refers to, such as 'contact with this ID'; completes the message "No … in this account". */
	whatItIs?: string;
}

/** One operation of the node, with everything that is particular to its endpoint. */
export type Operation = OperationBase & (ReadOperation | ChangeOperation);

/** An operation that changes nothing in the service. */
interface ReadOperation extends Pick<ServiceRequest, 'pageSize' | 'shape' | 'alsoInQuery'> {
	answer: 'many' | 'one';
	advice?: undefined;
}

/** An operation that changes something. If its outcome is unknown, its own advice says what to do. */
interface ChangeOperation {
	answer: Exclude<AnswerShape, ReadOperation['answer']>;
	advice: OwnAdvice;
	pageSize?: undefined;
	shape?: undefined;
	alsoInQuery?: undefined;
}

interface OwnAdvice extends Advice {
	/** Whether two identical requests have the same effect as one. */
	doesNoHarm?: true;
}

/** For a change that the node may repeat. @param what may have happened, and what doing it again is */
export const harmless = (what: string): OwnAdvice => ({
	unknown: `${what} does no harm: run this item again later.`,
	doesNoHarm: true,
});

/** For a change that must not be done twice. @param what may have happened @param where people can see it */
export const mayBeDone = (what: string, where: string): OwnAdvice => ({
	unknown: `${what}, so the node did not try again. Look at ${where} first.`,
});

/** The name in the API of a field that is sent. */
export const wireNameOf = ({ routing }: Field): string => routing!.send.property;

/** The values of an item that are sent, by wire name. */
export class WireValues extends Map<string, WireParameter['value']> {
	of(field: Field): WireParameter['value'] {
		return this.get(wireNameOf(field));
	}
}

/** What an item does when its turn comes, with the values that were checked before. A failure is a value, and so is that its run has ended. */
export type Steps = (requests: Requests) => Promise<Result | Left>;

/** The requests that an item makes in its steps. */
export interface Requests extends Reads {
	/** What the item sends without steps. */
	readonly own: ServiceRequest;
	/** Number of results that the user wants; undefined for all. */
	readonly most: number | undefined;
	/**
	 * Sends a request for this item alone.
	 *
	 * @param most number of rows that are enough; by default what the user wants
	 */
	ask(request: ServiceRequest, most?: number): Promise<Result | Left>;
	/** The rows of a list of one page that the run has read already; none if it could not be read. */
	known(list: ServiceRequest): IDataObject[] | undefined;
	/** How long a number of further requests takes at the account's pace, in milliseconds. */
	msFor(count: number): number;
	/** IDs of the records that the items of the run have saved so far. */
	readonly saved: Set<unknown>;
	/** Writes a line into n8n's log. */
	say(text: string): void;
}

interface Reads {
	/**
	 * Reads a list together with the other items of the run: each page is requested once, when the first of them needs it. The last page
	 * can be a failure, which does not stop the run. Rows belong to all readers: do not change them.
	 *
	 * @param most number of rows that are enough, whichever they are
	 */
	read(list: ServiceRequest, most?: number): AsyncIterable<Result | Left>;
}

/** Completes the row of an item that is done. @returns the row, and what the user should know about it */
export type Completion = (requests: Reads) => Promise<{ row?: IDataObject; notice?: string }>;

/** What both have. */
interface OperationBase {
	/** The entry in the Operation parameter, with the HTTP method and the URL of the endpoint. */
	option: INodePropertyOptions &
		BuilderHint & {
			value: string;
			routing: { request: Pick<ServiceRequest, 'method' | 'url'> };
		};
	fields: Field[];
	/** Wire names of which at least one must have a value. Empty ones are not sent. */
	atLeastOneOf?: string[];
	/** For a POST with its parameters in the query: `ifShort` if they may travel as a JSON body when they are too long for it. */
	inQuery?: 'always' | 'ifShort';
	/** For a message: the limits that it counts towards besides the account's, and what the user should know if the service accepts it. */
	message?(sent: WireValues, values: FieldReader): { limits: Limits; notice: string | undefined };
	/** For an item that needs more than its request. Reads what is not sent, and returns what happens when the turn of the item comes. */
	steps?(sent: WireValues, values: FieldReader): Steps;
	/** For an operation that reads or changes, depending on the values: whether an item only reads. */
	reads?(sent: WireValues): boolean;
	/** For a change whose answer may lack the record: how to find it. Used once all items are sent, for rows without an `id`. */
	completes?(sent: WireValues): Completion;
	/** For an operation that sends a message to many people: the options of such a run. */
	broadcast?: Broadcast;
	/**
	 * For an operation that asks a person: the execution waits until the person has answered. n8n checks the signature of its links only
	 * if the value of the operation is `sendAndWait`.
	 */
	question?: {
		/** The field with the question. The message contains the link to the page below it. */
		text: Field;
		questionOf(sent: WireValues, values: FieldReader): Question;
	};
}

export interface Question {
	/** Heading of the page; empty for none. */
	title: string;
	/** Text below the question; empty for none. */
	description: string;
	/** How the person answers: with one of two buttons, the second of which is optional, or with a text. */
	form:
		{ type: 'approval'; approve: string; decline: string | undefined } | { type: 'freeText'; submit: string };
	/** Characters that one message can have. */
	longest: number;
	/** How long the execution waits: milliseconds, or until a point in time. Undefined without a limit. */
	waitLimit: number | Date | undefined;
}

export interface Broadcast {
	/** The parameter with the user's value of 'Send Once Per': under one value each target gets at most one request. */
	sendOncePer: Field;
	/** The parameter with the people who may get a message. */
	allowedRecipients: Field;
	/** The parameter with the time zone of a recipient, in 'Sending Hours'. */
	timeZone: Field;
	ofRun: { [Name in keyof OptionsOfRun]-?: RunOption<NonNullable<OptionsOfRun[Name]>> };
	/** Names the person who tries a run. */
	tester: Field;
	/** What a test run shows in place of sending. @param parameters of the message */
	preview(parameters: WireParameter[]): IDataObject;
	/** The message for the person who tries the run. @param parameters as above @param tester as in `TestRun` */
	toTester(
		parameters: WireParameter[],
		tester: WireParameter['value'],
	): Pick<ServiceRequest, 'parameters' | 'labels'>;
}

/** What the options of a broadcast say about the whole run, not about an item. */
export interface OptionsOfRun {
	/** The hours of the day in which its requests may leave, in the time zone of each recipient; any time by default. */
	hours?: SendingHours;
	testRun?: TestRun;
	/** To how many different people it may send; any number by default. */
	mostRecipients?: number;
}

/** An option that must be the same for all items of a run. */
export interface RunOption<Value> {
	field: Field;
	/** Undefined if it is wrong. Called only if the user has added the option. */
	read(values: FieldReader): Value | undefined;
	/** What to do if users want several values of it. */
	instead?: string;
}

/** A run in which nobody gets a message except the person who tries it. */
export interface TestRun {
	/** The contact ID or phone number to which the first messages go; undefined if none are sent. */
	tester: IDataObject[string] | undefined;
	/** Whether a user has typed the person, and no expression decides who it is. */
	isFixed: boolean;
	/** How many of the first messages go there. */
	messages: number;
}

/** Times of the day such as 09:00. If `until` is before `from`, the hours last over midnight. */
export interface SendingHours {
	from: string;
	until: string;
}

/**
 * What a value is for. It decides who may leave the value or a part of it empty: see `demands` in run/values/itemValues.ts. Without a
 * condition, or without a part of it, more would match than the user means.
 */
export type Demand = 'optional' | 'needed' | 'condition' | 'whole';

/**
 * Reads the values of an item and collects what is wrong with them. Each field is read where it stands in the operation, also within
 * options, and errors name it as the editor does, such as 'Sending Hours: From'. The name of a field that stands nowhere is its path.
 */
export interface FieldReader {
	/** The value of a field as its kind reads it; undefined if it is empty or wrong. @param demand `optional` by default */
	read(field: Field, demand?: Demand): WireParameter['value'];
	/** The same for a value that stands in no parameter, so that no part of it can be empty. */
	check(field: Field, found: unknown, demand?: Demand): WireParameter['value'];
	/** Reads the rows of a field that has several, one by one. */
	rowsOf(field: Field): FieldReader[];
	/** A parameter as it stands in the workflow. Undefined for an option that the user has not added. */
	rawOf(field: Field): unknown;
	/** How errors name a field. */
	labelOf(field: Field): string;
	input: IDataObject;
	/** Whether a model of an AI agent waits for the result. */
	forModel: boolean;
	/** What is wrong so far, each value by itself or several together. */
	problems: Problem[];
}

/** Whether an operation changes nothing in the service. @param sent values of an item */
export const isReading = ({ answer, reads }: Operation, sent?: WireValues): boolean =>
	answer === 'many' || answer === 'one' || (sent !== undefined && reads?.(sent) === true);

/** Whether two identical requests have the same effect as one, so that the node may repeat the request. */
export const isIdempotent = (operation: Operation): boolean =>
	isReading(operation) || operation.advice?.doesNoHarm === true;

/** Operations of one resource, with what the Resource and Operation parameters show. */
export interface Resource {
	option: INodePropertyOptions & { value: string };
	operations: Operation[];
	defaultOperation: Operation;
}
