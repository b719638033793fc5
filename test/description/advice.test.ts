import {
	notFound,
	withAdvice,
	serviceFailed,
	tooManyRequests,
} from '../../nodes/ChatbotService/client/failure';
import { resources } from '../../nodes/ChatbotService/resources';
import {
	isReading,
	soughtBy,
	type Field,
	type Operation,
} from '../../nodes/ChatbotService/resources/operation';
import { faultsOf } from '../unit/sentences';
import { endpoints } from './table';

/* What a person reads of an operation when nobody knows whether it was done, or when nothing was found. */

const all = resources.flatMap(({ option: { value: resource }, operations }) =>
	operations.map((operation): [string, Operation] => [`${resource}/${operation.option.value}`, operation]),
);
const reading = all.filter(([, operation]) => isReading(operation));
const repeatable = all.filter(([, operation]) => !isReading(operation) && operation.repeatable);
const once = all.filter(([, operation]) => !operation.repeatable);

const titles = (operations: typeof all) => operations.map(([title]) => title).sort();

test('every operation reads, may be repeated or may not', () => {
	expect(all).toHaveLength(endpoints.length);
	expect(titles([...reading, ...repeatable, ...once])).toEqual(titles(all));
	expect(titles(reading)).toEqual([
		'contactVariable/getAll',
		'listSchema/get',
		'listSchema/getAll',
		'tag/getManyByBot',
		'tag/getManyByContact',
	]);
	expect(titles(repeatable)).toEqual(['contactVariable/upsert', 'tag/attach', 'tag/detach']);
});

describe('where nobody knows whether it was done', () => {
	test.each(reading)('%s: nothing is said of what it may have changed', (_, { advice }) => {
		expect(advice?.unknown).toBeUndefined();
	});

	test.each(once)(
		'%s: what may have happened, that the node left it at that, and where to look first',
		(_, { advice }) => {
			expect(advice?.unknown).toMatch(
				/^The (message|variable|list|field) may have been (sent|created|added|deleted), so the node did not (\w+ it|try) again\. (Check|Look at) the [^.]+ first\.$/,
			);
			expect(advice!.unknown).not.toMatch(/no harm|run this/);
		},
	);

	test.each(once)('%s: the words are those of what it does', (_, { advice, answer, option }) => {
		const done = { deleted: 'deleted', created: 'created', one: '', many: '', done: '' }[answer];
		const expected = done || (option.name.startsWith('Send') ? 'sent' : 'added');
		expect(advice!.unknown).toContain(` may have been ${expected}, `);
	});

	test.each(repeatable)(
		'%s: what may have happened, and that doing it again does no harm',
		(_, { advice }) => {
			expect(advice?.unknown).toMatch(
				/^The (tag|variable) may have been \w+\. [A-Z]\w+ing it again does no harm: run this item again later\.$/,
			);
			expect(advice!.unknown).not.toMatch(/did not/);
		},
	);

	test.each([...repeatable, ...once])(
		'%s: in words that n8n keeps and its guidelines like',
		(_, { advice }) => {
			expect(faultsOf(withAdvice(serviceFailed(500), advice!, false))).toEqual([]);
		},
	);

	test('each operation has words of its own, but those that send have the same', () => {
		const words = [...repeatable, ...once].map(([, { advice }]) => advice!.unknown);
		expect(new Set(words).size).toBe(words.length - 1);
	});
});

describe('where a limit was reached', () => {
	const advised = all.filter(([, { advice }]) => advice?.assumedLimits);

	test('only a message whose messenger may not be known has words of its own', () => {
		expect(titles(advised)).toEqual(['message/send']);
	});

	test.each(advised)(
		'%s: they name a field of the operation, and a value that it offers',
		(_, { advice, fields }) => {
			const [, value, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
			const field = fields.find(({ displayName }) => displayName === label);
			expect(field?.options).toContainEqual(expect.objectContaining({ name: value }));
			expect(faultsOf(withAdvice(tooManyRequests(429), advice!, true))).toEqual([]);
		},
	);
});

describe('where nothing was found', () => {
	const fields = [...new Set(all.flatMap(([, operation]) => operation.fields))];
	const named = (sought: boolean) =>
		[
			...new Set(
				fields
					.filter(({ names, thing }) => names && Boolean(thing) === sought)
					.map(({ displayName, names, thing }) => [displayName, names, thing].filter(Boolean).join(': ')),
			),
		].sort();

	test('each field that names what must be there says what there is none of', () => {
		expect(named(true)).toEqual([
			'Bot ID: existing: bot with this ID',
			'Contact ID: target: contact with this ID',
			'Field: existing: field with this slug',
			'List: target: list with this ID',
			'Phone Number or Messenger ID: target: contact with this phone number or messenger ID',
			'Tag: new: tag with this name',
			'Variable: existing: variable with this ID',
			'Variable: new: variable with this name',
		]);
	});

	test('no other does: what it names may come about, or only says where the rest is', () => {
		expect(named(false)).toEqual([
			'Field Name: new',
			'List Name: new',
			'Messenger: partOfTarget',
			'Phone Number: target',
		]);
	});

	test('a field that names nothing says nothing', () => {
		expect(fields.filter(({ names, thing }) => thing && !names)).toEqual([]);
	});

	test('one operation creates what others want to be there: a field of its own that names it', () => {
		const creating = all.filter(([, { creates }]) => creates);
		expect(titles(creating)).toEqual(['contactVariable/upsert']);
		for (const [, operation] of creating) {
			expect(operation.fields).toContain(operation.creates);
			expect(operation.creates).toMatchObject({ names: 'new', thing: 'variable with this name' });
		}
	});

	const sought = fields.filter(({ thing }) => thing).map((field): [string, Field] => [field.thing!, field]);

	test.each(sought)('%s goes into the middle of a sentence', (thing, field) => {
		expect(thing.replace(/\bID\b/g, '')).toMatch(/^[a-z]+ with this [a-z ]*$/);
		expect(faultsOf(notFound(404, soughtBy(field)))).toEqual([]);
	});
});
