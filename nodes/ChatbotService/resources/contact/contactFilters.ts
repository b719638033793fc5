import type { IDataObject } from 'n8n-workflow';

import { spelling } from '../../shared/values';
import { messengers, optionsOf, type Choice } from '../choices';
import { choiceOf, optional, readFilters } from '../fields';
import { takingLists, type Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader } from '../operation';
import { wrongPeriod } from '../problems';
import { tagsIn } from './shape';
import { byVariables, criteriaOfVariables } from './variables';

/* Which contacts 'Get Many' returns, and with what. How it looks for them: selection.ts. */

const date = (
	displayName: string,
	name: string,
	property: string,
	description: string,
	kind: Kind,
): Field => ({
	displayName,
	name,
	type: 'dateTime',
	default: '',
	description: `${description}. In the time zone of the workflow.`,
	routing: { send: { property } },
	kind,
});

const createdAfter = date(
	'Created After',
	'createdAfter',
	'date_from',
	'Contacts that were created at this time or later',
	kinds.unixTime,
);
const createdBefore = date(
	'Created Before',
	'createdBefore',
	'date_to',
	'Contacts that were created at this time or earlier, or on this day, such as 2026-11-30',
	kinds.endUnixTime,
);

/** @param purpose completes 'Tag names, separated by commas' */
export const tagNames = (displayName: string, name: string, purpose: string, more: Partial<Field> = {}) =>
	optional(displayName, name, kinds.names, {
		placeholder: 'e.g. VIP, Paid',
		description: `Tag names, separated by commas${purpose}`,
		...more,
	});

const byTags = (displayName: string, name: string, which: string) =>
	tagNames(displayName, name, `: only contacts that have ${which} of them`, { kind: kinds.wholeNames });

const hasAllTags = byTags('Has All Tags', 'hasAllTags', 'all');
const hasAnyTag = byTags('Has Any Tag', 'hasAnyTag', 'at least one');
const hasNoTags = byTags('Has No Tags', 'hasNoTags', 'none');

export const filtersByTag = [hasAllTags, hasAnyTag, hasNoTags];

export const byEmail = optional('Email', 'email', kinds.emailAddress, { placeholder: 'name@email.com' });

const byMessenger: Field = {
	displayName: 'Messenger',
	name: 'messenger',
	...choiceOf(messengers),
	default: 'telegram',
	description: 'Messenger in which the contact talks to the bot',
};

export const byPhone = optional('Phone', 'phone', kinds.phone, {
	placeholder: 'e.g. +79161234567',
	description: 'Phone number of the contact, with the country code',
});

const idOfPerson = kinds.messengerIdOrUsername(
	`Enter the number that the messenger gives the person, or look for the person by '${byPhone.displayName}'.`,
);

export const byMessengerId = optional('Messenger ID', 'messengerId', idOfPerson, {
	placeholder: 'e.g. 284119035',
	description: 'ID that Telegram, Viber or VK gives the person, or a username in Telegram',
});

const byName = optional('Name', 'name', kinds.trimmedName, {
	placeholder: 'e.g. Anna',
	description: 'Contacts whose name contains this text',
});

export const filters: Field = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'Only contacts that match all of these',
	options: [
		createdAfter,
		createdBefore,
		byEmail,
		hasAllTags,
		hasAnyTag,
		hasNoTags,
		byMessenger,
		byMessengerId,
		byName,
		byPhone,
		byVariables,
	],
};

const wantedBy = (values: FieldReader) =>
	readFilters(
		values,
		(filters.options as Field[])
			.filter((field) => values.rawOf(field) !== undefined)
			.map((field) => [field, field.compose ? field.compose(values) : values.read(field, 'condition')]),
		filters.displayName,
	);

/** What a filter requires of a contact. */
export interface Criterion {
	/** What it reads, if some services leave it out. */
	part?: 'tags' | 'variables';
	passes(contact: IDataObject): boolean;
	/** What it leaves out, if that is its purpose: the name, as people compare it, and in words. */
	leavesOut?: { name: string; words: string } | undefined;
	/** The tags of which it requires one, or which it leaves out. */
	tags?: string[];
	/** Whether it cannot compare the time of creation of a contact. */
	isUndated?(contact: IDataObject): boolean;
}

/** NaN, which is neither before nor after any time, if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : NaN;

/** The period too, because the service may ignore it or exclude its limits. */
const byTime = (isOutside: (created: number) => boolean): Criterion => ({
	passes: (contact) => !isOutside(createdAt(contact)),
	isUndated: (contact) => Number.isNaN(createdAt(contact)),
});

const hasAny = (tags: string[]) => {
	const wanted = tags.map(spelling);
	return (contact: IDataObject) => (tagsIn(contact.tags) ?? []).some((tag) => wanted.includes(spelling(tag)));
};

const withOneOf = (tags: string[]): Criterion => ({ part: 'tags', passes: hasAny(tags), tags });

function withoutTag(tag: string): Criterion {
	const hasIt = hasAny([tag]);
	return {
		part: 'tags',
		passes: (contact) => !hasIt(contact),
		leavesOut: { name: spelling(tag), words: `the tag '${tag}'` },
		tags: [tag],
	};
}

/** By the filters and their values. Those that name a contact are in `finders`. */
const criteriaBy = new Map<Field, (wanted: never) => Criterion[]>([
	[createdAfter, (from: number) => [byTime((created) => created < from)]],
	[createdBefore, (to: number) => [byTime((created) => created >= to + 1)]],
	[byMessenger, (wanted: string) => [{ passes: ({ messenger }) => spelling(messenger) === wanted }]],
	[byName, (wanted: string) => [{ passes: ({ name }) => spelling(name).includes(spelling(wanted)) }]],
	[byVariables, criteriaOfVariables],
	[hasAllTags, (tags: string[]) => tags.map((tag) => withOneOf([tag]))],
	[hasAnyTag, (tags: string[]) => [withOneOf(tags)]],
	[hasNoTags, (tags: string[]) => tags.map(withoutTag)],
]);

/** The filters of an item with their values, and what they require. */
export function criteriaIn(values: FieldReader) {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore)))
		values.problems.push(wrongPeriod(createdAfter.displayName, createdBefore.displayName));
	const criteria = [...criteriaBy].flatMap(([field, criteriaOf]) =>
		wanted.has(field) ? criteriaOf(wanted.get(field) as never) : [],
	);
	return { wanted, criteria };
}

/** What the service adds to a contact if it is asked for. */
const parts = [
	{ name: 'Tags', value: 'tags' },
	{ name: 'Variables', value: 'variables' },
] satisfies Choice[];

/** Whether the service has to add the tags of the contacts, because filters need them. */
const needTags = (wanted: ReadonlyMap<Field, unknown>) => filtersByTag.some((field) => wanted.has(field));

const onePart = kinds.oneOf(parts);

/** Some of them, in one text with commas between them. */
const someParts = takingLists((value, label) => {
	const given = kinds.names(value, label);
	if ('problems' in given) return given;
	const checked = ((given.value ?? []) as string[]).map((each) => onePart(each, label));
	const wrong = checked.find((each) => 'problems' in each);
	return wrong ?? { value: inOrder(checked.map((each) => ('value' in each ? each.value : ''))) };
});

/** In the order in which LEADTEX takes them. */
const inOrder = (asked: unknown[]) =>
	parts
		.map(({ value }) => value)
		.filter((part) => asked.includes(part))
		.join() || undefined;

export const included: Field = {
	displayName: 'Include',
	name: 'include',
	type: 'multiOptions',
	options: optionsOf(parts),
	default: [],
	description: 'What the output also contains: tags as a list of names, variables as an object by name',
	hint: 'If the service leaves tags or variables out, the node requests them for each contact',
	routing: { send: { property: 'with' } },
	kind: someParts,
};

/** The same, with what the filters need. */
export const include: Field = {
	...included,
	compose(values) {
		const wanted = wantedBy(values);
		const asked = partsIn(values.read(included))
			.concat(needTags(wanted) ? 'tags' : [])
			.concat(wanted.has(byVariables) ? 'variables' : []);
		return inOrder(asked);
	},
};

/** The parts in the value of `include`. */
export const partsIn = (value: unknown): string[] => (value === undefined ? [] : String(value).split(','));
