import type { IDataObject } from 'n8n-workflow';

import { tagsMissing } from '../../client/failure';
import type { Selection } from '../../client/request';
import type { Field, FieldReader } from '../operation';
import { digitsOf, phoneNumberIn } from '../phone';
import { spelling } from '../rows';
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

/*
 * Compares contacts with the filters of an item. The service has parameters for the period only, so the node reads page by page,
 * until enough contacts match.
 */

type Test = (contact: IDataObject, wanted: unknown) => boolean;

const spellings = (tags: unknown) => (tags as unknown[]).map(spelling);

/** NaN, which is neither before nor after any time, if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : NaN;

const messengerIds = ['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'];

/** The test of each filter. The period too, because the service may ignore it or exclude its limits. */
const tests = new Map<Field, Test>([
	[createdAfter, (row, from) => !(createdAt(row) < Number(from))],
	[createdBefore, (row, to) => !(createdAt(row) >= Number(to) + 1)],
	[email, (row, wanted) => spelling(row.email) === spelling(wanted)],
	[hasAllTags, (row, wanted) => spellings(wanted).every((tag) => spellings(row.tags).includes(tag))],
	[hasAnyTag, (row, wanted) => spellings(wanted).some((tag) => spellings(row.tags).includes(tag))],
	[hasNoTags, (row, wanted) => !spellings(wanted).some((tag) => spellings(row.tags).includes(tag))],
	[messenger, (row, wanted) => spelling(row.messenger) === wanted],
	[messengerId, (row, wanted) => messengerIds.some((key) => String(row[key]) === wanted)],
	[name, (row, wanted) => spelling(row.name).includes(spelling(wanted))],
	[phone, (row, wanted) => digitsIn(row.phone) === digitsOf(String(wanted))],
]);

const digitsIn = (number: unknown) => digitsOf(phoneNumberIn(String(number)) ?? '');

/** Which contacts an item wants. @param sent values by wire name */
export function selectionOf(sent: ReadonlyMap<string, unknown>, values: FieldReader): Selection {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore))) values.problems.push(wrongPeriod);
	const asked = partsIn(sent.get(include.routing!.send.property));
	const missing = new Set<string>();
	return {
		refuses(rows) {
			for (const part of asked) if (rows.some((row) => row[part] === undefined)) missing.add(part);
			return needTags(wanted) && missing.has('tags') ? tagsMissing() : undefined;
		},
		...(wanted.size && {
			wants: (row) => [...wanted].every(([field, value]) => tests.get(field)!(row, value)),
		}),
		notice: (read, found) => noticeOf(read, found, missing),
	};
}

function noticeOf(read: number, found: number, missing: ReadonlySet<string>): string | undefined {
	const parts = [...missing].join(' and ');
	if (parts)
		return `The service returned the contacts without their ${parts}. It does not support '${include.displayName}': use 'Get Many by Contact' of Tag and 'Get Many' of Contact Variable.`;
	if (found) return undefined;
	return read
		? `Read ${read.toLocaleString('en-US')} contacts, none matches.`
		: 'The service has no contacts here.';
}
