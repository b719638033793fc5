import { createRequire } from 'node:module';
import { join } from 'node:path';

import { type Execution, hostFolder, poll, until } from '../../../sandbox/host';
import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { withCredential } from '../../../sandbox/start/examples';
import { type Bench, openOwnBench, userFolderOf } from '../support/bench';
import { type Clock, startClock } from '../support/clock';
import { duringTests } from '../support/duringTests';
import { exampleFiles, russianExamplesFolder } from '../support/exampleFiles';
import { fileOf, rows } from '../support/examples';

/* The example "Broadcast on Friday at ten" in an n8n whose clock the tests move: from Friday morning to the end of its hours, to Saturday. */

const file = 'broadcast-on-friday.json';
const trigger = 'Friday and Saturday at ten';
const broadcast = 'Скидка выходного дня, 2026-W46';
const optOut = 'Не писать';
const hours = '09:00 until 21:00 (Europe/Moscow)';
const { telegram: anna, whatsapp: ivan, vk: manager } = SEEDED.contacts;

const bench = duringTests<Bench & { clock: Clock }>(async () => {
	const clock = await startClock(join(userFolderOf('friday-clock'), 'time'), '2026-11-13T09:40:00+03:00');
	return { clock, ...(await openOwnBench('friday', { env: clock.env, limits: {} })) };
});

test('the schedule starts a broadcast on Friday, its hours end it, and on Saturday the schedule sends exactly what is left', async () => {
	const [second, third, stranger] = people();

	const friday = await startedBySchedule('2026-11-13');
	await until(() => recipients().length >= 3, { failure: 'The first messages have not left' });
	await bench.clock.moveTo('2026-11-13T20:59:58+03:00');
	const first = await bench.api.waitForExecution(friday);
	expect(first.status).toBe('success');
	expect(outcomes(first)).toEqual({
		[anna]: 'accepted',
		[ivan]: 'accepted',
		[manager]: 'accepted',
		[second]: 'left for the next run',
		[third]: 'left for the next run',
	});
	expect(recipients().sort()).toEqual([anna, ivan, manager, manager]);
	expect(deliveriesTo(anna)).toEqual([expect.stringContaining('Здравствуйте, друг!')]);
	expect(reasonOf(first, second)).toMatch(`Not attempted: messages leave only from ${hours}`);
	const ended = `The broadcast “${broadcast}” has ended for today.\n`;
	expect(deliveriesTo(manager).at(-1)).toBe(`${ended}accepted: 3\nleft for the next run: 2`);
	expect(first.output('Report for Excel')).toEqual([
		expect.objectContaining({
			binary: { data: expect.objectContaining({ fileName: 'broadcast-report.xlsx' }) },
		}),
	]);

	const saturday = await startedBySchedule('2026-11-14');
	const next = await bench.api.waitForExecution(saturday);
	expect(outcomes(next)).toEqual({
		[anna]: 'accepted before',
		[ivan]: 'accepted before',
		[manager]: 'accepted before',
		[second]: 'accepted',
		[third]: 'accepted',
	});
	expect(deliveriesTo(manager).at(-1)).toBe(`${ended}accepted before: 3\naccepted: 2`);
	for (const id of [anna, ivan, second, third]) expect(deliveriesTo(id)).toHaveLength(1);
	expect(deliveriesTo(stranger)).toEqual([]);
	bench.service.assertContract();
});

test('the Russian workflow, which somebody starts at night, sends nothing and tells the manager so in Russian', async () => {
	const { api, clock, credential, examples } = bench;
	const { workflow } = exampleFiles(russianExamplesFolder).find((each) => each.file === file)!;
	const id = examples.get(file)!;
	await api.updateWorkflow(id, withCredential(workflow, credential));
	const before = recipients().length;
	await clock.moveTo('2026-11-14T23:30:00+03:00');
	const execution = await api.runWorkflow(id);
	expect(execution.status).toBe('success');
	expect(new Set(Object.values(outcomes(execution)))).toEqual(new Set(['осталось на следующий запуск']));
	expect(recipients().slice(before)).toEqual([manager]);
	expect(deliveriesTo(manager).at(-1)).toBe(
		`Рассылка «${broadcast}» на сегодня закончена.\nосталось на следующий запуск: 5`,
	);
});

/**
 * Leaves five contacts of the bot and one with the opt-out tag. WhatsApp accepts a message in ten seconds, so two of the five wait.
 *
 * @returns the IDs of the two, and of the person with the tag
 */
function people(): [number, number, number] {
	const { data } = bench.service;
	for (const { id } of [...data.contacts.values()]) if (id > SEEDED.contacts.bare) data.contacts.delete(id);
	data.contacts.get(anna)!.name = '';
	const [second, third, stranger] = addContacts(data, 3, { messenger: 'whatsapp' });
	stranger!.tags.push(optOut);
	return [second!.id, third!.id, stranger!.id];
}

/** Publishes the workflow shortly before ten o'clock in Moscow. @returns the execution that the schedule starts */
async function startedBySchedule(day: string): Promise<string> {
	const { api, clock, examples } = bench;
	const id = examples.get(file)!;
	const known = new Set((await api.executions(id)).map((each) => each.id));
	const tenMs = Date.parse(`${day}T10:00:00+03:00`) + secondOf(id) * 1000;
	await clock.moveTo(new Date(tenMs - 10_000).toISOString());
	// The timer of a schedule does not notice that the clock has moved, so it is set again.
	await api.deactivateWorkflow(id);
	await api.activateWorkflow(id);
	return await poll(async () => (await api.executions(id)).find((each) => !known.has(each.id))?.id, {
		failure: 'The schedule has not started the broadcast',
	});
}

/** The second of the minute in which n8n starts a schedule, so that not all of them start at once. */
function secondOf(workflowId: string): number {
	const { toCronExpression } = createRequire(join(hostFolder, 'package.json'))(
		'n8n-nodes-base/dist/nodes/Schedule/GenericFunctions',
	) as { toCronExpression(interval: object, node: string): string };
	const { id, parameters } = fileOf(file).workflow.nodes.find(({ name }) => name === trigger)!;
	const { interval } = parameters.rule as { interval: [object] };
	const cron = toCronExpression({ ...interval[0], triggerAtMinute: 0 }, `${workflowId}:${id}`);
	return Number(cron.split(' ', 1)[0]);
}

const recipients = () => bench.service.deliveries().map(({ contactId }) => contactId);

const deliveriesTo = (id: number) =>
	bench.service
		.deliveries()
		.filter(({ contactId }) => contactId === id)
		.map(({ text }) => text);

const outcomes = (execution: Execution) =>
	Object.fromEntries(rows(execution, 'Report').map((row) => [row.contact_id, row.outcome]));

const reasonOf = (execution: Execution, id: number) =>
	rows(execution, 'Report').find((row) => row.contact_id === String(id))?.reason;
