import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { hostFolder, poll, until } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { openOwnBench, userFolderOf } from '../support/bench';
import { exampleIn, exampleOf, openExamples, reported, serviceIn } from '../support/examples';

/*
 * The example "Broadcast on Friday at ten, once" in an n8n whose wall clock the tests move: from Friday morning to the end of its hours,
 * to Saturday, to the next Friday. Libfaketime changes what the process is told about the time of day; its timers count real seconds, as
 * after a computer has slept.
 */

const file = 'broadcast-on-friday.json';
const broadcast = 'Скидка выходного дня, ноябрь';
const { telegram: anna, whatsapp: ivan, vk: manager } = SEEDED.contacts;

/** The clock reads its difference from the real time here. */
const clockFile = join(userFolderOf('friday-clock'), 'time');

const bench = openExamples(async () => {
	await moveClock('2026-11-13T09:40:00+03:00');
	const env = {
		// The variant for several threads, from the package faketime. The loader knows which folder $LIB is.
		LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
		FAKETIME_TIMESTAMP_FILE: clockFile,
		FAKETIME_NO_CACHE: '1',
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
		NO_FAKE_STAT: '1',
		// The login must outlast the week.
		N8N_USER_MANAGEMENT_JWT_DURATION_HOURS: '720',
	};
	return await openOwnBench('friday', { env, limits: {} });
});
const { changes, delivered, giveVariable } = serviceIn(bench);
const { removeTestRun, run } = exampleIn(bench, file);

test('Friday ends at nine, Saturday sends what is left', async () => {
	const [second, strangers] = people();
	const outcomes = (early: string, late = early) => ({
		...{ [anna]: early, [ivan]: early, [manager]: early },
		[second]: late,
	});
	// As imported, at night.
	await moveClock('2026-11-13T05:00:00+03:00');
	expect(reported(await run())).toEqual(outcomes('can be sent'));
	expect(changes()).toEqual([]);
	await removeTestRun();

	const friday = await startedBySchedule('2026-11-13');
	await until(() => [anna, ivan, manager].every((id) => delivered()[id]));
	await moveClock('2026-11-13T20:59:58+03:00');
	const first = await bench.api.waitForExecution(friday);
	expect(reported(first)).toEqual(outcomes('accepted', 'left for the next run'));
	expect(delivered()[anna]).toEqual([expect.stringContaining('Здравствуйте, друг!')]);
	const hours = '09:00 until 21:00 (Europe/Moscow)';
	expect(reported(first, 'reason')[second]).toMatch(`Not attempted: messages leave only from ${hours}`);
	const ended = `Broadcast “${broadcast}”: results of this run\n`;
	expect(delivered()[manager]!.at(-1)).toBe(`${ended}accepted: 3\nleft for the next run: 1`);

	const next = await bench.api.waitForExecution(await startedBySchedule('2026-11-14'));
	expect(reported(next)).toEqual(outcomes('accepted before', 'accepted'));
	expect(delivered()[manager]!.at(-1)).toBe(`${ended}accepted: 1\naccepted before: 3`);

	// The next Friday.
	const again = await bench.api.waitForExecution(await startedBySchedule('2026-11-20'));
	expect(reported(again)).toEqual(outcomes('accepted before'));
	for (const id of [anna, ivan, second]) expect(delivered()[id]).toHaveLength(1);
	for (const id of strangers) expect(delivered()[id]).toBeUndefined();
});

/**
 * Leaves four contacts of the bot, and two who have opted out with the tag and with the variable. WhatsApp accepts a message in ten
 * seconds, so the second of them waits.
 *
 * @returns the IDs of the second, and of those who have opted out
 */
function people(): [number, number[]] {
	const { data } = bench.service;
	for (const { id } of [...data.contacts.values()]) if (id > SEEDED.contacts.bare) data.contacts.delete(id);
	data.contacts.get(anna)!.name = '';
	const [second, tagged, other] = addContacts(data, 3, { messenger: 'whatsapp' });
	tagged!.tags.push('Не писать');
	giveVariable(other!.id, 'Не писать', 'да');
	return [second!.id, [tagged!.id, other!.id]];
}

/** Publishes the workflow shortly before ten o'clock in Moscow. @returns the execution that the schedule starts */
async function startedBySchedule(day: string): Promise<string> {
	const { api, examples } = bench;
	const id = examples.get(file)!;
	const known = new Set((await api.executions(id)).map((each) => each.id));
	const started = async () => (await api.executions(id)).find((each) => !known.has(each.id))?.id;
	await moveClock(Date.parse(`${day}T10:00:00+03:00`) + (secondOf(id) - 8) * 1000);
	// The timer of a schedule does not notice that the clock has moved, so it is set again.
	await api.deactivateWorkflow(id);
	await api.activateWorkflow(id);
	return await poll(started, {
		timeoutMs: 30_000,
		failure: 'The schedule did not start, for which Debian needs "apt-get install faketime",',
	});
}

/** The second of the minute in which n8n starts a schedule, so that not all of them start at once. */
function secondOf(workflowId: string): number {
	const { toCronExpression } = createRequire(join(hostFolder, 'package.json'))(
		'n8n-nodes-base/dist/nodes/Schedule/GenericFunctions',
	) as { toCronExpression(interval: object, node: string): string };
	const { id, parameters } = exampleOf(file).nodes.find(({ name }) => name === 'Friday and Saturday at ten')!;
	const { interval } = parameters.rule as { interval: [object] };
	const cron = toCronExpression({ ...interval[0], triggerAtMinute: 0 }, `${workflowId}:${id}`);
	return Number(cron.split(' ', 1)[0]);
}

/** Sets the clock, which continues from there. */
async function moveClock(time: string | number): Promise<void> {
	const seconds = (new Date(time).getTime() - Date.now()) / 1000;
	await mkdir(dirname(clockFile), { recursive: true });
	// The process reads the file at any moment, so it must never be empty.
	await writeFile(`${clockFile}.new`, `${seconds < 0 ? '' : '+'}${seconds.toFixed(3)}\n`);
	await rename(`${clockFile}.new`, clockFile);
}
