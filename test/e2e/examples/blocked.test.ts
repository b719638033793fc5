import { SEEDED } from '../../../sandbox/emulator';
import { chained, manualTrigger, ourNode } from '../../../sandbox/host';
import { duringTests } from '../../duringTests';
import { openBench } from '../support/bench';
import { blocked, refusal } from '../support/examples';

/* The recipe of examples/README.md for people who have blocked the bot: a broadcast marks them, and the next one leaves them out. */

const bench = duringTests(openBench);

const { telegram: anna, viber: igor } = SEEDED.contacts;
const mark = 'Заблокировал бота';

/** A broadcast to the bots' contacts in Telegram and Viber, with these names of nodes. */
function broadcast(sendOncePer: string) {
	const contacts = {
		name: 'Contacts',
		parameters: {
			resource: 'contact',
			operation: 'getAll',
			returnAll: true,
			filters: { variables: { conditions: [{ name: mark, condition: 'notExists' }] } },
		},
	};
	const send = {
		name: 'Send',
		onError: 'continueErrorOutput',
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: '={{ $json.id }}',
			text: 'Новый курс',
			options: { sendOncePer },
		},
	};
	const hasBlocked = {
		name: 'Blocked?',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'blocked',
						leftValue: '={{ $json.error + $json.message }}',
						rightValue: 'заблокировал',
						operator: { type: 'string', operation: 'contains' },
					},
				],
				combinator: 'and',
			},
		},
	};
	const remember = {
		name: 'Remember',
		parameters: {
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: '={{ $json.id }}',
			variableName: { __rl: true, mode: 'name', value: mark },
			variableValue: "={{ $now.toFormat('yyyy-MM-dd') }}",
		},
	};
	const ours = (node: typeof contacts | typeof send | typeof remember) => ourNode(node, bench.credential);
	const workflow = chained(sendOncePer, [
		manualTrigger,
		ours(contacts),
		ours(send),
		hasBlocked,
		ours(remember),
	]);
	workflow.connections.Send = { main: [[], [{ node: hasBlocked.name, type: 'main', index: 0 }]] };
	return workflow;
}

test('people who have blocked the bot get a variable, those who failed otherwise do not, and the next broadcast leaves out the former', async () => {
	const { api, service } = bench;
	for (const { id } of [...service.data.contacts.values()])
		if (id !== anna && id !== igor && id !== 5008) service.data.contacts.delete(id);
	service.faults.add(refusal('sendMessage', igor, blocked));
	service.faults.add(refusal('sendMessage', 5008, 'Попробуйте позже.'));
	const sentTo = () =>
		service.requests
			.filter(({ operation }) => operation === 'sendMessage')
			.map(({ input }) => Number(input.contact_id));
	const run = async (name: string) => {
		const { id } = await api.createWorkflow(broadcast(name));
		expect((await api.runWorkflow(id)).status).toBe('success');
	};

	await run('Ноябрь');
	const marked = [...service.data.contacts.values()].filter(({ variables }) =>
		variables.some(({ name }) => name === mark),
	);
	expect(marked.map(({ id }) => id)).toEqual([igor]);
	expect(sentTo().sort()).toEqual([anna, igor, 5008].sort());
	await run('Декабрь');
	expect(sentTo().slice(3).sort()).toEqual([anna, 5008].sort());
	service.assertContract();
});
