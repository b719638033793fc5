import { sendingHours as hoursField } from '../../nodes/ChatbotService/resources/message/sendingHours';
import { noTimeZone } from '../../nodes/ChatbotService/resources/time';
import { addContacts } from '../../sandbox/emulator';
import { me, testing, toVk, toWhatsApp } from './messages';
import { newStore } from './once';
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
