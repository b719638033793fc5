import type { IDataObject } from 'n8n-workflow';

import type { Caller, Client } from '../client/client';
import { testFailed } from '../client/failure/failure';
import { hasFailed, isDone } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import { durationOf } from '../shared/duration';
import { requestOf } from '../resources/request';
import type { Halt } from './halt';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import type { ReadyItem } from './queue';
import { Slices } from './slices';

/*
 * A run with 'Test Run': its items are read, checked and looked up as usual. Then nobody gets a message except the person who tries it, and
 * each item shows what would be sent. Nothing is recorded: recipients are claimed to look them up, and released at once.
 */

/** Recipients that are looked up at once. A process that dies meanwhile leaves them in doubt. */
const lookedUpAtOnce = 50;

/** What another message to the recipient would end with. */
type Known = 'alreadySent' | 'inDoubt' | 'repeated';

interface TestedRun {
	prepared: Prepared;
	outcomes: Outcomes;
	halt: Halt;
	caller: Caller;
}

/** @param items that a real run would send @returns what came of it, in words; undefined if the run has ended before */
export async function tryOut(items: ReadyItem[], run: TestedRun): Promise<string | undefined> {
	if (run.halt.reason) return undefined;
	const slices = new Slices();
	const known = await lookUp(items, run);
	if (!known) return undefined;
	const accepted = await sendToTester(items, known, run);
	if (accepted === undefined) return undefined;
	const pace = new Pace(run.prepared.client);
	for (const item of items) {
		await slices.next();
		if (run.halt.reason) return undefined;
		const found = known.get(item);
		if (!found) pace.add(item.values.limits);
		run.outcomes.record(item.index, { rows: [rowOf(item, found, run.prepared)] });
	}
	return noticeOf(items.length, [...known.values()], { accepted, pace, run });
}

const sentIn = ({ values }: ReadyItem) => new Map(values.parameters.map(({ name, value }) => [name, value]));

function rowOf(item: ReadyItem, known: Known | undefined, { operation }: Prepared): IDataObject {
	const row = operation.broadcast!.preview(sentIn(item));
	if (!known) return row;
	return { ...row, [known === 'inDoubt' ? known : 'alreadySent']: true };
}

/** @returns what is known of those who would not get a message; undefined if the run has ended */
async function lookUp(
	items: ReadyItem[],
	{ prepared: { ledger }, halt }: TestedRun,
): Promise<Map<ReadyItem, Known> | undefined> {
	const known = new Map<ReadyItem, Known>();
	const keys = new Set<string>();
	const first: ReadyItem[] = [];
	for (const item of items) {
		const { dedupKey } = item.values;
		if (dedupKey === undefined) continue;
		if (keys.has(dedupKey)) known.set(item, 'repeated');
		else first.push(item);
		keys.add(dedupKey);
	}
	if (ledger.isEmpty) return known;
	for (let from = 0; from < first.length; from += lookedUpAtOnce) {
		const part = first.slice(from, from + lookedUpAtOnce);
		const found = await ledger.look(part);
		if ('failure' in found) halt.because({ why: 'trouble', failure: found.failure });
		if ('failure' in found || halt.reason) return undefined;
		for (const [index, item] of part.entries()) if (found[index]) known.set(item, found[index]);
	}
	return known;
}

/**
 * The person who tries the run gets the messages that would leave first. If there are not enough, those that were sent before follow.
 *
 * @returns the number of accepted messages; undefined if the run has ended
 */
async function sendToTester(
	items: ReadyItem[],
	known: ReadonlyMap<ReadyItem, Known>,
	{ prepared, outcomes, halt, caller }: TestedRun,
): Promise<number | undefined> {
	const { operation, client, testRun } = prepared;
	if (testRun?.tester === undefined) return 0;
	const isKnown = (item: ReadyItem) => known.has(item);
	const inOrder = [...items.filter((item) => !isKnown(item)), ...items.filter(isKnown)];
	const first = inOrder.slice(0, testRun.messages);
	for (const item of first) {
		const message = operation.broadcast!.toTester(sentIn(item), testRun.tester);
		const { sending, values } = item;
		const request = requestOf(operation, { ...message, sending, limits: values.limits });
		const result = await client.request(caller, request);
		if (result !== 'notSent' && !isDone(result) && halt.reason?.why === 'canceled') {
			outcomes.recordInterrupted(item.index);
		} else if (hasFailed(result)) {
			const failed = { failure: testFailed(result.failure) };
			for (const { index } of items) outcomes.record(index, failed);
			halt.failed();
		}
		if (!isDone(result)) return undefined;
	}
	return first.length;
}

/** How long messages take at the credential's limits if nothing else uses the account. */
class Pace {
	private count = 0;
	private readonly lanes = new Map<string, { limits: Limits; count: number }>();

	constructor(private readonly client: Client) {}

	add(limits: Limits) {
		this.count++;
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? { limits, count: 0 };
		lane.count++;
		this.lanes.set(name, lane);
	}

	/** A limit that several lanes share takes the messages of all of them. */
	get milliseconds(): number {
		const byLimit = new Map<string, number>();
		for (const { limits, count } of this.lanes.values()) {
			for (const [name, limit] of Object.entries(limits))
				byLimit.set(name, (byLimit.get(name) ?? 0) + count / this.client.leaving({ [name]: limit }, 1));
		}
		return Math.max(this.count / this.client.leaving({}, 1), ...byLimit.values());
	}

	/** About how many messages leave within a time. */
	within(milliseconds: number): number {
		const leaving = [...this.lanes.values()].map(({ limits, count }) =>
			Math.min(count, this.client.leaving(limits, milliseconds)),
		);
		const sum = leaving.reduce((all, each) => all + each, 0);
		return Math.floor(Math.min(sum, this.client.leaving({}, milliseconds)));
	}
}

function noticeOf(
	count: number,
	known: Known[],
	{ accepted, pace, run }: { accepted: number; pace: Pace; run: TestedRun },
): string {
	const { outcomes, prepared } = run;
	const numbers = { alreadySent: 0, inDoubt: 0, repeated: 0 };
	for (const each of known) numbers[each]++;
	const { alreadySent, inDoubt, repeated } = numbers;
	const can = count - inDoubt;
	const rest = count - known.length;
	const duration = pace.milliseconds;
	return [
		`Test run: ${written(can)} of ${messages(outcomes.expected)} can be sent, ${written(outcomes.expected - can)} cannot.`,
		alreadySent && `${recipients(alreadySent)} already ${alreadySent === 1 ? 'has' : 'have'} this message.`,
		inDoubt &&
			`${recipients(inDoubt)} may already have this message, so a run would not send it to them again.`,
		repeated && `${messages(repeated)} would be skipped, because the recipient is in the run before.`,
		duration &&
			`${known.length ? 'The rest takes' : rest === 1 ? 'It takes' : 'They take'} about ${durationOf(duration)} at the credential's limits.`,
		rest && prepared.hours && hoursIn(prepared.hours, pace, rest),
		accepted
			? `${accepted === 1 ? 'One test message was' : `${accepted} test messages were`} accepted.`
			: 'Nothing was sent.',
		`To send the messages, remove 'Test Run'.`,
	]
		.filter(Boolean)
		.join(' ');
}

function hoursIn({ leftMs, inWords }: NonNullable<Prepared['hours']>, pace: Pace, rest: number): string {
	const fitting = pace.within(leftMs);
	if (fitting >= rest)
		return `${rest === 1 ? 'It fits' : 'All of them fit'} into what is left of today's sending hours, ${inWords}.`;
	return `About ${written(fitting)} of these messages fit into what is left of today's sending hours, ${inWords}.`;
}

const written = (count: number) => count.toLocaleString('en-US');
const messages = (count: number) => `${written(count)} message${count === 1 ? '' : 's'}`;
const recipients = (count: number) => `${written(count)} recipient${count === 1 ? '' : 's'}`;
