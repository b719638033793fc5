import type { IDataObject } from 'n8n-workflow';

import { partUnreadable, tooManyForModel } from '../../client/failure/failure';
import { isDone, type Failed } from '../../client/failure/result';
import { grouped } from '../../shared/counted';
import { listed } from '../../shared/quote';
import { botIdOfContacts, returnAll } from '../fields';
import type { Field, FieldReader, Requests, Sent, Steps } from '../operation';
import { requestFor } from '../request';
import { spelling } from '../rows';
import { tagGetManyByBot } from '../tag/getManyByBot';
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
import { finders } from './keys';
import { Incomplete } from './parts';
import { wrongPeriod } from './problems';
import { tagsIn, variablesIn } from './shape';
import { byVariables, inWords, meets, type VariableCondition } from './variables';

/*
 * Compares contacts with the filters of an item. The service has parameters for the period only, so the node reads page by page,
 * until enough contacts match. The items of a run read the pages together.
 */

type Part = 'tags' | 'variables';

/** How to read a part of a contact; undefined if that is not possible, which does not mean that there is nothing. */
const readers: Record<Part, (found: unknown) => unknown> = { tags: tagsIn, variables: variablesIn };

/** What a filter demands of a contact. */
interface Demand {
	/** What it reads, if some services leave it out. */
	part?: Part;
	passes(contact: IDataObject): boolean;
	/** What it leaves out: the name, as people compare it, and in words. */
	excluded?: { name: string; words: string } | undefined;
}

/** NaN, which is neither before nor after any time, if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : NaN;

const hasAny = (tags: string[]) => {
	const sought = tags.map(spelling);
	return (row: IDataObject) => (tagsIn(row.tags) ?? []).some((tag) => sought.includes(spelling(tag)));
};

const byTags = (passes: Demand['passes'], excluded?: Demand['excluded']): Demand => ({
	...{ part: 'tags', passes, excluded },
});

/** What the value of a filter demands. The others are in `finders`. */
const demandsBy = new Map<Field, (wanted: never) => Demand[]>([
	// The period too, because the service may ignore it or exclude its limits.
	[createdAfter, (from: number) => [{ passes: (row) => !(createdAt(row) < from) }]],
	[createdBefore, (to: number) => [{ passes: (row) => !(createdAt(row) >= to + 1) }]],
	[messenger, (wanted: string) => [{ passes: (row) => spelling(row.messenger) === wanted }]],
	[name, (wanted: string) => [{ passes: (row) => spelling(row.name).includes(spelling(wanted)) }]],
	[byVariables, (conditions: VariableCondition[]) => conditions.map(byVariable)],
	[hasAllTags, (tags: string[]) => tags.map((tag) => byTags(hasAny([tag])))],
	[hasAnyTag, (tags: string[]) => [byTags(hasAny(tags))]],
	[hasNoTags, (tags: string[]) => tags.map(withoutTag)],
]);

function byVariable(condition: VariableCondition): Demand {
	const excluded = { name: spelling(condition.name), words: inWords(condition) };
	const passes = (row: IDataObject) => meets(row, condition);
	return { part: 'variables', passes, excluded: condition.isExcluding ? excluded : undefined };
}

function withoutTag(tag: string): Demand {
	const has = hasAny([tag]);
	return byTags((row) => !has(row), { name: spelling(tag), words: `the tag '${tag}'` });
}

const demandsOf = (wanted: ReadonlyMap<Field, unknown>): Demand[] =>
	[...demandsBy].flatMap(([field, demands]) =>
		wanted.has(field) ? demands(wanted.get(field) as never) : [],
	);

/** Contacts for which a model waits while the node requests what they lack. */
const mostForModel = 60;

/** Which contacts an item wants, and with what. */
export function stepsOf(sent: Sent, values: FieldReader): Steps {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore))) values.problems.push(wrongPeriod);
	const parts = partsIn(sent.get(include.routing!.send.property));
	const isForAll = !wanted.size && values.read(returnAll) === true;
	const { forModel } = values;
	const bot = sent.get(botIdOfContacts.routing!.send.property);
	return async (requests) => {
		const { own, most = Infinity } = requests;
		const search = new Search(wanted);
		// Full pages have enough contacts with the fewest requests, unless any contact will do.
		for await (const page of requests.read(own, wanted.size ? undefined : requests.most)) {
			if (!isDone(page)) return page;
			const failed = search.take(page.rows);
			if (failed) return failed;
			search.isWhole = page.next === undefined;
			if (search.decided >= most) break;
		}
		const { contacts } = search;
		const enough = search.decided === contacts.length ? contacts.slice(0, most) : contacts;
		const incomplete = new Incomplete(requests, enough, parts);
		const { missing, lacking } = incomplete;
		if (forModel && lacking > mostForModel)
			return { failure: tooManyForModel(missing, lacking, mostForModel) };
		const found = await incomplete.complete(most, (contact) => search.takes(contact));
		if (!isDone(found)) return found;
		// Some of those who lack tags were not asked for.
		if (lacking && found.rows.length >= most) search.isWhole = false;
		const notices = [
			incomplete.notice,
			...(found.rows.length
				? search.noticesOf(found.rows, lacking ? 'None of the contacts that were asked for' : 'No contact')
				: [await whyNobody(search, bot, forModel ? undefined : requests)]),
			isForAll && search.read > 0 && `No filter is set: all ${grouped(search.read)} contacts.`,
		];
		return { ...found, notice: notices.filter(Boolean).join(' ') || undefined };
	};
}

/** Why nobody matches. A tag that nobody has may be misspelt. @param requests for the tags of the bot; absent if nobody reads them */
async function whyNobody(search: Search, bot: unknown, requests?: Requests): Promise<string> {
	const { read, tags, tagged, unseen, isDated } = search;
	const owner = bot === undefined ? 'The account' : 'This bot';
	if (!read) return isDated ? 'No contact was created in this period.' : `${owner} has no contacts.`;
	const said = `Read ${grouped(read)} contacts, none`;
	if (!tagged || !unseen.length) return `${said} matches.`;
	const whom = tagged < read ? ' of those whose tags were read' : '';
	const nobody = `${said}${whom} has the tag ${unseen.map((tag) => `'${tag}'`).join(' or ')}`;
	if (bot === undefined) return `${nobody}. Tags of these contacts: ${listed([...tags.values()]) || 'none'}.`;
	const ofBot = requests && (await tagsOf(bot, requests));
	if (!ofBot) return `${nobody}.`;
	const known = ofBot.map(spelling);
	if (unseen.every((tag) => known.includes(spelling(tag)))) return `${nobody}, which the bot has.`;
	return `${nobody}. Tags of this bot: ${listed(ofBot) || 'none'}.`;
}

/** Undefined if they cannot be read. */
async function tagsOf(bot: unknown, requests: Requests): Promise<string[] | undefined> {
	const tags: string[] = [];
	for await (const page of requests.read(requestFor(tagGetManyByBot, { bot_id: bot as number }))) {
		const names = isDone(page) ? tagsIn(page.rows) : undefined;
		if (!names) return undefined;
		tags.push(...names);
	}
	return tags;
}

/** The search of one item. */
class Search {
	/** All that match, as far as their rows tell. */
	readonly contacts: IDataObject[] = [];
	/** How many of them match, whatever else the service tells about them. */
	decided = 0;
	read = 0;
	/** Whether all contacts that can match were looked at. */
	isWhole = false;
	/** How many contacts were looked at with their tags. */
	tagged = 0;
	/** These tags, by how people compare them. */
	readonly tags = new Map<string, string>();
	private readonly demands: Demand[];
	/** Tags that a contact must have: all, or one of them. */
	private readonly sought: string[];
	/** Filters that are to leave out contacts, and have left out nobody. */
	private readonly idle: Set<Demand>;
	private readonly unreadable = new Set<Part>();

	constructor(private readonly wanted: ReadonlyMap<Field, unknown>) {
		this.demands = demandsOf(wanted);
		this.sought = [hasAllTags, hasAnyTag].flatMap((field) => (wanted.get(field) ?? []) as string[]);
		this.idle = new Set(this.demands.filter(({ excluded }) => excluded));
	}

	/** Takes the rows of a page. @returns why no contact can be returned, if so */
	take(rows: IDataObject[]): Failed | undefined {
		this.read += rows.length;
		for (const row of rows) {
			const failed = this.look(row);
			if (failed) return failed;
		}
		let candidates = rows;
		for (const [field, find] of finders)
			if (this.wanted.has(field)) candidates = find(candidates, this.wanted.get(field));
		for (const row of candidates) {
			if (!this.passes(row)) continue;
			this.contacts.push(row);
			if (!this.demands.some((filter) => lacks(row, filter))) this.decided++;
		}
		return undefined;
	}

	/** Whether a contact that was completed is wanted, or why no contact can be returned. */
	takes(contact: IDataObject): boolean | Failed {
		const unknown = this.demands.find((filter) => lacks(contact, filter))?.part;
		// Without an ID, nobody could ask for it.
		if (unknown) return { failure: partUnreadable(unknown, undefined) };
		return this.look(contact) ?? this.passes(contact);
	}

	/** @param whom who was looked at, as the beginning of a sentence that says that none of them has something */
	noticesOf(found: IDataObject[], whom: string): string[] {
		const notices: string[] = [];
		if (this.unreadable.size)
			notices.push(
				`This node cannot read the ${[...this.unreadable].join(' and ')}, so they are as the service wrote them.`,
			);
		// Perhaps a misspelling.
		if (this.isWhole && this.idle.size)
			notices.push(
				`${whom} has ${[...this.idle].map(({ excluded }) => excluded!.words).join(' or ')}: nobody was left out because of it.`,
			);
		const undated = this.isDated ? found.filter((row) => Number.isNaN(createdAt(row))).length : 0;
		if (undated)
			notices.push(
				`${undated} of these contacts have no time of creation that this node can read, so only the service has compared it with the filters.`,
			);
		return notices;
	}

	get isDated(): boolean {
		return this.wanted.has(createdAfter) || this.wanted.has(createdBefore);
	}

	/** Those that nobody has. */
	get unseen(): string[] {
		return this.sought.filter((tag) => !this.tags.has(spelling(tag)));
	}

	/** Whether all filters let a contact pass for which it has what they need. */
	private passes(row: IDataObject): boolean {
		return this.demands.every((filter) => lacks(row, filter) || filter.passes(row));
	}

	private look(row: IDataObject): Failed | undefined {
		for (const part of ['tags', 'variables'] as const) {
			if (row[part] === undefined || readers[part](row[part])) continue;
			this.unreadable.add(part);
			const isNeeded = this.demands.some((filter) => filter.part === part);
			if (isNeeded) return { failure: partUnreadable(part, row[part]) };
		}
		if (this.sought.length && row.tags !== undefined) {
			this.tagged++;
			for (const tag of tagsIn(row.tags)!) this.tags.set(spelling(tag), tag);
		}
		for (const each of this.idle) if (!lacks(row, each) && !each.passes(row)) this.hasLeftOut(each);
		return undefined;
	}

	/** Somebody may opt out by a tag or by a variable of the same name: one of them is enough to show that the name is right. */
	private hasLeftOut({ excluded }: Demand) {
		for (const each of this.idle) if (each.excluded!.name === excluded!.name) this.idle.delete(each);
	}
}

const lacks = (row: IDataObject, { part }: Demand) => part !== undefined && row[part] === undefined;
