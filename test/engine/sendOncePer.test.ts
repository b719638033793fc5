import type { INodeParameters } from 'n8n-workflow';

import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, type Contact } from '../../sandbox/emulator';
import { callAsTool, hintsOf, type RunOptions } from './harness';
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
	'a second start under the same name warns that nobody got a message, and names it',
	withOnceScene(async ({ run, letters }) => {
		const items = letters(3);
		const named = (name: string) => ({ items, parameters: { ...send, ...withOnce(name) } });
		await run({ ...named('осень <2026>'), items: items.slice(0, 2) });
		const [partly] = hintsOf(await run(named('осень <2026>')));
		expect(partly).toMatch(/^1 sent, 2 skipped\.<br>Those skipped already have a message under/);
		const [nobody] = hintsOf(await run(named(' осень <2026> ')));
		expect(nobody).toMatch(/^Nothing was sent: all 3 already have a message under 'осень &lt;2026>'\. /);
		const [byItem] = hintsOf(await run(named("={{ 'осень <2026>' }}")));
		expect(byItem).toContain("all 3 already have a message under the same value of 'Send Once Per'");
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
