import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';
import { Expression, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { sourceOf } from '../../nodes/ChatbotService/run/context';
import { Expressions } from '../../nodes/ChatbotService/run/values/expressions';
import lines from '../../sandbox/engines/lines.json';
import { times } from '../times';
import { loadAsN8n } from './n8n';
import { codePoint } from '../unit/codePoints';
import { nodeTypeOf, runNode } from './harness';

/*
 * The node reads plain fields by itself, and lets n8n evaluate a copy of a text, with marks around each code. Here each expression is read
 * both ways, by the node and by n8n, on every engine of n8n's that people have; the first test proves which engine that is.
 */

test('the engine under test is the one of the release', () => {
	const line = (process.env.ENGINE ?? '2.8') as keyof typeof lines;
	const modules = realpathSync(resolve(__dirname, '../..', lines[line].folder, 'node_modules'));
	const ofPackage = /^.*\/node_modules\/(?:n8n-core|n8n-workflow|@n8n\/[^/]+)(?=\/)/;
	const folders = Object.keys(require.cache).map((file) => ofPackage.exec(file.replaceAll('\\', '/'))?.[0]);
	const loaded = new Set(folders.filter((folder) => folder !== undefined).map((each) => realpathSync(each)));
	expect([...loaded].filter((folder) => !folder.startsWith(modules))).toEqual([]);
	const manifest = readFileSync(join(modules, 'n8n-core/package.json'), 'utf8');
	if (line !== 'newest') expect(manifest).toContain(`"version": "${line.replace(/x$/, '')}`);

	const { getActiveImplementation } = Expression as unknown as { getActiveImplementation?(): string };
	const active = getActiveImplementation?.call(Expression) ?? 'legacy';
	expect(active).toBe(process.env.EXPRESSION_ENGINE ?? 'legacy');
});

const names = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Reads parameters for items both ways, in n8n's own context of a node: all of each list, for the items that are asked for. */
async function expectAlike(all: Iterable<{ parameters: Record<string, string>; asked?: number[] }>) {
	const text = (name: string) => ({ displayName: name, name, type: 'string' as const, default: '' });
	async function read(this: IExecuteFunctions) {
		for (const { parameters, asked = [...items.keys()] } of all) {
			// A context looks the parameters up in the workflow.
			(this as unknown as { node: { parameters: object } }).node.parameters = parameters;
			const reader = new Expressions(sourceOf(this, this.getNode(), items));
			for (const item of asked) {
				const values = reader.valuesOf(item);
				for (const [name, code] of Object.entries(parameters)) {
					const ours = come(() => values.at(name));
					const theirs = come(() => this.getNodeParameter(name, item, null));
					const where = `${code} of item ${item} in ${JSON.stringify(parameters)}`;
					if (!alike(ours, theirs)) expect([where, ours]).toEqual([where, theirs]);
				}
			}
		}
		return [[]];
	}
	const probe = nodeTypeOf({
		description: { requestDefaults: {}, properties: ['resource', 'operation', ...names].map(text) },
		customOperations: { probe: { read } },
	});
	const { error } = await runNode({
		...{ nodeType: loadAsN8n(probe), credential: {}, items: items.map(({ json }) => json) },
		parameters: { resource: 'probe', operation: 'read' },
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

/** Names that sandbox escapes use: n8n refuses some of them, whatever the data contains under them. */
const suspicious = [
	...['constructor', 'constructorName', 'prototype', '__proto__', 'mainModule', 'binding'],
	...['_load', 'prepareStackTrace', 'getPrototypeOf', '__lookupGetter__', '__data', 'toJSON'],
	...['valueOf', 'then', 'process', 'extend', 'if', 'length'],
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
	{},
	{ name: 'эмодзи 😀 и половина \ud83d', n: 0.1 + 0.2, length: 3, toString: 'своё', a: { b: '\n"\'`' } },
	Object.fromEntries(suspicious.map((name) => [name, `под именем ${name}`])),
	...fc.sample(fc.record({ name: value, a: fc.record({ b: value, own: value }), 'a b': value }), 10),
].map((json) => ({ json })) as unknown as INodeExecutionData[];

const codes = [
	...['$json.name', '$json.n', '$json.a.b', '$json.a.own', '$json', '$json["a b"]', "$json['a b']"],
	...['$json.имя', '$json["имя"]', ' $json . name ', '$json?.name', '$json.list', '$json[""]'],
	...suspicious.flatMap((name) => [`$json.${name}`, `$json["${name}"]`]),
	...['$json?.a?.b', '$json.a["list"][1].x', '$json.missing.deeper', '$json.nothing', '$json.empty'],
	...['$json.zero', '$json.no', '$json.yes', '$json.toString', '$json["{{"]', '$json.constructor'],
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

test('each code reads as in n8n', async () => {
	// By night, all meet all.
	const some = (place: number) =>
		[...items.keys()].filter((item) => times(1) > 1 || (item + place) % 3 === 0);
	await expectAlike(
		codes.map((code, place) => {
			const parameters = { first: `={{ ${code} }}`, second: `=Итого {{ ${code} }}.` };
			return { parameters, asked: some(place) };
		}),
	);
}, 300_000);

/** Texts around a field in which n8n finds other code than a reader would. */
const around = [
	'\\{{ $json.name }}',
	'\\\\{{ $json.n }}',
	'C:\\new {{ $json.n }}',
	'{{ $json.n }} }}',
	'}}{{ $json.n }}',
];

test('any five parameters together read as in n8n', async () => {
	const braces = fc.constantFrom(...codes).map((each) => `{{ ${each} }}`);
	const word = fc.constantFrom(
		...['', ' ', 'Здравствуйте, ', '\n', ' = ', '}', '{ {', '$json.name', '\\', '\\\\', '"', '`', '{{', '}}'],
	);
	const pieces = fc.array(fc.oneof(braces, word), { maxLength: 5 }).map((parts) => parts.join(''));
	const parameter = fc.oneof(braces, pieces).map((text) => `=${text}`);
	const text = fc.oneof({ weight: 8, arbitrary: parameter }, pieces);
	const some = fc.sample(fc.array(text, { minLength: 2, maxLength: 5 }), times(3));
	const named = (texts: string[]) => Object.fromEntries(texts.map((each, index) => [names[index]!, each]));
	await expectAlike(
		[around.map((each) => `=${each}`), ...some].map((texts) => ({ parameters: named(texts) })),
	);
}, 300_000);
