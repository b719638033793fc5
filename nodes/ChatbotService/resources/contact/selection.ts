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

type Test = (contact: IDataObject) => boolean;

const tagsOf = ({ tags }: IDataObject) => new Set((tags as unknown[]).map(spelling));

/** Undefined if the service does not say when, or not in which time zone. */
const createdAt = ({ created_at: written }: IDataObject) =>
	/(?:Z|[+-]\d\d:?\d\d)$/.test(String(written)) ? Date.parse(String(written)) / 1000 : undefined;

const messengerIds = ['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'];

/** The test of each filter. The period too, because the service may ignore it or exclude its limits. */
const tests = new Map<Field, (wanted: never) => Test>([
	[createdAfter, (from: number) => (row) => !(createdAt(row)! < from)],
	[createdBefore, (to: number) => (row) => !(createdAt(row)! >= to + 1)],
	[email, (wanted: string) => (row) => spelling(row.email) === spelling(wanted)],
	[hasAllTags, (wanted: string[]) => (row) => wanted.every((tag) => tagsOf(row).has(spelling(tag)))],
	[hasAnyTag, (wanted: string[]) => (row) => wanted.some((tag) => tagsOf(row).has(spelling(tag)))],
	[hasNoTags, (wanted: string[]) => (row) => !wanted.some((tag) => tagsOf(row).has(spelling(tag)))],
	[messenger, (wanted: string) => (row) => spelling(row.messenger) === wanted],
	[messengerId, (wanted: string) => (row) => messengerIds.some((key) => String(row[key]) === wanted)],
	[name, (wanted: string) => (row) => spelling(row.name).includes(spelling(wanted))],
	[phone, (wanted: string) => (row) => digitsIn(row.phone) === digitsOf(wanted)],
]);

const digitsIn = (number: unknown) => digitsOf(phoneNumberIn(String(number)) ?? '');

/** Which contacts an item wants. @param sent values by wire name */
export function selectionOf(sent: ReadonlyMap<string, unknown>, values: FieldReader): Selection {
	const wanted = wantedBy(values);
	if (Number(wanted.get(createdAfter)) > Number(wanted.get(createdBefore))) values.problems.push(wrongPeriod);
	const asked = partsIn(sent.get(include.routing!.send.property));
	const active = [...wanted].map(([field, value]) => tests.get(field)!(value as never));
	const missing = new Set<string>();
	return {
		refuses(rows) {
			for (const part of asked) if (rows.some((row) => row[part] === undefined)) missing.add(part);
			return needTags(wanted) && missing.has('tags') ? tagsMissing() : undefined;
		},
		...(active.length && { wants: (row) => active.every((test) => test(row)) }),
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
