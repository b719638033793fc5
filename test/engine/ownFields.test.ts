import type { IDataObject } from 'n8n-workflow';

import { serviceFailed, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { unknownMessage } from '../../nodes/ChatbotService/resources/message/recipient';
import { callAlone } from './harness';
import { refusal, send } from './messages';
import { apart, goingOn, scene, usual } from './scene';

/* An item keeps its own fields, even those that n8n and the node use for failures: `message` is the usual name for a text. */

const options = { includeInputFields: 'да' };
const written = { text: '={{ $json.message ?? $json.text }}', options };
const { service, run, optionsOf, answers, letters } = scene({ ...send, ...written }, { node: apart });

const outputsFor = async (items: IDataObject[], node: object = apart) =>
	(await run({ items, node })).outputs.map((output) => output.map(({ json }) => json));

/** The expression of docs/errors.md. */
const isUnknown = ({ error, message }: IDataObject) =>
	/\[Item \d+\]\. The message may have been sent/.test(`${String(error)}. ${String(message)}`);

/** What an earlier node, or this one, has left in the items. */
const left = {
	...{ error: 'Не вышло [Item 7]', success: false, alreadySent: true },
	...{ message: 'Ваш заказ принят', details: 'нет', description: 'да' },
};
const withLeft = (count: number) => letters(count).map((each) => ({ ...each, ...left }));
const done = (items: object[]) => items.map((item) => ({ ...item, success: true }));

test('a refused item keeps its fields and its text', async () => {
	const { message, description } = valuesRefused([], 'The given data was invalid.');
	const items = withLeft(2);
	service.faults.add({ ...refusal, match: { recipient: items[1]!.id, times: 1 } });
	const [sent, failed] = await outputsFor(items);
	const expected = [{ ...items[1], error: `${message} [Item 1]. ${description}` }];
	expect([sent!.length, failed]).toEqual([1, expected]);
	// Neither the words of the service nor what an earlier node has left make an outcome unknown.
	expect(failed!.map(isUnknown)).toEqual([false]);
	await outputsFor(failed!);
	expect(service.deliveries().map(({ text }) => text)).toEqual([left.message, left.message]);
});

test.each(['', null, unknownMessage])('an invalid item keeps its `message` %j', async (own) => {
	const [sent, failed] = await outputsFor([{ id: 'нет', message: own }]);
	expect([sent, failed!.map((json) => [json.message, isUnknown(json)])]).toEqual([[], [[own, false]]]);
});

test.each([apart, goingOn])('an unknown outcome has the same words for all: %j', async (node) => {
	service.faults.add({ kind: 'server error' });
	const [first, second] = withLeft(2);
	const { message: _message, ...without } = second!;
	const [own, plain] = (await outputsFor([first!, without], node)).flat();
	expect([own!, plain!].map(isUnknown)).toEqual([true, true]);
	const { message, description } = serviceFailed(500, undefined, 'Server Error');
	expect(own!.error).toBe(`${message} [Item 0]. ${unknownMessage} ${description}`.trim());
	const said = expect.stringContaining(unknownMessage) as string;
	expect(plain).toMatchObject({ error: `${message} [Item 1]`, message: said });
});

describe('an item that was sent', () => {
	test('keeps its fields except an earlier outcome', async () => {
		const items = withLeft(2);
		const before = structuredClone(items);
		const outputs = await outputsFor(items);
		const { error: _error, alreadySent: _alreadySent, ...others } = left;
		expect(outputs).toEqual([done(items.map(({ id, text }) => ({ id, text, ...others }))), []]);
		expect(items).toEqual(before);
	});

	test('has the value of the service in a common field', async () => {
		service.faults.add({ kind: 'answer', status: 200, body: { success: true, id: 'сообщение 7' } });
		expect((await outputsFor(letters(1)))[0]).toMatchObject([{ id: 'сообщение 7', text: 'Письмо 0' }]);
	});

	/* LEADTEX writes empty parts beside each success. */
	test.each<[title: string, outcome: object]>([
		['tag/attach', { success: true }],
		['tag/detach', { success: true }],
		['contactVariable/upsert', { success: true }],
		['contactVariable/upsertMany', { success: true }],
		['contactVariable/delete', { deleted: true }],
		['message/send', { success: true }],
	])('keeps its fields after %s, if asked for', async (title, outcome) => {
		const item = { message: 'Ваш заказ принят', data: 'среда', messenger: 'vk', error: 'Не вышло' };
		const { error: _error, ...kept } = item;
		for (const answers of ['usual', 'wrapped'] as const) {
			service.reset();
			service.dialect.answers = answers;
			const outputOf = async (options: object) =>
				(await run({ parameters: usual(title, { options }), items: [item] })).json;
			const [plain] = await outputOf({});
			service.reset();
			service.dialect.answers = answers;
			expect([answers, plain]).toMatchObject([answers, outcome]);
			expect([answers, ...(await outputOf({ includeInputFields: true }))]).toEqual([
				answers,
				{ ...plain, ...kept },
			]);
		}
	});

	test('keeps its fields, except for an agent', async () => {
		const items = letters(1);
		expect(await callAlone(optionsOf({ items }))).toEqual(done(items));
		const ofAgent = { items, with: { contactId: String(items[0]!.id), text: 'Готово' } };
		for (const answer of await answers(items[0]!, ofAgent)) expect(answer).toBe('[{"success":true}]');
	});
});
