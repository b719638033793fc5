import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sendingHours as hoursField } from '../../nodes/ChatbotService/resources/message/hours';
import { noTimeZone } from '../../nodes/ChatbotService/resources/time';
import { addContacts } from '../../sandbox/emulator';
import { MemoryDeduplicator } from './n8n/deduplication';
import { credentialFor, newWorkflowId, retryNode, runNode, useEmulator, type RunOptions } from './harness';
import { countsIn, lettersFor, refusal, send } from './messages';
import { howOften } from './once';

/*
 * 'Sending Hours' on the real engine. The clock of the wall is moved, and the waits take real time. test/unit/hours.test.ts has whole
 * days in virtual time.
 */

const service = useEmulator();

const { now } = Date;
let ahead = 0;
const itIs = (time: string) => (ahead = Date.parse(time) - now());
beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead));
afterEach(() => jest.restoreAllMocks());

/** n8n's time zone is America/New_York, UTC-5 in winter. */
const noon = '2026-11-27T12:00:00-05:00';
const night = '2026-11-27T23:15:00-05:00';
const morning = '2026-11-28T09:00:00-05:00';

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (America/New_York)';

const sendingHours = (values: IDataObject = { from: '09:00', until: '21:00' }, options: IDataObject = {}) =>
	({ ...send, contactMessenger: 'vk', options: { ...options, sendingHours: { values } } }) as INodeParameters;

const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: sendingHours(), credential: credentialFor(service), ...options });

const modes = ['stopWorkflow', 'continueErrorOutput'] as const;

test.each(modes)('%s: a run that starts outside of its hours sends nothing and says why', async (onError) => {
	itIs(night);
	const { error, outputs } = await run({ items: lettersFor(service, 2), node: { onError } });
	expect(service.requests).toEqual([]);
	const rows = outputs.flat().map(({ json }) => json.error);
	expect(error ? [error.message] : rows).toEqual(
		(error ? [0] : [0, 1]).map((item) => `${notAttempted} [Item ${item}]`),
	);
	if (error)
		expect(error.description).toMatch(
			/^0 sent, 2 not attempted\. It is 23:15 there\. Start the workflow again tomorrow/,
		);
});

test.each([
	[{}, ', only with the items that were not attempted.'],
	[{ sendOncePer: 'осень' }, ": with 'Send Once Per', no one gets a message twice."],
])('the advice to start again fits the options %j', async (options, said) => {
	itIs(night);
	const parameters = sendingHours(undefined, options);
	const { error } = await run({ items: lettersFor(service, 1), parameters });
	expect(error!.description).toContain(said);
});

test('a retried execution sends nothing at night, and only what is missing in the morning', async () => {
	itIs(noon);
	const items = lettersFor(service, 4);
	service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
	const failed = await run({ items, credential: credentialFor(service, { requestsPerSecond: 1 }) });
	expect(countsIn(failed.error!.description)).toEqual([4, 1, 1, 2]);
	service.faults.clear();
	itIs(night);
	const atNight = await retryNode(failed);
	expect(atNight.error!.message).toContain(notAttempted);
	expect(service.requests).toHaveLength(2);
	itIs(morning);
	const retried = await retryNode(atNight, { credential: credentialFor(service) });
	expect([retried.error, retried.json.length]).toEqual([undefined, 4]);
	expect(howOften(service, items)).toEqual([1, 1, 1, 1]);
});

test.each<[string, string | undefined, string, isOpen: boolean]>([
	['of n8n', undefined, '2026-11-27T20:00:00-05:00', true],
	['of the workflow', 'Asia/Kamchatka', '2026-11-27T21:00:00+12:00', false],
	['of the workflow', 'Asia/Kamchatka', '2026-11-27T09:00:00+12:00', true],
])('the hours are those of the time zone %s (%s at %s)', async (_, timezone, time, isOpen) => {
	itIs(time);
	const { error } = await run({ items: lettersFor(service, 1), ...(timezone && { timezone }) });
	expect([service.requests.length, error?.message]).toEqual(
		isOpen ? [1, undefined] : [0, `${notAttempted.replace('America/New_York', timezone!)} [Item 0]`],
	);
});

test.each(['"Europe/Moscow"', 'MSK', 'GMT+3', 'UTC+3', 'Europe/Moskow', 'Москва', 'local'])(
	'no message leaves in the time zone %s, and each does once it is corrected, although each counts once',
	async (zone) => {
		itIs('2026-11-27T12:00:00+03:00');
		const options = {
			...{ items: lettersFor(service, 2), parameters: sendingHours(undefined, { sendOncePer: 'осень' }) },
			...{ deduplication: new MemoryDeduplicator(), workflowId: newWorkflowId() },
		};
		const { message, advice } = noTimeZone(hoursField.displayName, zone);
		const stopped = await run({ ...options, timezone: zone });
		expect(stopped.error?.message).toBe(`${message} [Item 0]`);
		expect(stopped.error?.description).toContain(advice);
		expect(advice).toContain(zone);
		const { outputs } = await run({ ...options, timezone: zone, node: { onError: 'continueErrorOutput' } });
		expect([outputs[0], outputs[1]!.map(({ json }) => json.error)]).toEqual([
			[],
			[0, 1].map((item) => `${message} [Item ${item}]`),
		]);
		expect(service.requests).toEqual([]);
		const { json } = await run({ ...options, timezone: 'Europe/Moscow' });
		expect(json).toEqual([{ success: true }, { success: true }]);
	},
);

test('expressions can give the hours, and a message to a WhatsApp number has them too', async () => {
	itIs('2026-11-27T21:30:00-05:00');
	const [{ botId, phone }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [never];
	const values = { from: "={{ '0' + 9 + ':00' }}", until: '={{ $json.until }}' };
	const parameters = {
		...{ resource: 'message', operation: 'sendToWhatsApp', botId, phone, text: 'Привет' },
		options: { sendingHours: { values } },
	};
	expect((await run({ parameters, items: [{ until: '22:00' }] })).json).toEqual([{ success: true }]);
	expect((await run({ parameters, items: [{ until: '21:00' }] })).error!.message).toContain(notAttempted);
	expect(service.deliveries()).toHaveLength(1);
});

describe('hours that are none are refused by name, and nothing leaves', () => {
	const from = (value: unknown) => ({ from: value, until: '21:00' }) as IDataObject;
	beforeEach(() => itIs(noon));

	test.each<[IDataObject, message: string, advice: RegExp]>([
		[from('25:00'), "'Sending Hours: From' must be a time of day", /from 00:00 .* to 23:59.*"25:00"/],
		[from('={{ $now }}'), "'Sending Hours: From' must be a time of day", /2026/],
		[{ from: '09:00', until: '22.00' }, "'Sending Hours: Until' must be a time of day", /"22.00"/],
		[from('={{ $json.nothing }}'), "'Sending Hours: From' is empty", /Enter a value/],
		[{ from: '9:00', until: '09:00' }, "'Sending Hours' begin and end at the same time", /different times/],
		[from('{{ $json.from }}'), "'Sending Hours: From' holds an expression that n8n has not evaluated", /./],
	])('%j', async (hours, message, advice) => {
		const { error } = await run({ parameters: sendingHours(hours), items: lettersFor(service, 2) });
		expect(error!.message).toContain(message);
		expect(error!.description).toMatch(advice);
		expect(service.requests).toEqual([]);
	});

	test.each([
		['from', ['09:00', '9:00:00', '10:00'], [2]],
		['until', ['22:00', '22:00:00', '20:00'], [2]],
		['from', ['утром', '09:00', '09:00'], [0, 1, 2]],
	])('in the items with other hours than the first: %s %j', async (side, times, wrong) => {
		const items = times.map((time) => ({ ...lettersFor(service, 1)[0]!, time }));
		const parameters = sendingHours({ ...from('09:00'), [side]: '={{ $json.time }}' });
		expect((await run({ parameters, items })).error!.message).toContain("'Sending Hours");
		expect(service.requests).toEqual([]);
		const { json } = await run({ parameters, items, node: { onError: 'continueRegularOutput' } });
		expect(json.flatMap(({ error }, item) => (error ? [item] : []))).toEqual(wrong);
		for (const item of wrong) expect(json[item]!.error).toContain("'Sending Hours");
		expect(service.requests).toHaveLength(times.length - wrong.length);
	});
});
