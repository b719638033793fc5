import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addContacts } from '../../sandbox/emulator';
import { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { howOften, standing } from './once';
import {
	callAsTool,
	credentialFor,
	hintsOf,
	newWorkflowId,
	retryNode,
	runNode,
	useEmulator,
	type RunOptions,
} from './harness';
import { countsIn, refusal, send } from './messages';

/*
 * 'Sending Hours' on the real engine. The clock of the wall is moved, and the waits take real time. test/unit/hours.test.ts has whole
 * days in virtual time.
 */

const service = useEmulator();

const { now } = Date;
let ahead = 0;
const itIs = (time: string) => (ahead = Date.parse(time) - now());
beforeEach(() => {
	ahead = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
});
afterEach(() => jest.restoreAllMocks());

/** n8n's time zone is America/New_York, UTC-5 in winter. */
const lastSeconds = '2026-11-27T20:59:57-05:00';
const night = '2026-11-27T23:15:00-05:00';
const morning = '2026-11-28T09:00:00-05:00';

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (America/New_York)';

const sendingHours = (values: IDataObject = { from: '09:00', until: '21:00' }, options: IDataObject = {}) =>
	({ ...send, contactMessenger: 'vk', options: { ...options, sendingHours: { values } } }) as INodeParameters;

const lettersFor = (count: number) =>
	addContacts(service.data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }));

const run = async (options: Partial<RunOptions>) =>
	await runNode({
		parameters: sendingHours(),
		credential: credentialFor(service, { requestsPerSecond: 3 }),
		...options,
	});

const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** A broadcast that is protected by 'Send Once Per', with its own store. */
function protectedBroadcast() {
	const deduplication = new MemoryDeduplicator();
	const workflowId = newWorkflowId();
	return { deduplication, ids: { workflowId, nodeId: 'tested' }, options: { deduplication, workflowId } };
}

const once = sendingHours(undefined, { sendOncePer: 'осень' });

test.each(modes)('%s: a run ends with its hours, and the next run sends the rest', async (onError) => {
	itIs(lastSeconds);
	const items = lettersFor(20);
	const { deduplication, ids, options } = protectedBroadcast();
	const first = await run({ ...options, parameters: once, items, node: { onError } });
	const sent = service.deliveries().length;
	expect(sent).toBeGreaterThanOrEqual(1);
	expect(sent).toBeLessThanOrEqual(12);
	expect(first.error).toBeUndefined();
	expect(hintsOf(first).join()).toContain(
		`${sent} of 20 messages were sent before 21:00 (America/New_York). Start the workflow again tomorrow after 09:00`,
	);
	expect(standing(deduplication, ids)).toEqual({ sent, inDoubt: 0 });
	const [done = [], failed = []] = first.outputs;
	const [rest, others] = onError === 'continueErrorOutput' ? [failed, []] : [done.slice(sent), failed];
	expect(others).toEqual([]);
	expect(done.slice(0, sent).map(({ json }) => json)).toEqual(Array(sent).fill({ success: true }));
	expect(rest.map(({ json }) => String(json.error).slice(0, notAttempted.length))).toEqual(
		Array(onError === 'stopWorkflow' ? 0 : 20 - sent).fill(notAttempted),
	);
	itIs(morning);
	const credential = credentialFor(service);
	const next = await run({ ...options, parameters: once, items, node: { onError }, credential });
	expect(next.json.filter(({ alreadySent }) => alreadySent)).toHaveLength(sent);
	expect(howOften(service, items)).toEqual(Array(20).fill(1));
});

test.each(modes)('%s: a run that starts outside of its hours sends nothing and says why', async (onError) => {
	itIs(night);
	const { error, outputs } = await run({ items: lettersFor(3), node: { onError } });
	expect(service.requests).toEqual([]);
	const rows = outputs.flat().map(({ json }) => String(json.error));
	const expected = [0, 1, 2].map((item) => `${notAttempted} [Item ${item}]`);
	expect(onError === 'stopWorkflow' ? [error!.message] : rows).toEqual(
		onError === 'stopWorkflow' ? expected.slice(0, 1) : expected,
	);
	if (error) expect(error.description).toMatch(/^It is 23:15 there\. Start the workflow again tomorrow/);
});

test('a retried execution sends nothing at night, and only what is missing in the morning', async () => {
	itIs('2026-11-27T12:00:00-05:00');
	const items = lettersFor(4);
	service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
	const credential = credentialFor(service, { requestsPerSecond: 1 });
	const failed = await run({ items, credential });
	expect(countsIn(failed.error!.description)).toEqual([4, 1, 1, 2]);
	itIs(night);
	const atNight = await retryNode(failed);
	expect(atNight.error!.message).toContain(notAttempted);
	expect(service.requests).toHaveLength(2);
	itIs(morning);
	service.faults.clear();
	const retried = await retryNode(atNight);
	expect([retried.error, retried.json.length]).toEqual([undefined, 4]);
	expect(howOften(service, items)).toEqual([1, 1, 1, 1]);
});

test('Retry On Fail after the end of the hours keeps what was sent', async () => {
	itIs(lastSeconds);
	const [first, ...others] = lettersFor(20);
	const node = {
		onError: 'continueRegularOutput',
		retryOnFail: true,
		maxTries: 2,
		waitBetweenTries: 1000,
	} as const;
	const { json } = await run({ items: [{ ...first!, id: 0 }, ...others], node });
	const sent = service.deliveries().length;
	expect(sent).toBeGreaterThanOrEqual(1);
	expect(json.filter(({ success }) => success)).toHaveLength(sent);
	expect(json.filter(({ error }) => String(error).startsWith(notAttempted))).toHaveLength(19 - sent);
});

test.each<[string, { timezone?: string }, string, isOpen: boolean]>([
	['of n8n', {}, '2026-11-27T20:00:00-05:00', true],
	['of the workflow, in the evening', { timezone: 'Asia/Kamchatka' }, '2026-11-27T21:00:00+12:00', false],
	['of the workflow, in the morning', { timezone: 'Asia/Kamchatka' }, '2026-11-27T09:00:00+12:00', true],
	['of half an hour', { timezone: 'Asia/Kolkata' }, '2026-11-27T08:45:00+05:30', false],
])('the hours are those of the time zone %s', async (_, options, time, isOpen) => {
	itIs(time);
	const { error } = await run({ items: lettersFor(1), ...options });
	expect([service.requests.length, error?.message]).toEqual(
		isOpen ? [1, undefined] : [0, `${notAttempted.replace('America/New_York', options.timezone!)} [Item 0]`],
	);
});

test('expressions can give the hours, and a message to a WhatsApp number has them too', async () => {
	itIs('2026-11-27T21:30:00-05:00');
	const [{ botId, phone, id }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [never];
	const parameters = (until: string) =>
		({
			...{ resource: 'message', operation: 'sendToWhatsApp', botId, phone, text: 'Привет' },
			options: { sendingHours: { values: { from: "={{ '0' + 9 + ':00' }}", until } } },
		}) as INodeParameters;
	const items = [{ until: '22:00' }];
	const until = '={{ $json.until }}';
	expect((await run({ parameters: parameters(until), items })).json).toEqual([{ success: true }]);
	expect((await run({ parameters: parameters('21:00'), items })).error!.message).toContain(notAttempted);
	expect(howOften(service, [{ id }])).toEqual([1]);
});

test('a model reads why the node sends nothing at night', async () => {
	itIs(night);
	const [contact] = addContacts(service.data, 1);
	const parameters = { ...sendingHours(), contactId: contact!.id, text: 'Привет' };
	const answer = await callAsTool({ parameters, credential: credentialFor(service) }, [{ arguments: {} }]);
	expect(JSON.stringify(answer)).toContain(notAttempted);
	expect(service.requests).toEqual([]);
});

describe('hours that are none are refused by name, and nothing leaves', () => {
	const from = (value: unknown) => ({ from: value, until: '21:00' }) as IDataObject;
	const noTime = (label: string) => `'Sending Hours: ${label}' must be a time of day`;
	beforeEach(() => itIs('2026-11-27T12:00:00-05:00'));

	test.each<[IDataObject, message: string, advice: RegExp]>([
		[from('25:00'), noTime('From'), /from 00:00 .* to 23:59.*"25:00"/],
		[from('24:00'), noTime('From'), /"24:00"/],
		[from('утром'), noTime('From'), /"утром"/],
		[from('6'), noTime('From'), /"6"/],
		[from('={{ 9 }}'), noTime('From'), /9/],
		[from('={{ $now }}'), noTime('From'), /2026/],
		[from('9:00 AM'), noTime('From'), /"9:00 AM"/],
		[{ from: '09:00', until: '22.00' }, noTime('Until'), /"22.00"/],
		[from('={{ $json.nothing }}'), "'Sending Hours: From' is empty", /Enter a value/],
		[from(''), "'Sending Hours: From' is empty", /Enter a value/],
		[from('={{ $json.id.a.b }}'), "'Sending Hours: From'", /./],
		[{ from: '9:00', until: '09:00' }, "'Sending Hours' begin and end at the same time", /different times/],
		[from('{{ $json.from }}'), "'Sending Hours: From' holds an expression that n8n has not evaluated", /./],
	])('%j', async (hours, message, advice) => {
		for (const onError of modes) {
			const { error, outputs } = await run({
				...{ parameters: sendingHours(hours), items: lettersFor(2), node: { onError } },
			});
			const rows = outputs.flat().map(({ json }) => `${json.error} ${json.message}`);
			const said = error ? [`${error.message} ${error.description}`] : rows;
			expect(said).toHaveLength(error ? 1 : 2);
			for (const each of said) {
				expect(each).toContain(message);
				expect(each).toMatch(advice);
			}
			expect(service.requests).toEqual([]);
		}
	});

	test('an expression that differs per item', async () => {
		const items = ['09:00', '9:00:00', '10:00'].map((time, index) => ({ ...lettersFor(1)[0]!, index, time }));
		const parameters = sendingHours(from('={{ $json.time }}'));
		const stopped = await run({ parameters, items });
		expect(stopped.error!.message).toBe("'Sending Hours' must be the same for all items [Item 2]");
		expect(stopped.error!.description).toContain('split the items by zone');
		expect(service.requests).toEqual([]);
		const { json } = await run({ parameters, items, node: { onError: 'continueRegularOutput' } });
		expect(json.map(({ error }) => error)).toEqual([undefined, undefined, stopped.error!.message]);
	});

	test('an expression that is wrong for the first item', async () => {
		const items = ['утром', '09:00'].map((time) => ({ ...lettersFor(1)[0]!, time }));
		const parameters = sendingHours(from('={{ $json.time }}'));
		const { json } = await run({ parameters, items, node: { onError: 'continueRegularOutput' } });
		expect(json.map(({ error }) => error)).toEqual([
			`${noTime('From')} [Item 0]`,
			"'Sending Hours' must be the same for all items [Item 1]",
		]);
		expect(service.requests).toEqual([]);
	});
});

test.each<[string, messenger: string, length: number, notice: string | undefined]>([
	['4,096 characters in Telegram', 'telegram', 4096, undefined],
	['4,097 characters in Telegram', 'telegram', 4097, 'more than the 4096 characters that Telegram takes'],
	['4,001 characters in MAX', 'max', 4001, 'more than the 4000 characters that MAX takes'],
	['7,000 characters in Viber', 'viber', 7000, undefined],
	['4,097 characters in an unknown messenger', 'unknown', 4097, 'that most messengers take'],
])('after the run, a notice names texts that are too long: %s', async (_, messenger, length, notice) => {
	const items = [{ ...lettersFor(1)[0]!, text: 'я'.repeat(length) }, lettersFor(1)[0]!];
	const result = await run({ parameters: { ...send, contactMessenger: messenger }, items });
	expect(result.json).toEqual([{ success: true }, { success: true }]);
	const hints = hintsOf(result).join();
	if (notice) expect(hints).toMatch(new RegExp(`${notice}.*\\(1 of 2 items\\)`));
	else expect(hints).toBe('');
});

test('the notice about the length names WhatsApp for a WhatsApp number', async () => {
	const [{ botId, phone }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [never];
	const parameters = {
		resource: 'message',
		operation: 'sendToWhatsApp',
		botId,
		phone,
		text: 'я'.repeat(4097),
	};
	const hints = hintsOf(await run({ parameters }));
	expect(hints.join()).toContain('more than the 4096 characters that WhatsApp takes');
});
