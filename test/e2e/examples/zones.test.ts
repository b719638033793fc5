import { openOwnBench } from '../support/bench';
import { settableClock } from '../support/settableClock';
import { containing, exampleIn, exampleOf, openExamples, reported, serviceIn } from '../support/examples';

/* The broadcast on Friday, at different times of a day, to people in three time zones. Only a clock that the test sets can show that. */

const name = 'zones';
let clock: Awaited<ReturnType<typeof settableClock>>;

const bench = openExamples(async () => {
	clock = await settableClock(name);
	return await openOwnBench(name, { env: clock.env });
});
const { contact, delivered, giveVariable } = serviceIn(bench);

const file = 'broadcast-on-friday.json';
const friday = exampleIn(bench, file);

/** Gets the reports. */
const manager = 5004;
/** The first has no time zone, so that of the example counts. */
const people = [5001, 5002, 5007] as const;
const [, vladivostok, yekaterinburg] = people;

const each = (values: string[]) => Object.fromEntries(people.map((id, index) => [id, values[index]]));

beforeEach(() => {
	const { contacts } = bench.service.data;
	for (const id of [...contacts.keys()]) if (![manager, ...people].includes(id)) contacts.delete(id);
	contact(manager).tags.push('Не писать');
	giveVariable(vladivostok, 'Часовой пояс', 'Asia/Vladivostok');
	giveVariable(yekaterinburg, 'Часовой пояс', 'МСК+2');
});

const [night, gets, has] = ['left for the next run', 'accepted', 'accepted before'];

test('each zone gets the message in its morning, once, and the manager a report only of that', async () => {
	await friday.removeTestRun();
	let reports = 0;
	for (const [time, ...outcomes] of [
		['00:10', night, gets, night],
		['01:10', night, has, night],
		['05:10', night, has, gets],
		['07:10', gets, has, has],
		['08:10', has, has, has],
		['18:10', night, night, night],
	] as const) {
		await clock.set(time);
		expect([time, reported(await friday.run())]).toEqual([time, each([...outcomes])]);
		if ((outcomes as readonly string[]).includes(gets)) reports++;
		expect(delivered()[manager] ?? []).toHaveLength(reports);
	}
	for (const id of people) expect(delivered()[id]).toHaveLength(1);
});

test('the note shows how a column and a city become a time zone', async () => {
	giveVariable(vladivostok, 'Город', 'Владивосток');
	giveVariable(yekaterinburg, 'Город', 'Омск');
	const { parameters } = exampleOf(file).nodes.find(({ name }) => name === 'Send note')!;
	const codes = [...String(parameters.content).matchAll(/`(\{\{.*?\}\})`/g)].map(([, code]) => code!);
	await clock.set('18:10');
	const zones: Array<Record<string, unknown>> = [];
	for (const code of codes) {
		const values = { from: '10:00', until: '21:00', timeZone: `=${code}` };
		await friday.removeTestRun({ sendingHours: { values } });
		zones.push(reported(await friday.run(), 'reason'));
	}
	const inZone = (zone: string) => containing(`messages leave only from 10:00 until 21:00 (${zone})`);
	expect(zones).toEqual([
		each(['МСК', 'МСК', 'МСК'].map(inZone)),
		each(['МСК', 'МСК+7', 'МСК+3'].map(inZone)),
	]);
	expect(delivered()).toEqual({});
});
