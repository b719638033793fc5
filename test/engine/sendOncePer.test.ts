import type { ICheckProcessedContextData, INodeParameters } from 'n8n-workflow';

import { recordTaken } from '../../nodes/ChatbotService/client/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, type Contact, type Fault, type Messenger } from '../../sandbox/emulator';
import { faults } from './faults';
import { callAsTool, until, type RunOptions } from './harness';
import { refusal } from './messages';
import { all, came, countOf, goingOn, send, sendToWhatsApp, withOnce, withOnceScene } from './once';

/*
 * The promises of 'Send Once Per', through the real engine: with one value, a recipient gets at most one message, whatever is run
 * again. The emulator records the deliveries, and a store like n8n's keeps the entries. unit/sendOncePer.test.ts covers failures of
 * that store and processes that die.
 */

test.concurrent(
	'a repeated run sends nothing, and marks every item as already sent',
	withOnceScene(async ({ service, inStopMode, letters }) => {
		const items = letters(12);
		expect((await inStopMode({ items })).json).toEqual(items.map(() => ({ success: true })));
		const again = await inStopMode({ items });
		expect(again.error).toBeUndefined();
		expect(again.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
		expect(service.requests).toHaveLength(12);
	}),
);

test.concurrent(
	'a recipient who has the message is skipped with any text, order of items or token',
	withOnceScene(async ({ service, run, credential, anotherToken, letters }) => {
		const items = letters(6);
		await run({ items });
		const again = items.map((item) => ({ ...item, text: 'Другой текст' })).reverse();
		const result = await run({
			items: [...again, ...letters(1)],
			credential: credential({ token: anotherToken(), tokenPlacement: 'bearer' }),
		});
		expect(came(result)).toEqual([...all(6, 'skipped'), 'sent']);
		expect(service.deliveries()).toHaveLength(7);
	}),
);

test.concurrent.each<[string, Messenger, INodeParameters]>([
	[
		'a person in Telegram',
		'telegram',
		{
			...send,
			recipient: 'externalId',
			messenger: 'telegram',
			botId: '={{ $json.botId }}',
			externalId: '={{ $json.phone }}',
		},
	],
	['a WhatsApp number', 'whatsapp', sendToWhatsApp],
])(
	'the phone number of %s identifies one recipient with 8 and with +7, in one run and in the next',
	withOnceScene(async ({ service, run, howOften }, _name, messenger, parameters) => {
		const [{ id, botId, phone }] = addContacts(service.data, 1, { messenger }) as [Contact];
		const [code, rest] = [phone!.slice(1, 4), phone!.slice(4)];
		const items = [`8${code}${rest}`, `+7 (${code}) ${rest}`, phone!, `8-${code}-${rest}`].map((spelled) => ({
			...{ botId, phone: spelled, text: 'Письмо' },
		}));
		expect(came(await run({ parameters, items }))).toEqual(['sent', ...all(3, 'skipped')]);
		for (const item of items) expect(came(await run({ parameters, items: [item] }))).toEqual(['skipped']);
		expect(howOften([{ id }])).toEqual([1]);
	}),
);

test.concurrent(
	'every node and every workflow keeps its own list of recipients with a message',
	withOnceScene(async ({ run, letters }) => {
		const items = letters(2);
		await run({ items });
		expect(came(await run({ items, node: { ...goingOn, id: 'another' } }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items, workflowId: 'another' }))).toEqual(all(2, 'sent'));
		expect(came(await run({ items }))).toEqual(all(2, 'skipped'));
	}),
);

test.concurrent(
	'the store receives only digests, without tokens, texts or phone numbers',
	withOnceScene(async (scene) => {
		const { service, run, letters, numbers } = scene;
		const people = numbers(3);
		await run({ items: people });
		await run({ items: people.slice(0, 1), parameters: sendToWhatsApp });
		service.faults.add({ kind: 'server error' });
		await run({ items: letters(1) });
		const { calls } = scene.deduplication;
		const values = calls.flatMap((call) => call.values);
		expect(values.length).toBeGreaterThan(10);
		for (const value of values) expect(value).toMatch(/^(sent|doubt) [\w-]{32}$/);
		const stored = JSON.stringify([values, scene.deduplication.entries(scene.ids)]);
		for (const secret of [service.token, 'Письмо', 'осень', people[0]!.phone, String(people[0]!.id)])
			expect(stored).not.toContain(secret);
	}),
);

test.concurrent.each([
	['One process changes only its own record', {}, ['node']],
	['With Workers above 1, processes lock the record of the workflow', { workers: 2 }, ['node', 'workflow']],
] as const)(
	'%s, and a single message takes one call before it and one after it',
	withOnceScene(async ({ deduplication, run, credential, letters }, _name, workers, scopes) => {
		const items = letters(1);
		expect(came(await run({ items, credential: credential(workers) }))).toEqual(['sent']);
		const { calls } = deduplication;
		expect([...new Set(calls.map(({ scope }) => scope))].sort()).toEqual(scopes);
		expect(calls.filter(({ scope }) => scope === 'node').map(({ method }) => method)).toEqual([
			'checkProcessedAndRecord',
			'removeProcessed',
		]);
		expect(came(await run({ items, credential: credential(workers) }))).toEqual(['skipped']);
	}),
);

test.concurrent(
	'With Workers above 1, the record of Remove Duplicates ends the items with what to do, and stays as it is',
	withOnceScene(async ({ service, deduplication, workflowId, run, credential, letters }) => {
		const asRemoveDuplicates = async (values: string[]) => {
			const contextData = { workflow: { id: workflowId } } as ICheckProcessedContextData;
			const options = { mode: 'entries' } as const;
			return await deduplication.checkProcessedAndRecord(values, 'workflow', contextData, options);
		};
		await asRemoveDuplicates(['Анна', 'Иван']);
		const { json } = await run({ items: letters(3), credential: credential({ workers: 2 }) });
		const { message, description } = recordTaken();
		for (const row of json) {
			expect(row.error).toContain(message);
			expect(row.message).toContain(description);
		}
		expect(service.requests).toEqual([]);
		expect(await asRemoveDuplicates(['Иван', 'Пётр', 'Анна'])).toEqual({
			new: ['Пётр'],
			processed: ['Иван', 'Анна'],
		});
	}),
);

describe('when n8n cannot store recipients', () => {
	const notAvailable = withoutStore(sendOncePer.displayName, '');

	test.concurrent.each<[string, Partial<RunOptions>]>([
		['a workflow that was never saved', { workflowId: null }],
		['an n8n without the store', { deduplication: null }],
	])(
		"in %s an item with a value of 'Send Once Per' is refused before anything is sent",
		withOnceScene(async ({ service, run, inStopMode, letters, howOften }, _name, options) => {
			const items = letters(3);
			const parameters = { ...send, ...withOnce("={{ $itemIndex === 1 ? 'осень' : '' }}") };
			const { error } = await inStopMode({ parameters, items, ...options });
			expect(error?.message).toBe(`${notAvailable.message} [Item 1]`);
			expect(error?.description).toContain(notAvailable.advice);
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items, ...options }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(items)).toEqual([1, 0, 1]);
		}),
	);

	test.concurrent(
		'an agent that calls the node by itself is told that Send Once Per is not available, and nothing leaves',
		withOnceScene(async ({ service, credential, letters }) => {
			const [item] = letters(1);
			const parameters = { ...send, contactId: String(item!.id), text: 'Добрый день' };
			const answers = await callAsTool({ parameters, credential: credential() }, [{ arguments: {} }]);
			expect(JSON.stringify(answers)).toContain(notAvailable.message);
			expect(service.requests).toEqual([]);
		}),
	);

	// A workflow given as JSON may have nodes without IDs, which would share their entries in the store.
	test.concurrent(
		'a node without an ID refuses Send Once Per, and nothing is sent',
		withOnceScene(async ({ service, run, letters }) => {
			const parameters = { ...send, ...withOnce('осень') };
			const { error } = await run({ parameters, items: letters(1), node: { id: '' } });
			expect(error?.message).toContain(notAvailable.message);
			expect(service.requests).toEqual([]);
		}),
	);
});

type Claim = 'sent' | 'released' | 'in doubt';
type Met = [what: string, claim: Claim, faults: Fault[], credential?: object];

/** The result for the claim of a message, by faults of the service or of the credential. */
const claims: Met[] = [
	['an answer at once', 'sent', []],
	['an answer without a body', 'sent', [{ kind: 'empty' }]],
	['a short wait for the limit', 'sent', [{ kind: 'too many', retryAfter: 1, match: { times: 1 } }]],
	['maintenance that ends', 'sent', [{ kind: 'maintenance', retryAfter: 1, match: { times: 1 } }]],
	['a sentence with status 200', 'in doubt', [{ kind: 'answer', status: 200, body: 'Номер не найден' }]],
	['a result that is false', 'released', [{ kind: 'answer', status: 200, body: { result: false } }]],
	['a wrong token', 'released', [], { token: 'wrong-token' }],
	['no connection', 'released', [], { baseUrl: 'http://127.0.0.1:1' }],
	...faults.flatMap(([name, { fault, beside, isUnknown, onlyForReading }]): Met[] => {
		if (onlyForReading) return [];
		if (!isUnknown) return [[name, 'released', [beside ?? [], fault].flat()]];
		return (['before', 'after'] as const).map((when) => [
			`${name} ${when} it was done`,
			'in doubt',
			[{ ...fault, when }],
		]);
	}),
];

describe('claims', () => {
	test.concurrent.each(claims)(
		'after %s, the claim of a message is %s',
		withOnceScene(async ({ service, run, credential, anotherToken, letters, standing, howOften }, ...met) => {
			const [, claim, faults, changes = {}] = met;
			const requestOptions = faults.some(({ kind }) => kind === 'timeout') ? { timeout: 1500 } : {};
			for (const fault of faults) service.faults.add(fault);
			const items = letters(1);
			const first = await run({
				...{ items, parameters: { ...send, requestOptions } },
				credential: credential({ token: anotherToken(), ...changes }),
			});
			expect(came(first)).toEqual([claim === 'sent' ? 'sent' : 'failed']);
			const counts = { sent: claim === 'sent' ? 1 : 0, inDoubt: claim === 'in doubt' ? 1 : 0 };
			expect(standing()).toEqual(counts);
			const delivered = howOften(items);
			service.faults.clear();
			const asked = service.requests.length;
			const again = { sent: 'skipped', released: 'sent', 'in doubt': 'in doubt' }[claim];
			const afterThat = claim === 'released' ? 'skipped' : again;
			const next = async () => came(await run({ items, credential: credential({ token: anotherToken() }) }));
			expect([await next(), await next()]).toEqual([[again], [afterThat]]);
			expect(howOften(items)).toEqual(claim === 'released' ? [1] : delivered);
			expect(service.requests.length - asked).toBe(claim === 'released' ? 1 : 0);
		}),
	);

	test.concurrent(
		'an item is not claimed when its values are not valid',
		withOnceScene(async ({ run, inStopMode, letters, standing }) => {
			const items = letters(3);
			const wrong = items.map((item, index) => (index === 1 ? { ...item, text: '' } : item));
			await inStopMode({ items: wrong });
			expect(standing()).toEqual({ sent: 0, inDoubt: 0 });
			expect(came(await run({ items: wrong }))).toEqual(['sent', 'failed', 'sent']);
			expect(came(await run({ items }))).toEqual(['skipped', 'sent', 'skipped']);
		}),
	);
});

describe('a run that does not send everything by itself', () => {
	test.concurrent(
		'a run that fails releases recipients without a message, and the next run sends to them',
		withOnceScene(async ({ service, run, inStopMode, letters, standing, howOften, expectEachOnce }) => {
			const items = letters(40);
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			service.faults.add({ ...refusal, match: { recipient: items[17]!.id } });
			const { error } = await inStopMode({ items });
			expect(error?.message).toContain('[Item 17]');
			const delivered = howOften(items);
			expect(standing()).toEqual({ sent: countOf(delivered, 1), inDoubt: 0 });
			service.faults.clear();
			const next = await run({ items });
			expect(came(next)).toEqual(delivered.map((count) => (count ? 'skipped' : 'sent')));
			expectEachOnce(items);
		}),
	);

	test.concurrent(
		'a run that the user stops releases recipients without a message, and the next run sends to them',
		withOnceScene(async ({ service, run, stoppableRun, letters, standing, howOften, requestsTo }) => {
			const items = letters(100);
			service.faults.add({ kind: 'delay', ms: [5, 40] });
			const { ended, stop } = stoppableRun({ items, node: {} });
			await until(() => service.requests.length >= 30);
			stop();
			expect((await ended).run.status).toBe('canceled');
			service.faults.clear();
			const next = came(await run({ items }));
			const counts = howOften(items);
			expect(Math.max(...counts)).toBe(1);
			// At most the requests in transit.
			expect(countOf(next, 'in doubt')).toBeLessThanOrEqual(10);
			for (const [index, each] of next.entries()) {
				if (each !== 'in doubt') expect([index, each, counts[index]]).toEqual([index, each, 1]);
				else expect(requestsTo(items[index]!).length).toBeLessThanOrEqual(1);
			}
			expect(countOf(next, 'failed')).toBe(0);
			expect(standing().inDoubt).toBe(countOf(next, 'in doubt'));
		}),
	);
});
