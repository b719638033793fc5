import type { IDataObject } from 'n8n-workflow';

import { partUnreadable, tooManyForModel } from '../../client/failure/failure';
import { isDone, type Failed } from '../../client/failure/result';
import type { WireParameter } from '../../client/http/placement';
import { grouped } from '../../shared/counted';
import { listed } from '../../shared/quote';
import { spelling } from '../../shared/values';
import { botId, botIdOfContacts, returnAll } from '../fields';
import type { Field, FieldReader, Requests, WireValues, Steps } from '../operation';
import { requestFor } from '../operationRequest';
import { tagGetManyByBot } from '../tag/getManyByBot';
import { criteriaIn, include, partsIn, type Criterion } from './contactFilters';
import { finders } from './keys';
import { Incomplete } from './parts';
import { tagsIn, variablesIn } from './shape';

/*
 * Compares contacts with what the filters of an item require (contactFilters.ts). The service has parameters for the period only, so the
 * node reads page by page, until enough contacts match. The items of a run read the pages together.
 */

/** How to read a part of a contact; undefined if that is not possible, which does not mean that there is nothing. */
const readers: Record<NonNullable<Criterion['part']>, (found: unknown) => unknown> = {
	tags: tagsIn,
	variables: variablesIn,
};

/** Contacts for which a model waits while the node requests what they lack. */
const mostForModel = 60;

/** Which contacts an item wants, and with what. */
export function stepsOf(sent: WireValues, values: FieldReader): Steps {
	const { wanted, criteria } = criteriaIn(values);
	const parts = partsIn(sent.of(include));
	const isForAll = !wanted.size && values.read(returnAll) === true;
	const { forModel } = values;
	const bot = sent.of(botIdOfContacts);
	return async (requests) => {
		const { own, most = Infinity } = requests;
		const selection = new Selection(wanted, criteria);
		// Full pages have enough contacts with the fewest requests, unless any contact will do.
		for await (const page of requests.read(own, wanted.size ? undefined : requests.most)) {
			if (!isDone(page)) return page;
			const failed = selection.add(page.rows);
			if (failed) return failed;
			selection.isWhole = page.next === undefined;
			if (selection.foundForSure >= most) break;
		}
		const { found, foundForSure, count } = selection;
		const enough = foundForSure === found.length ? found.slice(0, most) : found;
		const incomplete = new Incomplete(requests, enough, parts);
		const { missing, lacking } = incomplete;
		if (forModel && lacking > mostForModel)
			return { failure: tooManyForModel(missing, lacking, mostForModel) };
		const result = await incomplete.complete(most, (contact) => selection.wants(contact));
		if (!isDone(result)) return result;
		// Some of those who lack tags were not asked for.
		if (lacking && result.rows.length >= most) selection.isWhole = false;
		const notices = [
			incomplete.notice,
			...(result.rows.length
				? selection.noticesOf(
						result.rows,
						lacking ? 'None of the contacts that were asked for' : 'No contact',
					)
				: [await whyNobody(selection, bot, forModel ? undefined : requests)]),
			isForAll && count > 0 && `No filter is set: all ${grouped(count)} contacts.`,
		];
		return { ...result, notice: notices.filter(Boolean).join(' ') || undefined };
	};
}

/** Why nobody matches. A tag that nobody has may be misspelt. @param requests for the tags of the bot; absent if nobody reads them */
async function whyNobody(
	selection: Selection,
	bot: WireParameter['value'],
	requests?: Requests,
): Promise<string> {
	const { count, countWithTags, tagsFound, tagsNotFound, isDated } = selection;
	const owner = bot === undefined ? 'The account' : 'This bot';
	if (!count) return isDated ? 'No contact was created in this period.' : `${owner} has no contacts.`;
	const said = `Read ${grouped(count)} contacts, none`;
	if (!countWithTags || !tagsNotFound.length) return `${said} matches.`;
	const whom = countWithTags < count ? ' of those whose tags were read' : '';
	const nobody = `${said}${whom} has the tag ${tagsNotFound.map((tag) => `'${tag}'`).join(' or ')}`;
	if (bot === undefined)
		return `${nobody}. Tags of these contacts: ${listed([...tagsFound.values()]) || 'none'}.`;
	const ofBot = requests && (await tagsOf(bot, requests));
	if (!ofBot) return `${nobody}.`;
	const known = ofBot.map(spelling);
	if (tagsNotFound.every((tag) => known.includes(spelling(tag)))) return `${nobody}, which the bot has.`;
	return `${nobody}. Tags of this bot: ${listed(ofBot) || 'none'}.`;
}

/** Undefined if they cannot be read. */
async function tagsOf(bot: WireParameter['value'], requests: Requests): Promise<string[] | undefined> {
	const tags: string[] = [];
	for await (const page of requests.read(requestFor(tagGetManyByBot, [botId, bot]))) {
		const names = isDone(page) ? tagsIn(page.rows) : undefined;
		if (!names) return undefined;
		tags.push(...names);
	}
	return tags;
}

/** The contacts that one item wants. */
class Selection {
	/** All that match, as far as their rows tell. */
	readonly found: IDataObject[] = [];
	/** How many of them match, whatever else the service tells about them. */
	foundForSure = 0;
	/** How many contacts were read. */
	count = 0;
	/** How many contacts were read with their tags. */
	countWithTags = 0;
	/** These tags, by how people compare them. */
	readonly tagsFound = new Map<string, string>();
	/** Whether all contacts that can match were read. */
	isWhole = false;
	/** What the criteria read of a contact. */
	private readonly parts: Set<NonNullable<Criterion['part']>>;
	/** Tags that a contact must have: all, or one of them. */
	private readonly wantedTags: string[];
	/** Those that are to leave out contacts, and have left out nobody. */
	private readonly leftOutNobody: Set<Criterion>;

	constructor(
		private readonly wanted: ReadonlyMap<Field, unknown>,
		private readonly criteria: Criterion[],
	) {
		this.parts = new Set(criteria.flatMap(({ part = [] }) => part));
		this.wantedTags = criteria.flatMap(({ tags = [] }) => tags);
		this.leftOutNobody = new Set(criteria.filter(({ leavesOut }) => leavesOut));
	}

	/** Adds the rows of a page. @returns why no contact can be returned, if so */
	add(rows: IDataObject[]): Failed | undefined {
		this.count += rows.length;
		for (const row of rows) {
			const failed = this.learnFrom(row);
			if (failed) return failed;
		}
		let candidates = rows;
		for (const [field, find] of finders)
			if (this.wanted.has(field)) candidates = find(candidates, this.wanted.get(field));
		for (const row of candidates) {
			if (!this.passes(row)) continue;
			this.found.push(row);
			if (!this.criteria.some((each) => lacks(row, each))) this.foundForSure++;
		}
		return undefined;
	}

	/** Whether a contact that was completed is wanted, or why no contact can be returned. */
	wants(contact: IDataObject): boolean | Failed {
		const unknown = this.criteria.find((each) => lacks(contact, each))?.part;
		// Without an ID, nobody could ask for it.
		if (unknown) return { failure: partUnreadable(unknown, undefined) };
		return this.learnFrom(contact) ?? this.passes(contact);
	}

	/** @param whom who was read, as the beginning of a sentence that says that none of them has something */
	noticesOf(rows: IDataObject[], whom: string): string[] {
		const notices: string[] = [];
		// Perhaps a misspelling.
		if (this.isWhole && this.leftOutNobody.size) {
			const words = [...this.leftOutNobody].map(({ leavesOut }) => leavesOut!.words);
			notices.push(`${whom} has ${words.join(' or ')}: nobody was left out because of it.`);
		}
		const undated = rows.filter((row) => this.criteria.some(({ isUndated }) => isUndated?.(row))).length;
		if (undated)
			notices.push(
				`${undated} of these contacts have no time of creation that this node can read, so only the service has compared it with the filters.`,
			);
		return notices;
	}

	get isDated(): boolean {
		return this.criteria.some(({ isUndated }) => isUndated);
	}

	get tagsNotFound(): string[] {
		return this.wantedTags.filter((tag) => !this.tagsFound.has(spelling(tag)));
	}

	/** Whether all filters let a contact pass for which it has what they need. */
	private passes(row: IDataObject): boolean {
		return this.criteria.every((each) => lacks(row, each) || each.passes(row));
	}

	/** @returns why no contact can be returned, if so */
	private learnFrom(row: IDataObject): Failed | undefined {
		for (const part of this.parts)
			if (row[part] !== undefined && !readers[part](row[part]))
				return { failure: partUnreadable(part, row[part]) };
		if (this.wantedTags.length && row.tags !== undefined) {
			this.countWithTags++;
			for (const tag of tagsIn(row.tags)!) this.tagsFound.set(spelling(tag), tag);
		}
		for (const each of this.leftOutNobody) if (!lacks(row, each) && !each.passes(row)) this.leftOut(each);
		return undefined;
	}

	/** Somebody may opt out by a tag or by a variable of the same name: one of them is enough to show that the name is right. */
	private leftOut({ leavesOut }: Criterion) {
		for (const each of this.leftOutNobody)
			if (each.leavesOut!.name === leavesOut!.name) this.leftOutNobody.delete(each);
	}
}

const lacks = (row: IDataObject, { part }: Criterion) => part !== undefined && row[part] === undefined;
