import { sendingHours as hoursField } from '../../nodes/ChatbotService/resources/message/sendingHours';
import { noTimeZone } from '../../nodes/ChatbotService/resources/time';
import { addContacts } from '../../sandbox/emulator';
import { hintsOf } from './harness';
import { me, testing, toVk, toWhatsApp } from './messages';
import { howOften, newStore } from './once';
import { apart, errorsOf, goingOn, scene } from './scene';

/*
 * 'Sending Hours' on the real engine, with the clock of the wall moved. test/unit/hours.test.ts has whole days in virtual time, and the
 * table in test/cases the hours that are none.
 */

const hours = (from: string, until: string) => ({ sendingHours: { values: { from, until } } });
const day = hours('09:00', '21:00');
const { service, run, refusal, letters } = scene({ ...toVk, options: day });

const { now } = Date;
let ahead = 0;
const itIs = (time: string) => (ahead = Date.parse(time) - now());
beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead));
afterEach(() => jest.restoreAllMocks());

/** n8n's time zone is America/New_York, UTC-5 in winter. */
const noon = '2026-11-27T12:00:00-05:00';
const night = '2026-11-27T23:15:00-05:00';

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (America/New_York)';

test.each([
	['America/New_York', {}, '2026-11-27T20:00:00-05:00', true],
	['Asia/Kamchatka', { timezone: 'Asia/Kamchatka' }, '2026-11-27T21:00:00+12:00', false],
	['Asia/Kamchatka', { timezone: 'Asia/Kamchatka' }, '2026-11-27T09:00:00+12:00', true],
])('hours of n8n or the workflow: %s, %j at %s', async (zone, given, time, isOpen) => {
	itIs(time);
	const { error } = await run({ items: letters(1), ...given });
	const said = `${notAttempted.replace('America/New_York', zone)} [Item 0]`;
	expect([service.requests.length, error?.message]).toEqual(isOpen ? [1, undefined] : [0, said]);
	if (!isOpen) expect(error?.description).toContain('It is 21:00 there.');
});

test('no message leaves until the time zone is corrected', async () => {
	itIs('2026-11-27T12:00:00+03:00');
	const given = { items: letters(2), with: { options: { ...day, sendOncePer: 'осень' } }, ...newStore() };
	for (const timezone of ['"Europe/Moscow"', 'MSK', 'GMT+3', 'Europe/Moskow', 'Москва', 'local']) {
		const { message, advice } = noTimeZone(hoursField.displayName, timezone);
		expect((await refusal({ ...given, timezone })).description).toContain(advice);
		const errors = errorsOf(await run({ ...given, timezone, node: apart }));
		expect(errors).toEqual([`${message} [Item 0]`, `${message} [Item 1]`]);
		expect([service.requests, advice]).toEqual([[], expect.stringContaining(timezone)]);
	}
	const { json } = await run({ ...given, timezone: 'Europe/Moscow' });
	expect(json).toEqual([{ success: true }, { success: true }]);
});

test('expressions give the hours, for WhatsApp too', async () => {
	itIs('2026-11-27T21:30:00-05:00');
	const [person] = addContacts(service.data, 1, { messenger: 'whatsapp' });
	const parameters = { ...toWhatsApp, options: hours("={{ '0' + 9 + ':00' }}", '={{ $json.until }}') };
	const until = async (time: string) =>
		await run({ parameters, items: [{ ...person, text: 'Привет', until: time }] as never });
	expect((await until('22:00')).json).toEqual([{ success: true }]);
	expect((await until('21:00')).error!.message).toContain(notAttempted);
	expect(service.deliveries()).toHaveLength(1);
});

test.each([
	['until', ['22:00', '22:00:00', '20:00'], [2]],
	['from', ['утром', '09:00', '09:00'], [0, 1, 2]],
])('items with other hours than the first fail: %s %j', async (side, times, wrong) => {
	itIs(noon);
	const items = times.map((time) => ({ ...letters(1)[0]!, time }));
	const values = { from: '09:00', until: '21:00', [side]: '={{ $json.time }}' };
	const given = { items, with: { options: { sendingHours: { values } } } };
	expect((await run(given)).error!.message).toContain("'Sending Hours");
	expect(service.requests).toEqual([]);
	const errors = errorsOf(await run({ ...given, node: goingOn }));
	expect(errors.flatMap((error, item) => (error ? [item] : []))).toEqual(wrong);
	for (const item of wrong) expect(errors[item]).toContain("'Sending Hours");
	expect(service.requests).toHaveLength(times.length - wrong.length);
});

test('a test message may leave outside of them', async () => {
	itIs(night);
	const { error, json } = await run({ items: letters(2), with: testing({ contactId: me }, day) });
	expect([error, json.length, service.deliveries().length]).toEqual([undefined, 2, 1]);
});

describe('300 people in four time zones', () => {
	const zones = ['МСК', 'Asia/Vladivostok', '+05:00', 'Europe/Berlin'];
	const inZones = { values: { from: '09:00', until: '21:00', timeZone: '={{ $json.zone }}' } };
	const options = { sendOncePer: 'осень', sendingHours: inZones };
	const offsets = (isSummer: boolean) => [3, 10, 5, isSummer ? 2 : 1];
	/** Another reading of the clock: the hour in a zone. The clocks of Berlin change at one o'clock of UTC. */
	const hourIn = (zone: number, time: number) =>
		new Date(time + offsets(time >= Date.parse('2026-03-29T01:00:00Z'))[zone]! * 3_600_000).getUTCHours();
	const isDay = (hour: number) => hour >= 9 && hour < 21;

	test.each([apart, goingOn, { onError: 'stopWorkflow' } as const])(
		'each gets one message by day, over a night and a change of the clocks: %j',
		async (node) => {
			const items = letters(300).map((letter, index) => ({ ...letter, zone: zones[index % 4] }));
			const zoneOf = (id: number) => items.findIndex((item) => item.id === id) % 4;
			const given = { items, node, with: { options }, ...newStore() };
			/** Three minutes pass with each message. Up to ten are on their way when one arrives. */
			const minutes = 3 * 60_000;
			const runAt = async (time: string) => {
				const [began, before] = [Date.parse(time), service.requests.length];
				jest
					.spyOn(Date, 'now')
					.mockImplementation(() => began + (service.requests.length - before) * minutes);
				const result = await run(given);
				const sent = service.requests.slice(before).map(({ input }) => zoneOf(Number(input.contact_id)));
				for (const [index, zone] of sent.entries()) {
					const times = [0, 10].map((onTheWay) => began + Math.max(0, index - onTheWay) * minutes);
					expect(times.some((each) => isDay(hourIn(zone, each)))).toBe(true);
				}
				const many = zones.map((_, zone) => sent.filter((each) => each === zone).length);
				return { ...result, many, notice: hintsOf(result).join('<br>') };
			};

			// It ends after the hours of Moscow, and after those of Berlin.
			const evening = await runAt('2026-03-28T16:30:00Z');
			const [moscow, vladivostok, east, berlin] = evening.many as [number, number, number, number];
			expect([vladivostok, east]).toEqual([0, 0]);
			expect(moscow).toBeLessThan(berlin);
			expect(berlin).toBeLessThan(75);
			expect(evening.notice.split('<br>')).toEqual([
				`${moscow + berlin} sent, ${300 - moscow - berlin} not attempted.`,
				'For 75 of them it is night until 09:00 (Asia/Vladivostok).',
				'For 75 of them it is night until 09:00 (+05:00).',
				`For ${75 - moscow} of them it is night until 09:00 (МСК).`,
				`For ${75 - berlin} of them it is night for longer.`,
				"Start the workflow again then: with 'Send Once Per', no one gets a message twice.",
			]);
			expect(evening.error).toBeUndefined();

			const night = await runAt('2026-03-28T23:00:00Z');
			expect(night.many.slice(0, 2)).toEqual([0, 75]);
			expect(night.many[3]).toBe(0);
			const morning = await runAt('2026-03-29T07:00:00Z');
			expect(morning.many).toEqual([75 - moscow, 0, 75 - night.many[2]!, 75 - berlin]);
			expect(howOften(service, items)).toEqual(Array(300).fill(1));
			if (node.onError === 'stopWorkflow') return;
			const errors = errorsOf(evening).filter(Boolean);
			expect(errors).toHaveLength(300 - moscow - berlin);
			expect(errorsOf(evening)[1]).toBe(`${notAttempted.replace('America/New_York', zones[1]!)} [Item 1]`);
		},
	);
});

test('an item whose zone is open leaves, although n8n has no valid time zone', async () => {
	itIs(noon);
	const sendingHours = { values: { from: '09:00', until: '21:00', timeZone: '={{ $json.zone }}' } };
	const items = ['UTC-5', 'Asia/Vladivostok'].map((zone, index) => ({ ...letters(2)[index]!, zone }));
	const { json } = await run({
		items,
		with: { options: { sendingHours } },
		timezone: 'Москва',
		node: goingOn,
	});
	expect(json).toEqual([
		{ success: true },
		expect.objectContaining({ error: expect.stringContaining('(Asia/Vladivostok)') as string }),
	]);
});
