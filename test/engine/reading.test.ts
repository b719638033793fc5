import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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
import { loadAsN8n } from '../../sandbox/workflow';
import { nodeTypeOf, runNode } from './harness';
import { codePoint } from '../unit/codePoints';

/*
 * The node's reader evaluates simple expressions without n8n. Here each expression is read both ways, by the reader and by n8n, on
 * every engine of n8n's that people have; the first tests prove which engine that is.
 */

const line = (process.env.ENGINE ?? '2.8') as keyof typeof lines;
const folder = resolve(__dirname, '../..', lines[line].folder);
const modules = realpathSync(join(folder, 'node_modules'));
const { packages: locked } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
	packages: Record<string, { version: string }>;
};

/** The folder of every n8n package that is loaded so far. */
const loaded = () => {
	const ofPackage = /^.*\/node_modules\/(?:n8n-core|n8n-workflow|@n8n\/[^/]+)(?=\/)/;
	const folders = Object.keys(require.cache).map((file) => ofPackage.exec(file.replaceAll('\\', '/'))?.[0]);
	return [...new Set(folders.filter((each) => each !== undefined))].map((each) => realpathSync(each));
};

test('every n8n package belongs to the release line under test', () => {
	const found = Object.fromEntries(
		loaded().map((each) => {
			const { version } = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as { version: string };
			return [relative(modules, each), version];
		}),
	);
	const wanted = Object.keys(found).map((name) => [name, locked[`node_modules/${name}`]?.version]);
	expect(found).toEqual(Object.fromEntries(wanted));
	expect(Object.keys(found)).toEqual(expect.arrayContaining(['n8n-core', 'n8n-workflow', '@n8n/di']));
	expect(found['n8n-core']).toMatch(line.endsWith('.x') ? /^1\./ : `${line}.`);
});

test('the selected engine evaluates expressions', () => {
	const { getActiveImplementation } = Expression as unknown as { getActiveImplementation?(): string };
	expect(getActiveImplementation?.call(Expression) ?? 'legacy').toBe(
		process.env.EXPRESSION_ENGINE ?? 'legacy',
	);
});

const names = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Runs a function as the operation of a node, with n8n's own context for it. */
async function inNode(
	items: INodeExecutionData[],
	work: (context: IExecuteFunctions) => void,
): Promise<void> {
	const probe = nodeTypeOf({
		description: {
			requestDefaults: {},
			properties: ['resource', 'operation', ...names].map((name) => ({
				displayName: name,
				name,
				type: 'string' as const,
				default: '',
			})),
		},
		customOperations: {
			probe: {
				async read(this: IExecuteFunctions) {
					work(this);
					return [[]];
				},
			},
		},
	});
	const { error } = await runNode({
		nodeType: loadAsN8n(probe),
		parameters: { resource: 'probe', operation: 'read' },
		credential: {},
		rawItems: items,
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

/** Values of all parameters for an item, by the node's reader and by n8n. */
function bothWays(context: IExecuteFunctions, reader: Reader, item: number, asked: string[]) {
	const values = reader.valuesOf(item);
	const ours = asked.map((name) => come(() => values.at(name)));
	const theirs = asked.map((name) => come(() => context.getNodeParameter(name, item, null)));
	return { ours, theirs };
}

/** Sets the node's parameters in the workflow, where a context looks them up. */
function fillIn(context: IExecuteFunctions, parameters: INodeParameters) {
	(context as unknown as { node: { parameters: INodeParameters } }).node.parameters = parameters;
}

const inherited = Object.create({ city: 'Тверь', inherited: 'по наследству' }) as Record<string, unknown>;
inherited.own = 'своё';

/** Data for which the two readings could differ. */
const nasty: Array<Record<string, unknown>> = [
	{
		name: 'Анна',
		n: 42,
		yes: true,
		'a b': 'пробел',
		имя: 'кириллица',
		a: { b: { c: 'глубоко' }, list: ['нулевой', { x: 'первый' }] },
		list: ['один', 'два'],
		empty: '',
		zero: 0,
		no: false,
		nothing: null,
	},
	{ name: ' Пётр ', n: -1.5, a: { b: 'плоско' }, list: [], 'a b': { c: 1 }, имя: null, yes: 'да' },
	{ name: 'a {{ 1 }} b', n: 1e21, a: null, list: { 0: 'не список' }, yes: 0, empty: ' ' },
	{ name: '={{ $json.n }}', n: NaN, a: [], 'a b': [1, 2], имя: new Date(0) },
	{ name: 7, n: Infinity, a: { b: new Date(86_400_000) }, list: [[['тройной']]], имя: false },
	{ name: { first: 'Ольга' }, n: '12', a: { b: { toJSON: 'поле' } }, yes: null },
	{ name: 'x', a: inherited, list: 'текст', n: -0 },
	{},
	{
		name: 'эмодзи 😀 и половина \ud83d',
		n: 0.1 + 0.2,
		a: { b: 'стр\nока "кавычки" \'и\' `' },
		length: 3,
		toString: 'своё',
	},
];
/** Names that sandbox escapes use: n8n refuses some of them, whatever the data contains under them. */
const suspicious = [
	...['constructor', 'constructorName', 'prototype', '__proto__', 'mainModule', 'binding'],
	...['_load', 'prepareStackTrace', 'getPrototypeOf', '__lookupGetter__', '__data', 'toJSON'],
	...['valueOf', 'then', 'process', 'extend'],
];
nasty.push(Object.fromEntries(suspicious.map((name) => [name, `под именем ${name}`])));

const items = nasty.map((json) => ({ json })) as INodeExecutionData[];

const paths = [
	...['$json.name', '$json.n', '$json.a.b', '$json.a.b.c', '$json.a.own', '$json.a.city'],
	...['$json.a.inherited', '$json["a b"]', "$json['a b'].c", '$json.имя', '$json["имя"]'],
	...['$json?.a?.b', '$json.a?.["b"]?.c', '$json.a["list"][1].x', '$json.list[0]'],
	...['$json.list[0][0][0]', '$json["list"]["0"]', '$json.list.length', '$json.length'],
	...['$json.name.length', '$json.toString', '$json.missing', '$json.missing.deeper'],
	...['$json.nothing', '$json.empty', '$json.zero', '$json.no', '$json.yes'],
	...['$json.a.b.toJSON', '$json.a.prototype', '$json.a.hasOwnProperty', '$json["{{"]'],
	...['$json[""]', '$json.if', ' $json . name ', '$json'],
	...suspicious.flatMap((name) => [`$json.${name}`, `$json["${name}"]`]),
];

const others = [
	...['$json.name.trim()', '$json.n * 2', '$json.name + "!"', '`${$json.name}, ${$json.n}`'],
	...['$json.list.join(", ")', '$json["na" + "me"]', '$json.a.b.toUpperCase()', '$itemIndex'],
	...['$itemIndex + 1', '$("Start").item.json.name', '$("Start").first().json.n'],
	...['$input.item.json["a b"]', '$input.all().length', '$prevNode.name'],
	...['$node["Start"].json.name', '$("Nowhere").item.json.x', '$json.n.round(1)'],
	...['$json.name.toTitleCase()', '$json.list.first()', '$if($json.yes, "да", "нет")'],
	...['$now.year > 2000', 'DateTime.fromISO("2026-01-01")', 'new Date(0)', '[1, 2, 3]'],
	...['{ a: 1 }', '({ a: 1 })', 'undefined', 'null', 'NaN', '0', '-0', '""', 'false'],
	...['1 // и всё', '/* до */ 2', '"a" /* после */', '1; 2', '1;', 'let x = 1; x', '1) + (2'],
	...['1), (2', '1)] + [(2', '(1', '1 /* без конца', '*/ 2', '"без конца', '`', 'x => x'],
	...['(() => { return 5 })()', 'function () {}', 'await 1', 'this', 'arguments', 'return 1'],
	...['', ' ', '$json.name.missing.deeper', 'JSON.stringify($json.a)'],
	...['Object.keys($json).length', '$parameter.resource', '$vars.x'],
	...['$jmespath($json, "name")', '9007199254740993n', 'Symbol("s")', '/x/.test($json.name)'],
	...['$json.name?.trim?.()', '$json.a ?? "нет"', '$json.zero || "пусто"', '[...$json.list]'],
];

const words = [
	...['', '', ' ', 'Здравствуйте, ', '!', '\n', ' = ', '}', '{', '{ {', '$json.name', '\\'],
	...['\\\\', '"', "'", '`', '//', '=', '{{', '}}'],
];

const code = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom(...paths) },
	{ weight: 4, arbitrary: fc.constantFrom(...others) },
);
const braces = code.map((each) => `{{${each}}}`);
const spaced = code.map((each) => `{{ ${each} }}`);
const word = fc.constantFrom(...words);
const template = fc.oneof(
	{ weight: 4, arbitrary: spaced },
	{ weight: 1, arbitrary: braces },
	{ weight: 2, arbitrary: fc.tuple(word, spaced, word).map((parts) => parts.join('')) },
	{ weight: 2, arbitrary: fc.array(fc.oneof(spaced, word), { maxLength: 5 }).map((parts) => parts.join('')) },
);
const parameter = fc.oneof(
	{ weight: 8, arbitrary: template.map((each) => `=${each}`) },
	{ weight: 1, arbitrary: template },
);

/** Whether two results look the same to their reader; the clock may advance between the two readings. */
const alike = (ours: unknown, theirs: unknown) =>
	isDeepStrictEqual(ours, theirs) || inspect(ours, { depth: 5 }) === inspect(theirs, { depth: 5 });

function expectAlike(
	parameters: INodeParameters,
	item: number,
	{ ours, theirs }: ReturnType<typeof bothWays>,
) {
	for (const [index, mine] of ours.entries()) {
		const message = `${JSON.stringify(Object.values(parameters)[index])} of item ${item} in ${JSON.stringify(parameters)}`;
		if (!alike(mine, theirs[index])) expect([message, mine]).toEqual([message, theirs[index]]);
	}
}

test('every single path or other expression gives the same value as n8n', async () => {
	await inNode(items, (context) => {
		for (const each of [...paths, ...others]) {
			for (const text of [`={{ ${each} }}`, `=Итого {{ ${each} }}.`]) {
				const parameters = { first: text };
				fillIn(context, parameters);
				const reader = new Reader(sourceOf(context, context.getNode(), items));
				// The reader leaves the others to n8n because of their text, whatever the items contain.
				const asked = [...items.keys()].filter((item) => paths.includes(each) || item % 3 === 0);
				for (const item of asked) {
					expectAlike(parameters, item, bothWays(context, reader, item, ['first']));
				}
			}
		}
	});
}, 300_000);

test('any five parameters give what n8n gives for each, item after item', async () => {
	await inNode(items, (context) => {
		fc.assert(
			fc.property(fc.array(parameter, { minLength: 2, maxLength: 5 }), (texts) => {
				const parameters = Object.fromEntries(texts.map((text, index) => [names[index]!, text]));
				const asked = Object.keys(parameters);
				fillIn(context, parameters);
				const reader = new Reader(sourceOf(context, context.getNode(), items));
				for (const item of items.keys()) {
					expectAlike(parameters, item, bothWays(context, reader, item, asked));
				}
			}),
			// The nightly run has another seed.
			{ numRuns: 50 },
		);
	});
}, 300_000);

test('a path into any data gives the same value as n8n', async () => {
	const value = fc.oneof(
		fc.jsonValue({ maxDepth: 3 }),
		fc.string({ unit: codePoint }),
		fc.double(),
		fc.date(),
	);
	const data = fc.sample(fc.record({ a: value, b: fc.record({ a: value, 'a b': value }), 'a b': value }), 60);
	const generated = data.map((json) => ({ json })) as unknown as INodeExecutionData[];
	const parameters = {
		first: '={{ $json.a }}',
		second: '={{ $json.b.a }}',
		third: '={{ $json["a b"] }} и {{ $json.b["a b"] }}',
		fourth: '={{ String($json.a) }}',
		fifth: '={{ [$json.b.a].flat()[0] }}',
	};
	await inNode(generated, (context) => {
		fillIn(context, parameters);
		const reader = new Reader(sourceOf(context, context.getNode(), generated));
		for (const item of generated.keys())
			expectAlike(parameters, item, bothWays(context, reader, item, names));
	});
}, 300_000);
