import { SEEDED } from '../../../sandbox/emulator';
import { chained, manualTrigger, ourNode } from '../../../sandbox/host';
import { openExamples, refusal, serviceIn } from '../support/examples';

/* The recipe of examples/README.md for people who have blocked the bot: a broadcast marks them, and the next one leaves them out. */

const bench = openExamples();
const { requestsOf } = serviceIn(bench);

const { telegram: anna, viber: igor } = SEEDED.contacts;
const other = 5008;
const mark = 'Заблокировал бота';

/** A broadcast, with these names of nodes. */
function broadcast(sendOncePer: string) {
	const contacts = {
		...{ resource: 'contact', operation: 'getAll', returnAll: true },
		filters: { variables: { conditions: [{ name: mark, condition: 'notExists' }] } },
	};
	const send = {
		...{ resource: 'message', operation: 'send', contactId: '={{ $json.id }}' },
		...{ text: 'Новый курс', options: { sendOncePer } },
	};
	const isBlocked = {
		...{ id: 'blocked', leftValue: '={{ $json.error + $json.message }}', rightValue: 'заблокировал' },
		operator: { type: 'string', operation: 'contains' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const remember = {
		...{ resource: 'contactVariable', operation: 'upsert', contactId: '={{ $json.id }}' },
		variableName: { __rl: true, mode: 'name', value: mark },
		variableValue: "={{ $now.toFormat('yyyy-MM-dd') }}",
	};
	const workflow = chained(sendOncePer, [
		manualTrigger,
		ourNode({ name: 'Contacts', parameters: contacts }, bench.credential),
		ourNode({ name: 'Send', onError: 'continueErrorOutput', parameters: send }, bench.credential),
		{
			...{ name: 'Blocked?', type: 'n8n-nodes-base.if', typeVersion: 2.2 },
			parameters: { conditions: { options, conditions: [isBlocked], combinator: 'and' } },
		},
		ourNode({ name: 'Remember', parameters: remember }, bench.credential),
	]);
	workflow.connections.Send = { main: [[], [{ node: 'Blocked?', type: 'main', index: 0 }]] };
	return workflow;
}

test('who has blocked the bot is marked and left out', async () => {
	const { api, service } = bench;
	for (const id of [...service.data.contacts.keys()])
		if (![anna, igor, other].includes(id)) service.data.contacts.delete(id);
	service.faults.add(refusal('sendMessage', igor));
	service.faults.add(refusal('sendMessage', other, 'Попробуйте позже.'));
	const send = async (name: string) => {
		const { id } = await api.createWorkflow(broadcast(name));
		expect((await api.runWorkflow(id)).status).toBe('success');
		return requestsOf('sendMessage').map(({ input }) => Number(input.contact_id));
	};

	expect((await send('Ноябрь')).sort()).toEqual([anna, igor, other].sort());
	const marked = [...service.data.contacts.values()].filter(({ variables }) =>
		variables.some(({ name }) => name === mark),
	);
	expect(marked.map(({ id }) => id)).toEqual([igor]);
	expect((await send('Декабрь')).slice(3).sort()).toEqual([anna, other].sort());
});
