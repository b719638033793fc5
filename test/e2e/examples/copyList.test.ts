import { unknownEndpoint } from '../../../nodes/ChatbotService/client/failure';
import { SEEDED } from '../../../sandbox/emulator';
import { wordsOf } from '../../operations/words';
import { doneButNotSaid, rows, openExamples } from '../support/examples';
import { unknownBy } from '../support/words';

const { bench, requestsOf, run } = openExamples();

const file = 'copy-list.json';
const name = 'Заявки на доставку';
const named = () => [...bench.service.data.listSchemas.values()].filter((list) => list.name === name);
const { orders } = SEEDED.schemas;

test('a copied list is the same for the other bot, and a second run creates no second copy', async () => {
	const original = structuredClone(bench.service.data.listSchemas.get(orders)!);
	const first = await run(file);
	expect(first.status).toBe('success');
	const [copy, ...more] = named();
	expect(more).toEqual([]);
	expect(copy).toMatchObject({ fields: original.fields, is_menu: original.is_menu });
	expect(rows(first, 'Copied')).toEqual([
		{ name, bot_id: '102', id: copy!.id, fields: Object.keys(original.fields).join(', ') },
	]);
	const created = requestsOf('createListSchema');
	expect(created.map(({ body }) => body)).toEqual([
		expect.objectContaining({ name, bot_id: SEEDED.bots.flowers }),
	]);

	const second = await run(file);
	expect(rows(second, 'Nothing to do')).toEqual([
		{ name, reason: expect.stringContaining('is there already') },
	]);
	expect(named()).toHaveLength(1);
	expect(bench.service.data.listSchemas.get(orders)).toEqual(original);
});

test('the next run finds a copied list whose outcome was unknown', async () => {
	bench.service.faults.add(doneButNotSaid('createListSchema'));
	const first = await run(file);
	expect(rows(first, 'Not copied')).toEqual([
		expect.objectContaining({
			name,
			details: expect.stringContaining(wordsOf('listSchema/create').unknown!),
		}),
	]);
	const second = await run(file);
	expect(second.nodes).toContain('Nothing to do');
	expect(named()).toHaveLength(1);
});

test.each([
	['getListSchemas', unknownEndpoint(404, []).message],
	['getListSchema', unknownBy('listSchema/get', 'schemaId')],
])('copying a list reports the reason when %s is refused', async (path, reason) => {
	const body = { message: 'Список не найден' };
	bench.service.faults.add({ kind: 'answer', status: 404, body, match: { path } });
	const execution = await run(file);
	expect(rows(execution, 'Not copied')).toEqual([
		expect.objectContaining({ reason: expect.stringContaining(reason) }),
	]);
	expect(named()).toEqual([]);
});
