import { sleep } from 'n8n-workflow';

import { notAttempted, notRecorded, recordTaken } from '../../nodes/ChatbotService/client/failure/failure';
import { seededRandom } from '../../sandbox/emulator/random';
import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { newCredential, once, range, runFor } from './runs';

/*
 * Several processes use n8n's store, in which calls that overlap lose what one of them has written. A row of the database serves as
 * their lock. sentOnce.test.ts has processes that stand still or die at any moment.
 */

useVirtualTime();
beforeEach(() => jest.spyOn(Math, 'random').mockImplementation(seededRandom(1)));
afterEach(() => jest.restoreAllMocks());

const lockOf = (size: number) => ({ mode: 'lock' as const, entries: range(0, size).map(String) });
const ofRemoveDuplicates = () => ({ mode: 'of another node' as const, entries: ['ключ 1', 'ключ 2'] });

const sendFrom = async (entries: FakeEntries, count = 1) =>
	await runFor(count, { entries, continues: true }, once);

const { message: storeFailed } = notAttempted(notRecorded(''));
const { message: isTaken } = notAttempted(recordTaken());

test.each([
	['a process alone never uses the row', false, 1, 4],
	['a worker of n8n needs the row', true, 1, 0],
	["a process needs the row if 'n8n Processes' names others", false, 2, 0],
])('%s', async (_, isWorker, workers, sent) => {
	const entries = new FakeEntries({ stored: [], workflow: ofRemoveDuplicates() });
	const account = newCredential();
	const credential = async () => ({ ...(await account()), workers });
	const { done } = await runFor(4, { entries, continues: true, isWorker, credential }, once);
	expect([done, entries.lockCalls > 0]).toEqual([sent, !sent]);
	expect(entries.database.workflow).toEqual(ofRemoveDuplicates());
});

describe('a row of Remove Duplicates', () => {
	test.each([
		['stays as it is, and all items say what to do', 300, 0, 3000],
		['that comes while a process waits stays too', 1, 3000, 60_000],
	])('%s', async (_, count, comesMs, most) => {
		const entries = new FakeEntries({ stored: [], workflow: comesMs ? lockOf(1) : ofRemoveDuplicates() });
		const { database } = entries;
		if (comesMs) setTimeout(() => (database.workflow = ofRemoveDuplicates()), comesMs);
		const { errors, tookMs } = await sendFrom(entries, count);
		expect([new Set(errors), tookMs < most]).toEqual([new Set([isTaken]), true]);
		expect(database).toEqual({ stored: [], workflow: ofRemoveDuplicates() });
	});
});

test('two replace the row of a dead process: one sends', async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const one = new FakeEntries({ stored: [], workflow: lockOf(1) });
	const other = one.inAnotherProcess();
	// One stands still before it deletes the row, the other while it claims.
	const { lockRow } = other;
	const deleteRow = lockRow.delete;
	lockRow.delete = async () => await sleep(5000).then(deleteRow);
	one.before = async () => await sleep(10_000);
	const runs = await Promise.all([one, other].map(async (entries) => await sendFrom(entries)));
	expect(runs.flatMap(({ to }) => to)).toEqual([1]);
});

test('when others take the row again and again, all end', async () => {
	const entries = new FakeEntries({ stored: [], workflow: lockOf(3) });
	const { database } = entries;
	const others = setInterval(() => (database.workflow = lockOf(1 + Math.floor(Math.random() * 5))), 40);
	const { errors, tookMs } = await sendFrom(entries);
	clearInterval(others);
	expect([errors, tookMs < 180_000]).toEqual([[storeFailed], true]);
});

// Others may have replaced the lock meanwhile.
test('a call of half a minute fails, the next one works', async () => {
	const entries = new FakeEntries();
	entries.before = async () => {
		entries.before = () => {};
		await sleep(30_000);
	};
	expect((await sendFrom(entries)).errors).toEqual([storeFailed]);
	expect((await sendFrom(entries, 2)).to).toEqual([2]);
});
