import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import {
	Expression,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import { sourceOf } from '../../nodes/ChatbotService/run/context';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import lines from '../../sandbox/engines/lines.json';
import { times } from '../times';
import { loadAsN8n } from './n8n';
import { codePoint } from '../unit/codePoints';
import { nodeTypeOf, runNode } from './harness';

/*
 * The node's reader evaluates simple expressions without n8n. Here each expression is read both ways, by the reader and by n8n, on
 * every engine of n8n's that people have; the first test proves which engine that is.
 */

test('the engine under test is that of the release line, and evaluates expressions as chosen', () => {
	const line = (process.env.ENGINE ?? '2.8') as keyof typeof lines;
	const modules = realpathSync(resolve(__dirname, '../..', lines[line].folder, 'node_modules'));
	const ofPackage = /^.*\/node_modules\/(?:n8n-core|n8n-workflow|@n8n\/[^/]+)(?=\/)/;
	const folders = Object.keys(require.cache).map((file) => ofPackage.exec(file.replaceAll('\\', '/'))?.[0]);
	const loaded = new Set(folders.filter((folder) => folder !== undefined).map((each) => realpathSync(each)));
	expect([...loaded].filter((folder) => !folder.startsWith(modules))).toEqual([]);
	const { version } = JSON.parse(readFileSync(join(modules, 'n8n-core/package.json'), 'utf8')) as {
		version: string;
	};
	const numbers = line.replace(/x$/, '');
	if (line !== 'newest') expect(version.slice(0, numbers.length)).toBe(numbers);

	const { getActiveImplementation } = Expression as unknown as { getActiveImplementation?(): string };
	const active = getActiveImplementation?.call(Expression) ?? 'legacy';
	expect(active).toBe(process.env.EXPRESSION_ENGINE ?? 'legacy');
});

const names = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Gives n8n's own context of a node with these items to a function. */
async function inNode(items: INodeExecutionData[], work: (context: IExecuteFunctions) => void) {
	const text = (name: string) => ({ displayName: name, name, type: 'string' as const, default: '' });
	async function read(this: IExecuteFunctions) {
		work(this);
		return [[]];
	}
	const probe = nodeTypeOf({
		description: { requestDefaults: {}, properties: ['resource', 'operation', ...names].map(text) },
		customOperations: { probe: { read } },
	});
	const { error } = await runNode({
		nodeType: loadAsN8n(probe),
		parameters: { resource: 'probe', operation: 'read' },
		credential: {},
		items: items.map(({ json }) => json),
	});
	if (error) throw error;
}

/** The result of a reading: a value, or the message of the error. Minus zero counts as zero, because JSON has no minus zero. */
function come(read: () => unknown): { value: unknown } | { thrown: unknown } {
	try {
		const value = read();
		return { value: value === 0 ? 0 : value };
	} catch (error) {
		return { thrown: (error as Error).message };
	}
}

/** Whether two results look the same to their reader; the clock may advance between the two readings. */
const alike = (ours: unknown, theirs: unknown) =>
	isDeepStrictEqual(ours, theirs) || inspect(ours, { depth: 5 }) === inspect(theirs, { depth: 5 });

/** Reads all parameters for some items both ways. */
function expectAlike(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	parameters: Record<string, string>,
	asked: Iterable<number> = items.keys(),
) {
	// A context looks the parameters up in the workflow.
	(context as unknown as { node: { parameters: INodeParameters } }).node.parameters = parameters;
	const reader = new Reader(sourceOf(context, context.getNode(), items));
	for (const item of asked) {
		const values = reader.valuesOf(item);
		const read = Object.entries(parameters).map(([name, code]) => {
			const ours = come(() => values.at(name));
			return { code, ours, theirs: come(() => context.getNodeParameter(name, item, null)) };
		});
		for (const { code, ours, theirs } of read) {
			const where = `${code} of item ${item} in ${JSON.stringify(parameters)}`;
			if (!alike(ours, theirs)) expect([where, ours]).toEqual([where, theirs]);
		}
	}
}

const inherited = Object.create({ city: 'Тверь' }) as Record<string, unknown>;
inherited.own = 'своё';

/** Names that sandbox escapes use: n8n refuses some of them, whatever the data contains under them. */
const suspicious = [
	...['constructor', 'constructorName', 'prototype', '__proto__', 'mainModule', 'binding'],
	...['_load', 'prepareStackTrace', 'getPrototypeOf', '__lookupGetter__', '__data', 'toJSON'],
	...['valueOf', 'then', 'process', 'extend'],
];

const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: codePoint }), fc.double(), fc.date());

/** Data for which the two readings could differ, and any other. */
const items = [
	{
		...{ name: 'Анна', n: 42, yes: true, 'a b': 'пробел', имя: 'кириллица', list: ['один', 'два'] },
		...{ a: { b: { c: 'глубоко' }, list: ['нулевой', { x: 'первый' }] } },
		...{ empty: '', zero: 0, no: false, nothing: null },
	},
	{ name: ' Пётр ', n: -1.5, a: { b: 'плоско' }, list: [], 'a b': { c: 1 }, имя: null, yes: 'да' },
	{ name: 'a {{ 1 }} b', n: 1e21, a: null, list: { 0: 'не список' }, yes: 0, empty: ' ' },
	{ name: '={{ $json.n }}', n: NaN, a: [], 'a b': [1, 2], имя: new Date(0) },
	{ name: 7, n: Infinity, a: { b: new Date(86_400_000) }, list: [[['тройной']]], имя: false },
	{ name: { first: 'Ольга' }, n: '12', a: { b: { toJSON: 'поле' } }, yes: null },
	{ name: 'x', a: inherited, list: 'текст', n: -0 },
	{},
	{
		...{ name: 'эмодзи 😀 и половина \ud83d', n: 0.1 + 0.2, length: 3, toString: 'своё' },
		a: { b: 'стр\nока "кавычки" \'и\' `' },
	},
	Object.fromEntries(suspicious.map((name) => [name, `под именем ${name}`])),
	...fc.sample(fc.record({ name: value, a: fc.record({ b: value, own: value }), 'a b': value }), 10),
].map((json) => ({ json })) as unknown as INodeExecutionData[];

const paths = [
	...['$json.name', '$json.n', '$json.a.b', '$json.a.b.c', '$json.a.own', '$json.a.city', '$json'],
	...['$json["a b"]', "$json['a b'].c", '$json.имя', '$json["имя"]', ' $json . name ', '$json.if'],
	...['$json?.a?.b', '$json.a?.["b"]?.c', '$json.a["list"][1].x', '$json.list[0]', '$json["list"]["0"]'],
	...['$json.list[0][0][0]', '$json.list.length', '$json.length', '$json.name.length', '$json.toString'],
	...['$json.missing.deeper', '$json.nothing', '$json.empty', '$json.zero', '$json.no', '$json.yes'],
	...['$json.a.b.toJSON', '$json.a.prototype', '$json.a.hasOwnProperty', '$json["{{"]', '$json[""]'],
	...suspicious.flatMap((name) => [`$json.${name}`, `$json["${name}"]`]),
];

const others = [
	...['$json.name.trim()', '$json.n * 2', '`${$json.name}, ${$json.n}`', '$json["na" + "me"]'],
	...['$itemIndex', '$("Start").item.json.name', '$input.item.json["a b"]', '$("Nowhere").item.json.x'],
	...['$json.name.toTitleCase()', '$if($json.yes, "да", "нет")', '$jmespath($json, "name")'],
	...['DateTime.fromISO("2026-01-01")', 'new Date(0)', '[1, 2, 3]', '{ a: 1 }', '({ a: 1 })'],
	...['undefined', 'null', 'NaN', '-0', '""', 'false', '9007199254740993n', 'Symbol("s")'],
	...['1 // и всё', '/* до */ 2', '"a" /* после */', '1; 2', '1;', 'let x = 1; x', '1) + (2'],
	...['1), (2', '1)] + [(2', '(1', '1 /* без конца', '*/ 2', '"без конца', '`', 'x => x'],
	...['(() => { return 5 })()', 'function () {}', 'await 1', 'this', 'arguments', 'return 1'],
	...['', ' ', '$json.name.missing.deeper', '$json.name?.trim?.()', '$json.a ?? "нет"'],
];

test('every single path or other expression gives the same value as n8n', async () => {
	await inNode(items, (context) => {
		for (const code of [...paths, ...others]) {
			// The reader leaves the others to n8n because of their text, whatever the items contain.
			const some = [...items.keys()].filter((item) => item % 3 === 0);
			expectAlike(context, items, { first: `={{ ${code} }}` }, paths.includes(code) ? items.keys() : some);
			expectAlike(context, items, { first: `=Итого {{ ${code} }}.` }, some);
		}
	});
}, 300_000);

test('any five parameters give what n8n gives for each, item after item', async () => {
	const braces = fc.constantFrom(...paths, ...others).map((each) => `{{ ${each} }}`);
	const word = fc.constantFrom(
		...['', ' ', 'Здравствуйте, ', '\n', ' = ', '}', '{ {', '$json.name', '\\', '\\\\', '"', '`', '{{', '}}'],
	);
	const pieces = fc.array(fc.oneof(braces, word), { maxLength: 5 }).map((parts) => parts.join(''));
	const parameter = fc.oneof(braces, pieces).map((text) => `=${text}`);
	const texts = fc.array(fc.oneof({ weight: 8, arbitrary: parameter }, pieces), {
		minLength: 2,
		maxLength: 5,
	});
	await inNode(items, (context) => {
		fc.assert(
			fc.property(texts, (each) => {
				expectAlike(context, items, Object.fromEntries(each.map((text, index) => [names[index]!, text])));
			}),
			{ numRuns: times(10) },
		);
	});
}, 300_000);
