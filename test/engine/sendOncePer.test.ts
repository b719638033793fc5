import type { INodeParameters } from 'n8n-workflow';

import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, type Contact, type Fault, type Messenger } from '../../sandbox/emulator';
import { callAsTool, type RunOptions } from './harness';
import { all, came, goingOn, send, withOnce, withOnceScene } from './once';

/*
 * The promises of 'Send Once Per', through the real engine: with one value, a recipient gets at most one message, whatever is run
 * again. The emulator records the deliveries, and a store like n8n's keeps the entries. unit/sendOncePer.test.ts covers failures of
 * that store, runs that the user stops and processes that die.
 */

const sendToWhatsApp: INodeParameters = {
	...{ resource: 'message', operation: 'sendToWhatsApp' },
	...{ botId: '={{ $json.botId }}', phone: '={{ $json.phone }}', text: '={{ $json.text }}' },
	...withOnce('осень'),
};

test.concurrent(
	'a repeated run sends nothing, and marks every item as already sent',
	withOnceScene(async ({ service, run, letters }) => {
		const items = letters(12);
		expect((await run({ items, node: {} })).json).toEqual(items.map(() => ({ success: true })));
		const again = await run({ items, node: {} });
		expect(again.error).toBeUndefined();
		expect(again.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
		expect(service.requests).toHaveLength(12);
	}),
);

test.concurrent(
	'a recipient who has the message is skipped with any text, order of items or token',
	withOnceScene(async ({ service, run, credential, letters }) => {
		const items = letters(6);
		await run({ items });
		const again = items.map((item) => ({ ...item, text: 'Другой текст' })).reverse();
		service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
		const result = await run({
			items: [...again, ...letters(1)],
			credential: credential({ token: 'renewed-token', tokenPlacement: 'bearer' }),
		});
		expect(came(result)).toEqual([...all(6, 'skipped'), 'sent']);
		expect(service.deliveries()).toHaveLength(7);
	}),
);

const inTelegram: INodeParameters = {
	...{ ...send, recipient: 'externalId', messenger: 'telegram' },
	...{ botId: '={{ $json.botId }}', externalId: '={{ $json.phone }}' },
};

test.concurrent.each<[string, Messenger, INodeParameters]>([
	['a person in Telegram', 'telegram', inTelegram],
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
	withOnceScene(async ({ service, run, letters, deduplication }) => {
		const [{ botId, phone }] = addContacts(service.data, 1, { messenger: 'whatsapp' }) as [Contact];
		await run({ items: [{ botId, phone, text: 'Письмо' }], parameters: sendToWhatsApp });
		service.faults.add({ kind: 'server error' });
		await run({ items: letters(1) });
		const values = deduplication.calls.flat();
		expect(values.length).toBeGreaterThanOrEqual(6);
		for (const value of values) expect(value).toMatch(/^(sent|doubt) [\w-]{32}$/);
	}),
);

describe('when n8n cannot store recipients', () => {
	const notAvailable = withoutStore(sendOncePer.displayName, '');

	// A workflow given as JSON may have nodes without IDs, which would share their entries in the store.
	test.concurrent.each<[string, Partial<RunOptions>]>([
		['a workflow that was never saved', { workflowId: null }],
		['an n8n without the store', { deduplication: null }],
		['a node without an ID', { node: { id: '' } }],
	])(
		"in %s an item with a value of 'Send Once Per' is refused before anything is sent",
		withOnceScene(async ({ refusalOf, letters }, _name, options) => {
			const parameters = { ...send, ...withOnce("={{ $itemIndex === 1 ? 'осень' : '' }}") };
			const { message, description } = await refusalOf({ parameters, items: letters(3), ...options });
			expect(message).toBe(`${notAvailable.message} [Item 1]`);
			expect(description).toContain(notAvailable.advice);
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
});

type Claim = 'sent' | 'released' | 'in doubt';

/* Which outcome each answer of the service has: matrix.test.ts. */
test.concurrent.each<[string, Claim, Fault | undefined, credential?: object]>([
	['an answer at once', 'sent', undefined],
	['an answer without a body', 'sent', { kind: 'empty' }],
	['a short wait for the limit', 'sent', { kind: 'too many', retryAfter: 1, match: { times: 1 } }],
	['maintenance that ends', 'sent', { kind: 'maintenance', retryAfter: 1, match: { times: 1 } }],
	['a limit for a long time', 'released', { kind: 'too many', retryAfter: 900 }],
	['a result that is false', 'released', { kind: 'answer', status: 200, body: { result: false } }],
	['a wrong token', 'released', undefined, { token: 'wrong-token' }],
	['no connection', 'released', undefined, { baseUrl: 'http://127.0.0.1:1' }],
	['a sentence with status 200', 'in doubt', { kind: 'answer', status: 200, body: 'Номер не найден' }],
	['a 500 before it was done', 'in doubt', { kind: 'server error', when: 'before' }],
	['a reset after it was done', 'in doubt', { kind: 'reset', when: 'after' }],
])(
	'after %s, the claim of a message is %s',
	withOnceScene(
		async ({ service, run, credential, letters, howOften }, _name, claim, fault, changes = {}) => {
			if (fault) service.faults.add(fault);
			const items = letters(1);
			const first = await run({ items, credential: credential(changes) });
			expect(came(first)).toEqual([claim === 'sent' ? 'sent' : 'failed']);
			const delivered = howOften(items);
			service.faults.clear();
			const asked = service.requests.length;
			// The trouble of an account makes its next run wait.
			service.data.accounts.push({ token: 'another-token', apiAccess: true });
			const next = async () => came(await run({ items, credential: credential({ token: 'another-token' }) }));
			expect([await next(), await next()]).toEqual(
				{
					sent: [['skipped'], ['skipped']],
					released: [['sent'], ['skipped']],
					'in doubt': [['in doubt'], ['in doubt']],
				}[claim],
			);
			expect(howOften(items)).toEqual(claim === 'released' ? [1] : delivered);
			expect(service.requests.length - asked).toBe(claim === 'released' ? 1 : 0);
		},
	),
);

test.concurrent(
	'an item is not claimed when its values are not valid',
	withOnceScene(async ({ run, refusalOf, letters }) => {
		const items = letters(3);
		const wrong = items.map((item, index) => (index === 1 ? { ...item, text: '' } : item));
		await refusalOf({ items: wrong });
		expect(came(await run({ items: wrong }))).toEqual(['sent', 'failed', 'sent']);
		expect(came(await run({ items }))).toEqual(['skipped', 'sent', 'skipped']);
	}),
);
