import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { addContacts, SEEDED } from '../../sandbox/emulator';
import {
	chained,
	manualTrigger,
	ourNode,
	projectFolder,
	type WorkflowData,
	type WorkflowNode,
} from '../../sandbox/host';
import { doneButNotSaid, openExamples, refusal, serviceIn } from './support/examples';

/* The recipes of docs/sending.md with nodes of n8n, whose behavior only a real n8n shows. Their expressions are those of the page. */

const bench = openExamples();
const { delivered, variablesOf } = serviceIn(bench);

const page = readFileSync(join(projectFolder, 'docs/sending.md'), 'utf8');
const [recipes] = /^## Recipes$.*?^## /ms.exec(page)!;
const expressions = [...recipes.matchAll(/`(\{\{.*?\}\})`/g)].map(([, code]) => `=${code!}`);
const [person, byVariable, byTag, isLeft, isRefused, phone, contactName, isReal, contactId] =
	expressions as string[];

const botId = String(SEEDED.bots.school);
const once = { options: { sendOncePer: 'autumn' } };

const node = (name: string, parameters: Record<string, unknown>, settings: object = {}) =>
	ourNode({ name, parameters, ...settings }, bench.credential);
const ofN8n = (name: string, type: string, typeVersion: number, parameters: object): WorkflowNode => ({
	...{ name, typeVersion, type: `n8n-nodes-base.${type}`, parameters: parameters as Record<string, unknown> },
});

const getMany = (others: object = {}) =>
	node('Get Many', { resource: 'contact', operation: 'getAll', botId, returnAll: true, ...others });
const send = (options = {}) =>
	node(
		'Send',
		{
			...{ resource: 'message', operation: 'send', contactId: '={{ $json.id }}', text: 'Скидки!' },
			options: { ...once.options, ...options },
		},
		{ onError: 'continueErrorOutput' },
	);
const isTrue = (code: string) => ({
	conditions: {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
		conditions: [
			{
				id: '1',
				leftValue: code,
				rightValue: '',
				operator: { type: 'boolean', operation: 'true', singleValue: true },
			},
		],
		combinator: 'and',
	},
	options: {},
});

/** Runs a workflow again and again. */
async function starting(workflow: WorkflowData) {
	const { id } = await bench.api.createWorkflow(workflow);
	return async () => {
		const execution = await bench.api.runWorkflow(id);
		expect(execution.status).toBe('success');
	};
}

const [telegram, whatsapp] = ['telegram', 'whatsapp'] as const;

/** The only contacts of the bot. */
function people(...messengers: Array<typeof telegram | typeof whatsapp>) {
	const { data } = bench.service;
	data.contacts.clear();
	return messengers.map((messenger) => addContacts(data, 1, { messenger })[0]!);
}

const timesOf = (ids: number[]) => ids.map((id) => delivered()[id]?.length ?? 0);

/** Leaves one contact of each person, and none of a person who has opted out in a messenger. */
const onePerPerson = (stop = byVariable, include = ['variables', 'tags']) => {
	const assignments = {
		assignments: [
			{ id: '1', name: 'person', value: person, type: 'string' },
			{ id: '2', name: 'stop', value: stop, type: 'number' },
		],
	};
	const sortField = [
		{ fieldName: 'stop', order: 'descending' },
		{ fieldName: 'messenger', order: 'ascending' },
	];
	return [
		getMany({ include }),
		ofN8n('Edit Fields', 'set', 3.4, { assignments, includeOtherFields: true, options: {} }),
		ofN8n('Sort', 'sort', 1, { type: 'simple', sortFieldsUi: { sortField }, options: {} }),
		ofN8n('Remove Duplicates', 'removeDuplicates', 2, {
			...{ compare: 'selectedFields', fieldsToCompare: 'person', options: {} },
		}),
		ofN8n('Opted out', 'filter', 2.2, isTrue(isLeft!)),
	];
};

const optOut = 'Не писать';
const variableOf = (value: unknown) => ({
	...{ stop: byVariable, variables: [{ id: 1, name: optOut, value, deletable: false }] },
});
const marks = {
	variable: variableOf('да'),
	'variable with the number 0': variableOf(0),
	tag: { stop: byTag, tags: [optOut] },
};

test.each(Object.entries(marks))(
	'each person gets one message, also without a phone number, and none after an opt-out in one messenger: a %s',
	async (_, { stop, ...mark }) => {
		const all = people(whatsapp, telegram, whatsapp, telegram, telegram, telegram);
		all[1]!.phone = all[0]!.phone;
		all[3]!.phone = all[2]!.phone;
		for (const each of all.slice(4)) delete each.phone;
		Object.assign(all[2]!, mark);
		const run = await starting(chained('Один раз', [manualTrigger, ...onePerPerson(stop), send()]));
		await run();
		expect(timesOf(all.map(({ id }) => id))).toEqual([0, 1, 0, 0, 1, 1]);
	},
);

test('nobody gets a message if the variables of the contacts are not included', async () => {
	const all = people(telegram, telegram);
	const run = await starting(
		chained('Без переменных', [manualTrigger, ...onePerPerson(byVariable, []), send()]),
	);
	await run();
	expect(timesOf(all.map(({ id }) => id))).toEqual([0, 0]);
});

test('only whom the service refuses in Telegram gets the message in WhatsApp, once', async () => {
	const [, refused, unknown, stranger] = people(telegram, telegram, telegram, telegram);
	delete stranger!.phone;
	for (const { id } of [refused!, stranger!]) bench.service.faults.add(refusal('sendMessage', id));
	bench.service.faults.add(doneButNotSaid('sendMessage', unknown!.id));
	const toWhatsApp = { ...{ resource: 'message', operation: 'sendToWhatsApp', botId, phone, ...once } };
	const workflow = chained('Иначе в WhatsApp', [
		manualTrigger,
		...onePerPerson(),
		send(),
		ofN8n('Filter', 'filter', 2.2, isTrue(isRefused!)),
		node('WhatsApp', { ...toWhatsApp, contactName, text: 'Скидки!' }),
	]);
	const toFilter = workflow.connections.Send as { main: unknown[] };
	toFilter.main.unshift([]);
	const run = await starting(workflow);
	await run();
	await run();
	const toNumbers = bench.service.requests.filter(({ operation }) => operation === 'sendMessageToWhatsApp');
	expect(toNumbers.map(({ input }) => input.phone)).toEqual([`+${refused!.phone}`]);
});

test('a part of the people gets the message today, and the rest tomorrow', async () => {
	const all = people(...Array<typeof telegram>(6).fill(telegram));
	Object.assign(all[0]!, marks.variable);
	const ids = all.slice(1).map(({ id }) => id);
	const conditions = [
		{ name: optOut, condition: 'notExists' },
		{ name: 'Рассылка', condition: 'notEquals', value: 'autumn' },
	];
	const variable = { variableName: { __rl: true, mode: 'name', value: 'Рассылка' }, variableValue: 'autumn' };
	const daily = async (options = {}) =>
		await starting(
			chained('Каждый день', [
				manualTrigger,
				getMany({ filters: { variables: { conditions } } }),
				ofN8n('Limit', 'limit', 1, { maxItems: 2 }),
				send(options),
				ofN8n('If', 'if', 2.2, isTrue(isReal!)),
				node('Create or Update', {
					resource: 'contactVariable',
					operation: 'upsert',
					contactId,
					...variable,
				}),
			]),
		);
	const test = await daily({ testRun: { values: { contactId: '', messages: 1 } } });
	await test();
	for (const id of ids) expect(variablesOf(id)).toEqual({});
	const run = await daily();
	for (const times of [
		[1, 1, 0, 0, 0],
		[1, 1, 1, 1, 0],
		[1, 1, 1, 1, 1],
	]) {
		await run();
		expect(timesOf(ids)).toEqual(times);
		expect(timesOf([all[0]!.id])).toEqual([0]);
	}
	for (const id of ids) expect(variablesOf(id)).toMatchObject({ Рассылка: 'autumn' });
});
