import type { IDataObject } from 'n8n-workflow';

import { tagsMissing } from '../../client/failure/failure';
import type { Selection } from '../../client/http/request';
import { returnAll } from '../fields';
import type { Field, FieldReader, Sent } from '../operation';
import { digitsOf, phoneNumberIn } from '../phone';
import { spelling, usernameIn } from '../rows';
import {
	createdAfter,
	createdBefore,
	email,
	hasAllTags,
	hasAnyTag,
	hasNoTags,
	include,
	messenger,
	messengerId,
	name,
	needTags,
	partsIn,
	phone,
	wantedBy,
} from './filters';
import { wrongPeriod } from './problems';
import { tagsIn } from './shape';

/*
 * Compares contacts with the filters of an item. The service has parameters for the period only, so the node reads page by page,
 * until enough contacts match.
 */

/** @param wanted value of the filter, with tags as `spelling` writes them @param tags of the contact, in the same way */
type Test = (contact: IDataObject, wanted: unknown, tags: ReadonlySet<string>) => boolean;

/** NaN, which is neither before nor after any time, if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : NaN;

const messengerIds = ['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'];

const isPerson: Test = (row, wanted) =>
	/^@|\bt(?:elegram)?\.me\//i.test(String(wanted))
		? spelling(usernameIn(row.telegram_username)) === spelling(usernameIn(wanted))
		: messengerIds.some((key) => String(row[key]) === wanted);

/** The test of each filter. The period too, because the service may ignore it or exclude its limits. */
const tests = new Map<Field, Test>([
	[createdAfter, (row, from) => !(createdAt(row) < Number(from))],
	[createdBefore, (row, to) => !(createdAt(row) >= Number(to) + 1)],
	[email, (row, wanted) => spelling(row.email) === spelling(wanted)],
	[hasAllTags, (_, wanted, tags) => (wanted as string[]).every((tag) => tags.has(tag))],
	[hasAnyTag, (_, wanted, tags) => (wanted as string[]).some((tag) => tags.has(tag))],
	[hasNoTags, (_, wanted, tags) => !(wanted as string[]).some((tag) => tags.has(tag))],
	[messenger, (row, wanted) => spelling(row.messenger) === wanted],
	[messengerId, isPerson],
	[name, (row, wanted) => spelling(row.name).includes(spelling(wanted))],
	[phone, (row, wanted) => digitsIn(row.phone) === digitsOf(String(wanted))],
]);

const digitsIn = (number: unknown) => digitsOf(phoneNumberIn(String(number)) ?? '');

const spelledTags = ({ tags }: IDataObject) => new Set((tagsIn(tags) ?? []).map(spelling));

/** Which contacts an item wants. */
export function selectionOf(sent: Sent, values: FieldReader): Selection {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore))) values.problems.push(wrongPeriod);
	const sought = [...wanted].map(
		([field, value]) => [field, Array.isArray(value) ? value.map(spelling) : value] as const,
	);
	const asked = partsIn(sent.get(include.routing!.send.property));
	/** Parts that the service has not returned. */
	const missing = new Set<string>();
	/** Tags of a contact that cannot be read. */
	let unreadable: unknown;
	/** Tags of 'Has No Tags' that no contact has, by their spelling. */
	const unused = new Map(((wanted.get(hasNoTags) ?? []) as string[]).map((tag) => [spelling(tag), tag]));
	/** How many contacts are wanted although they have no time to compare. */
	let undated = 0;
	const isDated = wanted.has(createdAfter) || wanted.has(createdBefore);
	return {
		refuses(rows) {
			for (const part of asked) if (rows.some((row) => row[part] === undefined)) missing.add(part);
			if (asked.includes('tags'))
				unreadable ??= rows.find(({ tags }) => tags !== undefined && !tagsIn(tags))?.tags;
			if (unused.size) for (const tag of rows.flatMap((row) => [...spelledTags(row)])) unused.delete(tag);
			const isUnknown = missing.has('tags') || unreadable !== undefined;
			return needTags(wanted) && isUnknown ? tagsMissing(unreadable) : undefined;
		},
		...(wanted.size && {
			wants(row) {
				const tags = spelledTags(row);
				const isWanted = sought.every(([field, value]) => tests.get(field)!(row, value, tags));
				if (isWanted && isDated && Number.isNaN(createdAt(row))) undated++;
				return isWanted;
			},
		}),
		notice(read, found, isWhole) {
			if (missing.size)
				return `The service returned the contacts without their ${[...missing].join(' and ')}. It does not support '${include.displayName}': use 'Get Many by Contact' of Tag and 'Get Many' of Contact Variable.`;
			if (!read) return 'The service has no contacts here.';
			if (!found) return `Read ${read.toLocaleString('en-US')} contacts, none matches.`;
			const names = [...unused.values()].map((tag) => `'${tag}'`).join(' or ');
			const notices = [
				!wanted.size &&
					values.read(returnAll) === true &&
					`No filter is set: all ${read.toLocaleString('en-US')} contacts.`,
				unreadable !== undefined && 'This node cannot read the tags, so they are as the service wrote them.',
				isWhole &&
					names &&
					`No contact has the tag ${names} of '${hasNoTags.displayName}': nobody was left out because of it.`,
				undated &&
					`${undated} of these contacts have no time of creation that this node can read, so only the service has compared it with the filters.`,
			];
			return notices.filter(Boolean).join(' ') || undefined;
		},
	};
}
