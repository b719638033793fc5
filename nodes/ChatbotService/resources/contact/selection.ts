import type { IDataObject } from 'n8n-workflow';

import { partUnreadable, tooManyForModel } from '../../client/failure/failure';
import { isDone, type Failed } from '../../client/failure/result';
import type { WireParameter } from '../../client/http/placement';
import { counted, grouped } from '../../shared/counted';
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
		const lacksTags = missing.includes('tags') && criteria.some(({ tags }) => tags);
		// A misspelt tag is better known before the tags of each contact are read, which can take hours.
		if (lacksTags) selection.tagsOfBot = await tagsOf(bot, requests);
		const result = selection.isPossible
			? await incomplete.complete(most, (contact) => selection.wants(contact))
			: { rows: [] };
		if (!isDone(result)) return result;
		// Some of those who lack tags were not asked for.
		if (lacking && result.rows.length >= most) selection.isWhole = false;
		const isNobody = !result.rows.length;
		if (!lacksTags && isNobody && selection.countWithTags && selection.tagsNotFound.length)
			selection.tagsOfBot = await tagsOf(bot, requests);
		const whom = lacking ? `None of the contacts whose ${missing.join(' and ')} were read` : 'No contact';
		const notices = [
			...(isNobody ? [whyNobody(selection, bot)] : selection.noticesOf(result.rows, whom)),
			incomplete.notice,
			isForAll && count > 0 && `No filter is set, so the output has all ${grouped(count)} contacts.`,
		];
		const { warning } = selection;
		return { ...result, notice: notices.filter(Boolean).join(' ') || undefined, warning };
	};
}

const eitherOf = (tags: string[]) => tags.map((tag) => `'${tag}'`).join(' or ');

/** Why nobody matches. */
function whyNobody(selection: Selection, bot: WireParameter['value']): string {
	const { count, countWithTags, tagsFound, tagsNotFound, tagsOfBot, warning, isDated } = selection;
	const owner = bot === undefined ? 'The account' : 'This bot';
	if (!count) return isDated ? 'No contact was created in this period.' : `${owner} has no contacts.`;
	const said = `Read ${counted(count, 'contact')}: none`;
	if (warning || !countWithTags || !tagsNotFound.length) return `${said} matches.`;
	const whom = countWithTags < count ? ' of those whose tags were read' : '';
	const nobody = `${said}${whom} has the tag ${eitherOf(tagsNotFound)}`;
	if (bot === undefined)
		return `${nobody}. Tags of these contacts: ${listed([...tagsFound.values()]) || 'none'}.`;
	return tagsOfBot ? `${nobody}, which the bot has.` : `${nobody}.`;
}

/** The tags of a bot, by how people compare them; undefined without a bot, and if they cannot be read. */
async function tagsOf(bot: WireParameter['value'], requests: Requests) {
	if (bot === undefined) return undefined;
	const tags: string[] = [];
	for await (const page of requests.read(requestFor(tagGetManyByBot, [botId, bot]))) {
		const names = isDone(page) ? tagsIn(page.rows) : undefined;
		if (!names) return undefined;
		tags.push(...names);
	}
	return new Map(tags.map((tag) => [spelling(tag), tag]));
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
	/** The tags of the bot, by how people compare them, once they were read. */
	tagsOfBot: ReadonlyMap<string, string> | undefined;
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
		this.wantedTags = criteria.flatMap(({ tags = [], leavesOut }) => (leavesOut ? [] : tags));
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

	/** Whether a contact can match: the bot has one of the tags that each filter requires. A list without any tag proves nothing. */
	get isPossible(): boolean {
		const isNever = ({ tags, leavesOut }: Criterion) => !leavesOut && tags?.every(this.isUnknown);
		return !this.tagsOfBot?.size || !this.criteria.some(isNever);
	}

	get warning(): string | undefined {
		const ofNobody = [...this.leftOutNobody].flatMap(({ tags = [] }) => tags);
		const misspelt = [...new Set([...this.tagsNotFound, ...ofNobody])].filter(this.isUnknown);
		const known = listed([...(this.tagsOfBot?.values() ?? [])]) || 'none';
		return misspelt.length ? `The bot has no tag ${eitherOf(misspelt)}. Its tags: ${known}.` : undefined;
	}

	private isUnknown = (tag: string) => this.tagsOfBot?.has(spelling(tag)) === false;

	/** @param whom who was read, as the beginning of a sentence that says that none of them has something */
	noticesOf(rows: IDataObject[], whom: string): string[] {
		const notices: string[] = [];
		const ofNobody = [...this.leftOutNobody].filter(({ tags }) => !tags?.every(this.isUnknown));
		if (this.isWhole && ofNobody.length) {
			const words = ofNobody.map(({ leavesOut }) => leavesOut!.words);
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
