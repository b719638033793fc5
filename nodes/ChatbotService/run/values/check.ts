import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import type { Labels } from '../../client/http/answer';
import type { Sending } from '../../client/http/request';
import type { Problem } from '../../client/failure/failure';
import type { Limits } from '../../client/pace/limits';
import type { WireParameter } from '../../client/http/placement';
import { isExpression, isObject } from '../../shared/values';
import { limit, returnAll, text } from '../../resources/fields';
import { toOneRecipient, withPlaceholder } from '../../resources/message/warnings';
import {
	isReading,
	WireValues,
	wireNameOf,
	type Completion,
	type Field,
	type Operation,
	type Question,
	type Steps,
} from '../../resources/operation';
import { anyRow, placesIn, type FieldPlace } from '../../resources/places';
import { labelsOf } from '../../resources/operationRequest';
import { withoutValues } from '../../resources/problems';
import { AllowedRecipients } from './allowedRecipients';
import { ItemValues, type Setting } from './itemValues';
import { nothingToSend, sentTwice } from './valueProblems';
import { valueAt, type Values } from './expressions';
import { sendingOf } from './requestOptions';
import { problemsOfModel, RunOptions, type OptionsAdded } from './runOptions';
import { neverRepeatedIn, readSendOncePer, recipientKey } from './sendOncePer';
import { isName, namedBy, namesTarget } from './target';

/*
 * Checks an item's values against the API: which fields apply, whether their values have the right types and whether any is
 * missing. The editor checks only what the user fills in, but expressions can return anything. It applies display options to the values
 * that the user selects, this file to those that the item has.
 */

/** An item's values as they may be sent. */
export interface CheckedValues {
	/** Whether the item changes nothing in the service. */
	reads: boolean;
	parameters: WireParameter[];
	/** Number of results that the user wants; undefined for all. */
	limit: number | undefined;
	labels: Labels;
	limits: Limits;
	sending: Sending;
	/** Requests with the same target change the same record, so they keep the order of their items. */
	target: string | undefined;
	/** Identifies a request that must not be repeated when its execution is retried: see `identityOf`. */
	identity: string;
	/** Identifies the target under the item's value of 'Send Once Per'; undefined if the item has no value. */
	dedupKey: string | undefined;
	/** The time zone of its recipient; undefined for a message that may leave at any time. */
	timeZone: string | undefined;
	/** What the item does when its turn comes; undefined for one request. */
	steps: Steps | undefined;
	/** How to find its record if the answer lacks it. */
	completion: Completion | undefined;
	/** What a person is asked; undefined for an operation that does not wait for an answer. */
	question: Question | undefined;
	/** What the user should know if the service accepts the request. */
	notice: string | undefined;
	/** Parts of its texts that are empty, such as "In 'Text', `{{ $json.name }}`". */
	emptyParts: ReadonlySet<string>;
}

export class Check {
	/** Paths, without row numbers, of the resource locators: parameters that users select from a list or type. */
	readonly locators: ReadonlySet<string>;
	/** The parameter of 'Send Once Per', if the user has added it. */
	readonly sendOncePer: Field | undefined;
	/** The options of the whole run. */
	readonly runOptions: RunOptions;
	private readonly allowedRecipients: AllowedRecipients | undefined;
	private readonly places: ReadonlyMap<Field, FieldPlace>;
	/** The fields that are sent. */
	private readonly wireFields: Field[];
	/** What is wrong with all items: options that have lost their values, or protect nobody. */
	private readonly ofAll: Problem[];
	/** The fields that decide which others apply. */
	private readonly deciding: Field[];
	/** The people that the items of a test run name, also those of invalid items, in one spelling each. */
	private readonly recipients = new Set<string>();
	/** Whether an item goes to a recipient that is not taken from the input, and whether a message contains a placeholder. */
	private readonly found = { fixedRecipient: false, placeholder: false };
	/** By the fields of an item and whether they have values. */
	private readonly labels = new Map<string, Labels>();

	/** @param raw the parameters as they stand in the workflow */
	constructor(
		private readonly operation: Operation,
		private readonly raw: Record<string, unknown>,
		private readonly setting: Setting,
	) {
		const { fields, broadcast } = operation;
		this.places = new Map(placesIn(fields));
		const placed = [...this.places];
		// An option that the user has not added would look like an expression that returns nothing.
		const added = (option?: Field) => (option && this.rawOf(option) !== undefined ? option : undefined);
		this.sendOncePer = added(broadcast?.sendOncePer);
		const allowed = added(broadcast?.allowedRecipients);
		const forModel = (option: Field) => problemsOfModel(option, this.rawOf(option), setting.forModel);
		this.allowedRecipients = allowed && new AllowedRecipients(allowed, forModel(allowed));
		const ofRun = Object.entries(broadcast?.ofRun ?? {}).filter(([, { field }]) => added(field));
		this.runOptions = new RunOptions(ofRun as OptionsAdded, forModel);
		this.wireFields = placed.map(([field]) => field).filter(({ routing }) => routing);
		// A bin of the editor removes the values of an option, and still shows its name. n8n stores an empty option if it has
		// `multipleValues: false`, and leaves it out otherwise.
		this.ofAll = placed
			.filter(([{ type }, { path }]) => type === 'fixedCollection' && path.includes('.'))
			.filter(([option]) => isEmptyObject(this.rawOf(option)))
			.map(([{ displayName }]) => withoutValues(displayName));
		const deciders = new Set(fields.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})));
		this.deciding = fields.filter(({ name }) => deciders.has(name));
		const locators = placed.filter(([{ type }]) => type === 'resourceLocator');
		this.locators = new Set(locators.map(([, { path }]) => path.replace(`${anyRow}.`, '')));
	}

	/** The item's values as they may be sent, or what is wrong with them. */
	valuesOf(values: Values): CheckedValues | { problems: Problem[] } {
		const { operation } = this;
		const item = this.itemOf(values);
		const { problems } = item;
		const applicable = this.applicableTo(item);
		if (!applicable) return { problems };
		const { wireFields, byName } = this.wireValuesOf(item, applicable);
		const { limits = {}, notice } = operation.message?.(byName, item) ?? {};
		const most = this.limitOf(item);
		const sendOncePerValue = this.sendOncePer && readSendOncePer(item, this.sendOncePer);
		const timeZone = this.runOptions.has('hours')
			? (item.readToSend(operation.broadcast!.timeZone, false) ?? this.setting.timezone)
			: undefined;
		const steps = operation.steps?.(byName, item);
		const question = operation.question?.questionOf(byName, item);
		if (operation.message) this.checkMessage(item, wireFields, byName);
		this.runOptions.check(item);
		problems.push(...this.ofAll);
		if (!problems.length) problems.push(...this.nothingToSendIn(byName));
		const sending = sendingOf(values, this.raw, operation);
		if ('problems' in sending) return { problems: [...problems, ...sending.problems] };
		if (problems.length) return { problems };
		const reads = isReading(operation, byName);
		const target = reads ? undefined : namedBy(wireFields.filter(namesTarget), byName);
		return {
			reads,
			parameters: [...byName].map(([name, value]) => ({ name, value })),
			limit: most,
			labels: this.labelsFor(wireFields, byName),
			limits,
			...sending,
			target,
			identity: namedBy(this.identifyingIn(wireFields), byName) ?? '',
			dedupKey: sendOncePerValue === undefined ? undefined : recipientKey(String(sendOncePerValue), target),
			timeZone: timeZone as string | undefined,
			steps,
			completion: operation.completes?.(byName),
			question,
			notice,
			emptyParts: item.emptyParts,
		};
	}

	/** What the user should know of the items that were read. @param count of all items of the run */
	warningsOf(count: number): string[] {
		const { fixedRecipient, placeholder } = this.found;
		const toOne = fixedRecipient && count > 1 && !this.runOptions.has('testRun');
		return [toOne ? toOneRecipient : '', placeholder ? withPlaceholder.warning : ''].filter(Boolean);
	}

	/** Reads the options of the run. Call it once, before `valuesOf`. */
	begin(first: Values) {
		const item = this.itemOf(first);
		this.runOptions.begin(item);
		if (this.sendOncePer) this.ofAll.push(...neverRepeatedIn(item, this.sendOncePer));
	}

	/** The parameter of a field as it stands in the workflow; undefined if the operation does not have the field. */
	rawOf(field: Field): unknown {
		const place = this.places.get(field);
		return place && valueAt(this.raw, place.path);
	}

	private itemOf(values: Values) {
		const { raw, places, setting } = this;
		return new ItemValues(values, { raw, places, ...setting });
	}

	/**
	 * Identifies what an item's request changes: for a message its recipient, not its text; for a deletion everything that it
	 * names. A run calls this before `valuesOf`, to read no other values of an item that is already done.
	 *
	 * @returns undefined if the values cannot be read
	 */
	identityOf(values: Values): string | undefined {
		const item = this.itemOf(values);
		const identifying = this.identifyingIn(this.applicableTo(item) ?? []);
		const { wireFields, byName } = this.wireValuesOf(item, identifying);
		return item.problems.length ? undefined : (namedBy(wireFields, byName) ?? '');
	}

	/** The fields that say what a request changes: its target, or everything that a deletion names. */
	private identifyingIn(wireFields: Field[]): Field[] {
		return this.operation.answer === 'deleted' ? wireFields : wireFields.filter(namesTarget);
	}

	/** The fields that apply. Undefined if a deciding value is invalid: then it is unknown which other values the item needs. */
	private applicableTo(item: ItemValues): Field[] | undefined {
		const decided = this.deciding.map((field) => [field.name, item.readDecision(field)]);
		if (item.problems.length) return undefined;
		const decisions = Object.fromEntries(decided) as INodeParameters;
		return this.wireFields.filter((field) => NodeHelpers.displayParameter(decisions, field, null, null));
	}

	/** The fields as the item has them, and their values. */
	private wireValuesOf(item: ItemValues, applicable: Field[]) {
		const byName = new WireValues();
		const wireFields: Field[] = [];
		for (const usual of applicable) {
			const field = usual.variantFor?.(byName) ?? usual;
			const name = wireNameOf(field);
			const isNeeded = field.required === true && !this.operation.atLeastOneOf?.includes(name);
			const value = item.readToSend(field, isNeeded);
			const other = wireFields.find((each) => wireNameOf(each) === name && byName.has(name));
			if (other && value !== undefined) item.problems.push(sentTwice(other, field));
			else if (value !== undefined) byName.set(name, value);
			wireFields.push(field);
		}
		return { wireFields, byName };
	}

	private checkMessage(item: ItemValues, wireFields: Field[], byName: WireValues) {
		const named = wireFields.find((field) => isName(field) && byName.of(field) !== undefined);
		if (!named) return;
		const isFixed = ({ name }: Field) => !isExpression(this.raw[name]);
		const messages = wireFields.filter((field) => wireNameOf(field) === wireNameOf(text) && isFixed(field));
		this.found.placeholder ||= messages.some((field) => withPlaceholder.found.test(String(byName.of(field))));
		this.found.fixedRecipient ||= isFixed(named);
		if (this.runOptions.has('testRun')) this.recipients.add(namedBy([named], byName)!);
		this.allowedRecipients?.check(item, named, byName.of(named));
	}

	/** Whether one of the items of a test run that were checked names this person. */
	isRecipient(field: Field, value: WireParameter['value']): boolean {
		return this.recipients.has(namedBy([field], new WireValues([[wireNameOf(field), value]]))!);
	}

	/** Kept, because most items of a run have values for the same fields. */
	private labelsFor(wireFields: Field[], values: WireValues): Labels {
		const filled = wireFields.filter((field) => values.of(field) !== undefined);
		const namesOf = (fields: Field[]) =>
			fields.map((field) => `${wireNameOf(field)} ${field.displayName}`).join();
		const key = `${namesOf(wireFields)};${namesOf(filled)}`;
		const labels = this.labels.get(key) ?? labelsOf(wireFields, filled);
		this.labels.set(key, labels);
		return labels;
	}

	/** 'Return All' and 'Limit' are not sent. They say when to stop requesting pages. */
	private limitOf(item: ItemValues): number | undefined {
		const isLimited = this.operation.fields.includes(limit) && item.read(returnAll) !== true;
		return isLimited ? (item.read(limit, 'needed') as number | undefined) : undefined;
	}

	private nothingToSendIn(values: WireValues): Problem[] {
		const names = this.operation.atLeastOneOf ?? [];
		if (!names.length || names.some((name) => values.has(name))) return [];
		return [nothingToSend(this.wireFields.filter((field) => names.includes(wireNameOf(field))))];
	}
}

const isEmptyObject = (stored: unknown) => isObject(stored) && !Object.keys(stored).length;
