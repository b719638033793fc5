import type { IDataObject } from 'n8n-workflow';

import { partUnreadable, tooManyForModel } from '../../client/failure/failure';
import { isDone, type Failed } from '../../client/failure/result';
import { returnAll } from '../fields';
import type { Field, FieldReader, Sent, Steps } from '../operation';
import { spelling } from '../rows';
import {
	createdAfter,
	createdBefore,
	hasAllTags,
	hasAnyTag,
	hasNoTags,
	include,
	messenger,
	name,
	partsIn,
	wantedBy,
} from './filters';
import { contactsWith, recognizing } from './keys';
import { Incomplete } from './parts';
import { wrongPeriod } from './problems';
import { tagsIn, variablesIn } from './shape';
import { byVariables, conditionsIn, inWords, meets } from './variables';

/*
 * Compares contacts with the filters of an item. The service has parameters for the period only, so the node reads page by page,
 * until enough contacts match. The items of a run read the pages together.
 */

/** @param wanted value of the filter, with tags as `spelling` writes them */
type Test = (contact: IDataObject, wanted: unknown) => boolean;

/** NaN, which is neither before nor after any time, if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : NaN;

type Part = 'tags' | 'variables';

/** How to read a part of a contact; undefined if that is not possible, which does not mean that there is nothing. */
const readers: Record<Part, (found: unknown) => unknown> = { tags: tagsIn, variables: variablesIn };

/**
 * The test of each filter, and the part of a contact that it needs, if some services leave it out. The period too, because the service
 * may ignore it or exclude its limits. Those that need no part come first.
 */
const tests: Array<[Field, Test, Part?]> = [
	[createdAfter, (row, from) => !(createdAt(row) < Number(from))],
	[createdBefore, (row, to) => !(createdAt(row) >= Number(to) + 1)],
	[messenger, (row, wanted) => spelling(row.messenger) === wanted],
	[name, (row, wanted) => spelling(row.name).includes(spelling(wanted))],
	...recognizing.map((field): [Field, Test] => [
		field,
		(row, wanted) => contactsWith([row], field, wanted).length > 0,
	]),
	[byVariables, (row, wanted) => conditionsIn(wanted).every((each) => meets(row, each)), 'variables'],
	[hasAllTags, (row, wanted) => (wanted as string[]).every((tag) => spelledTags(row).has(tag)), 'tags'],
	[hasAnyTag, (row, wanted) => (wanted as string[]).some((tag) => spelledTags(row).has(tag)), 'tags'],
	[hasNoTags, (row, wanted) => !(wanted as string[]).some((tag) => spelledTags(row).has(tag)), 'tags'],
];

const spelledTags = ({ tags }: IDataObject) => new Set((tagsIn(tags) ?? []).map(spelling));

/** A filter of an item. */
interface Filter {
	part: Part | undefined;
	passes(contact: IDataObject): boolean;
}

const filtersOf = (wanted: ReadonlyMap<Field, unknown>): Filter[] =>
	tests.flatMap(([field, test, part]) => {
		const value = wanted.get(field);
		const sought = Array.isArray(value) ? value.map(spelling) : value;
		return value === undefined ? [] : [{ part, passes: (row: IDataObject) => test(row, sought) }];
	});

/** Contacts for which a model waits while the node requests what they lack. */
const mostForModel = 60;

/** Which contacts an item wants, and with what. */
export function stepsOf(sent: Sent, values: FieldReader): Steps {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore))) values.problems.push(wrongPeriod);
	const filters = filtersOf(wanted);
	const parts = partsIn(sent.get(include.routing!.send.property));
	const isForAll = values.read(returnAll) === true;
	const { forModel } = values;
	return async (requests) => {
		const { own, most = Infinity } = requests;
		const search = new Search(wanted, filters);
		// Full pages have enough contacts with the fewest requests, unless any contact will do.
		for await (const page of requests.read(own, filters.length ? undefined : requests.most)) {
			if (!isDone(page)) return page;
			const failed = search.take(page.rows);
			if (failed) return failed;
			search.isWhole = page.next === undefined;
			if (search.decided >= most) break;
		}
		const { contacts } = search;
		const enough = search.decided === contacts.length ? contacts.slice(0, most) : contacts;
		const incomplete = new Incomplete(requests, enough, parts);
		if (forModel && incomplete.lacking > mostForModel)
			return { failure: tooManyForModel(incomplete.missing, incomplete.lacking, mostForModel) };
		const found = await incomplete.complete(most, (contact) => search.takes(contact));
		if (!isDone(found)) return found;
		// Some of those who lack tags were not asked for.
		if (incomplete.lacking && found.rows.length >= most) search.isWhole = false;
		const notices = [incomplete.notice, search.noticeOf(found.rows, isForAll)];
		return { ...found, notice: notices.filter(Boolean).join(' ') || undefined };
	};
}

/** The search of one item. */
class Search {
	/** All that match, as far as their rows tell. */
	readonly contacts: IDataObject[] = [];
	/** How many of them match, whatever else the service tells about them. */
	decided = 0;
	/** Whether all contacts that can match were looked at. */
	isWhole = false;
	private read = 0;
	private readonly key: Field | undefined;
	/** How many contacts have a part. */
	private readonly known: Record<Part, number> = { tags: 0, variables: 0 };
	/** Parts that cannot be read. */
	private readonly unreadable = new Set<Part>();
	/** Tags of 'Has No Tags' that no contact has, by their spelling. */
	private readonly unused: Map<string, string>;
	/** Conditions on variables that are to leave out contacts, and have left out nobody. */
	private readonly idle: Set<ReturnType<typeof conditionsIn>[number]>;

	constructor(
		private readonly wanted: ReadonlyMap<Field, unknown>,
		private readonly filters: Filter[],
	) {
		this.key = recognizing.find((field) => wanted.has(field));
		const unwanted = (wanted.get(hasNoTags) ?? []) as string[];
		this.unused = new Map(unwanted.map((tag) => [spelling(tag), tag]));
		this.idle = new Set(conditionsIn(wanted.get(byVariables)).filter(({ isExcluding }) => isExcluding));
	}

	/** Takes the rows of a page. @returns why no contact can be returned, if so */
	take(rows: IDataObject[]): Failed | undefined {
		this.read += rows.length;
		for (const row of rows) {
			const failed = this.look(row);
			if (failed) return failed;
		}
		for (const row of this.key ? contactsWith(rows, this.key, this.wanted.get(this.key)) : rows) {
			if (!this.passes(row)) continue;
			this.contacts.push(row);
			if (this.filters.every(({ part }) => hasPart(row, part))) this.decided++;
		}
		return undefined;
	}

	/** Whether a contact that was completed is wanted, or why no contact can be returned. */
	takes(contact: IDataObject): boolean | Failed {
		const unknown = this.filters.find(({ part }) => !hasPart(contact, part));
		// Without an ID, nobody could ask for it.
		if (unknown) return { failure: partUnreadable(unknown.part!, undefined) };
		return this.look(contact) ?? this.passes(contact);
	}

	/** @param isForAll whether the user wants all contacts */
	noticeOf(found: IDataObject[], isForAll: boolean): string | undefined {
		const read = this.read.toLocaleString('en-US');
		if (!this.read) return 'The service has no contacts here.';
		if (!found.length) return `Read ${read} contacts, none matches.`;
		const tags = [...this.unused.values()].map((tag) => `'${tag}'`).join(' or ');
		const isDated = this.wanted.has(createdAfter) || this.wanted.has(createdBefore);
		const undated = isDated ? found.filter((row) => Number.isNaN(createdAt(row))).length : 0;
		const notices = [
			!this.filters.length && isForAll && `No filter is set: all ${read} contacts.`,
			this.unreadable.size > 0 &&
				`This node cannot read the ${[...this.unreadable].join(' and ')}, so they are as the service wrote them.`,
			this.idle.size > 0 && this.nobodyHas([...this.idle].map(inWords).join(' or '), 'variables'),
			tags && this.nobodyHas(`the tag ${tags} of '${hasNoTags.displayName}'`, 'tags'),
			undated &&
				`${undated} of these contacts have no time of creation that this node can read, so only the service has compared it with the filters.`,
		];
		return notices.filter(Boolean).join(' ') || undefined;
	}

	/** Says that a filter has left out nobody, which may be a misspelling. Only the end of the list shows that. */
	private nobodyHas(what: string, part: Part): string | undefined {
		if (!this.isWhole) return undefined;
		const whom = this.known[part] < this.read ? `None of the contacts whose ${part} were read` : 'No contact';
		return `${whom} has ${what}: nobody was left out because of it.`;
	}

	/** Whether all filters let a contact pass for which it has what they need. */
	private passes(row: IDataObject): boolean {
		return this.filters.every((filter) => !hasPart(row, filter.part) || filter.passes(row));
	}

	private look(row: IDataObject): Failed | undefined {
		for (const part of ['tags', 'variables'] as const) {
			if (row[part] === undefined) continue;
			this.known[part]++;
			if (readers[part](row[part])) continue;
			this.unreadable.add(part);
			const isNeeded = this.filters.some((filter) => filter.part === part);
			if (isNeeded) return { failure: partUnreadable(part, row[part]) };
		}
		if (this.unused.size) for (const tag of spelledTags(row)) this.unused.delete(tag);
		for (const each of this.idle) if (hasPart(row, 'variables') && !meets(row, each)) this.idle.delete(each);
		return undefined;
	}
}

const hasPart = (row: IDataObject, part: string | undefined) => part === undefined || row[part] !== undefined;
