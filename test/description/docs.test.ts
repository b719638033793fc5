import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import * as failures from '../../nodes/ChatbotService/client/failure';
import type { Failure, Problem } from '../../nodes/ChatbotService/client/failure';
import { unreadableProblem, withoutStore } from '../../nodes/ChatbotService/run/check';
import { Settings } from '../../nodes/ChatbotService/run/settings';
import packageJson from '../../package.json';
import { chosen, operationsOf, properties, shownIn } from './editor';
import { cases, operations } from './table';

/* What the documents say of names, messages, commands and files is what there is, and every page can be reached. */

const root = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pagesIn = (folder: string) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `${folder}/${name}`);

/** What users read, in English; each has its like in Russian. */
const readme = 'README.md';
const pages = pagesIn('docs');
const examples = 'examples/README.md';
const russian = new Map([
	[readme, 'docs/ru/README.md'],
	[examples, 'docs/ru/examples.md'],
	...pages.map((page) => [page, page.replace('docs/', 'docs/ru/')] as const),
]);

const documents = [
	...russian.keys(),
	...russian.values(),
	'CHANGELOG.md',
	'CONTRIBUTING.md',
	'RELEASING.md',
	'SECURITY.md',
	'bench/README.md',
	'sandbox/service/README.md',
	'test/fixtures/workflows/README.md',
];

const cellsOf = (line: string) =>
	line
		.split(/(?<!\\)\|/)
		.slice(1, -1)
		.map((cell) => cell.trim());

/** The rows of a table, found by the first cell of its head. */
function tableOf(text: string, first: RegExp): string[][] {
	const [, ...rows] = text
		.split('\n\n')
		.map((block) => block.trim().split('\n'))
		.filter(([line]) => line!.startsWith('|'))
		.find(([line]) => first.test(cellsOf(line!)[0]!))!;
	return rows.slice(1).map(cellsOf);
}

/** As GitHub names the headings of a page. */
const anchorsOf = (text: string) =>
	[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading!
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);

/** The files that a page links to, with the anchor within them. */
const linksOf = (file: string) =>
	[...read(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
		([, target, anchor]) => ({
			target: target ? normalize(join(dirname(file), target)) : file,
			anchor,
		}),
	);

const { quote: _quote, withAdvice: _withAdvice, ...ways } = failures;

const proxyThatIsNone = new Settings({ raw: {}, evaluated: () => ({ proxy: 'none' }) }).of(0) as {
	problems: Problem[];
};

/** A failure of each kind that there is. */
const failuresByKind: { [kind in keyof typeof ways]: Failure[] } = {
	// Values that are refused have words of their own: here those that are not one of a field's kinds.
	invalidValues: [
		failures.invalidValues([unreadableProblem('…', new Error())]),
		failures.invalidValues([withoutStore('Send Once Per', '')]),
		failures.invalidValues(proxyThatIsNone.problems),
	],
	unknownOperation: [failures.unknownOperation('', '')],
	credentialUnreadable: [failures.credentialUnreadable(new Error())],
	notNoted: [failures.notNoted(new Error())],
	inDoubt: [failures.inDoubt('…')],
	leftUnknown: [failures.leftUnknown({})],
	tokenRefused: [failures.tokenRefused(401)],
	accessRefused: [failures.accessRefused(403, { sought: [], isForeign: false })],
	notFound: [failures.notFound(404, [{ label: '…', thing: 'contact with this ID' }])],
	unknownMethod: [failures.unknownMethod(404, [])],
	valuesRefused: [failures.valuesRefused(422, [], ''), failures.valuesRefused(422, ['…'], '')],
	tooManyRequests: [failures.tooManyRequests(429)],
	serviceFailed: [failures.serviceFailed(500)],
	underMaintenance: [failures.underMaintenance(503)],
	requestTooLong: [failures.requestTooLong(414)],
	redirected: [failures.redirected(302, undefined)],
	webPage: [failures.webPage(200, undefined)],
	emptyAnswer: [failures.emptyAnswer(200)],
	malformedAnswer: [failures.malformedAnswer(200, '')],
	unreachable: [failures.unreachable('')],
	invalidAddress: [failures.invalidAddress()],
	certificateRefused: [failures.certificateRefused('')],
	proxyRefused: [failures.proxyRefused(407)],
	timedOut: [failures.timedOut()],
	interrupted: [failures.interrupted('')],
	withoutHttps: [failures.withoutHttps()],
};

describe.each(documents)('%s', (file) => {
	const text = read(file);

	test('names only npm scripts that there are', () => {
		const scripts = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script!);
		expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([]);
	});

	test('links only to files that there are, and to headings that they have', () => {
		const broken = linksOf(file).filter(
			({ target, anchor }) =>
				!existsSync(join(root, target)) || (anchor && !anchorsOf(read(target)).includes(anchor)),
		);
		expect(broken).toEqual([]);
	});
});

describe(readme, () => {
	const text = read(readme);

	test('is read in a few minutes', () => {
		expect(text.split(/\s+/).length).toBeLessThanOrEqual(1500);
	});

	test('says things in the order in which a newcomer needs them', () => {
		const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
		expect(headings).toEqual([
			'Install',
			'Credential',
			'First message',
			'Operations',
			'Limits',
			'When something fails',
			'What is not covered',
			'Examples',
			'Help',
			'Compatibility',
			'Resources',
		]);
	});

	test('leads to every page, and so does the Russian one', () => {
		const led = (from: string) => linksOf(from).map(({ target }) => target);
		expect([...pages, examples].filter((page) => !led(readme).includes(page))).toEqual([]);
		const start = russian.get(readme)!;
		const others = [...russian.values()].filter((page) => page !== start);
		expect(others.filter((page) => !led(start).includes(page))).toEqual([]);
	});

	test('tells of each service the address that the credential names', () => {
		const [baseUrl, token] = new ChatbotServiceApi().properties.map(({ description }) => description!);
		const services = tableOf(text, /^Service$/);
		expect(services).toHaveLength(5);
		for (const row of services) {
			const [service, address, whereToken] = row as [string, string, string];
			expect(baseUrl).toContain(`${address.replaceAll('`', '')} (${service})`);
			const page = /\((https:.*)\)/.exec(whereToken)?.[1];
			if (page) expect(token).toContain(`${page} (${service})`);
		}
	});
});

describe.each([readme, 'docs/operations.md'].flatMap((page) => [page, russian.get(page)!]))('%s', (file) => {
	const rows = tableOf(read(file), /^(Resource|Ресурс)$/);
	const columns = rows[0]!.length;

	test('lists every operation with its endpoint', () => {
		let resource = '';
		const found = rows.map((row) => {
			resource = row[0] || resource;
			return [resource, row[1], columns === 4 ? row[3] : row[2]];
		});
		const labels = properties.find(({ name }) => name === 'resource')!.options as INodePropertyOptions[];
		const wanted = operations.map((each) => [
			labels.find(({ value }) => value === each.resource)!.name,
			each.label,
			`${each.method} \`${each.endpoint}\``,
		]);
		expect(found).toHaveLength(wanted.length);
		expect(found).toEqual(expect.arrayContaining(wanted));
	});
});

describe.each(['docs/operations.md', russian.get('docs/operations.md')!])('%s', (file) => {
	const rows = tableOf(read(file), /^(Resource|Ресурс)$/);

	test.each(operations)('names every parameter of $resource/$operation, and which are required', (listed) => {
		const { parameters } = rows
			.map(([, , endpoint, parameters]) => ({ endpoint, parameters: parameters! }))
			.find(({ endpoint }) => endpoint === `${listed.method} \`${listed.endpoint}\``)!;
		const ofOperation = cases.filter(
			(each) => each.resource === listed.resource && each.operation === listed.operation,
		);
		const labels = new Set(
			ofOperation.flatMap((each) => shownIn(chosen(each)).map(({ displayName }) => displayName)),
		);
		expect([...labels].filter((each) => !parameters.includes(each))).toEqual([]);
		const always = ofOperation[0]!.required.filter((name) =>
			ofOperation.every(({ required }) => required.includes(name)),
		);
		const required = shownIn(chosen(ofOperation[0]!)).filter(({ name }) => always.includes(name));
		const unmarked = required
			.map(({ displayName }) => displayName)
			.filter((each) => !parameters.includes(`${each}\\*`));
		expect(unmarked).toEqual([]);
		expect(operationsOf(listed.resource).map(({ name }) => name)).toContain(listed.label);
	});
});

describe.each(['docs/errors.md', russian.get('docs/errors.md')!])('%s', (file) => {
	test('explains every message of a failed item, and names none that there is not', () => {
		expect(Object.keys(failuresByKind).sort()).toEqual(Object.keys(ways).sort());
		const messages = Object.values(failuresByKind)
			.flat()
			.map(({ message }) => message.replace(' (HTTP 500)', ' (HTTP 5xx)').replace(' (HTTP 200)', ''));
		const explained = tableOf(read(file), /^(Message|Сообщение)$/).map(([first]) => first!);
		const isExplained = (message: string) => explained.some((each) => each.includes(message));
		expect(messages.filter((message) => !isExplained(message))).toEqual([]);
		const others = /is empty|must be|nothing to send|^Fill in|^No contact/;
		const sentences = explained.flatMap((each) => each.split('; ')).filter((each) => !others.test(each));
		expect(sentences.filter((each) => !messages.includes(each))).toEqual([]);
	});
});

describe.each(['docs/credential.md', russian.get('docs/credential.md')!])('%s', (file) => {
	test("explains every message of the credential's test, and every field of it", async () => {
		const credential = new ChatbotServiceApi();
		const { test: credentialTest, properties: fields } = credential;
		const withoutAddress = await credential
			.authenticate({ baseUrl: '' }, { url: '' })
			.catch(({ message }: Error) => message);
		const messages = [
			...credentialTest.rules!.map(({ properties: { message } }) => message),
			withoutAddress as string,
		];
		const text = read(file);
		expect(messages.filter((message) => !text.includes(`| ${message} |`))).toEqual([]);
		expect(fields.filter(({ displayName }) => !text.includes(`| ${displayName} |`))).toEqual([]);
	});
});

describe.each([...russian])('%s and %s', (english, translated) => {
	const [one, other] = [read(english), read(translated)];

	test('are as complete as each other', () => {
		const shape = (text: string) =>
			(text.match(/^(?:#+ |\|.*)/gm) ?? []).map((line) =>
				line.startsWith('|') ? cellsOf(line).length : line.trim(),
			);
		expect(shape(other)).toEqual(shape(one));
		const pictures = (file: string, text: string) =>
			[...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, target]) =>
				normalize(join(dirname(file), target!)),
			);
		expect(pictures(translated, other)).toEqual(pictures(english, one));
	});

	test('give the same commands', () => {
		const commands = (text: string) =>
			[...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!.replace(/ *#.*$/gm, ''));
		expect(commands(other)).toEqual(commands(one));
	});

	test('lead to each other', () => {
		expect(linksOf(english).map(({ target }) => target)).toContain(translated);
		expect(linksOf(translated).map(({ target }) => target)).toContain(english);
	});
});

test('every picture is on a page', () => {
	const shown = [...russian.keys()].flatMap((file) => linksOf(file).map(({ target }) => target));
	const pictures = readdirSync(join(root, 'docs/screenshots')).map((name) => `docs/screenshots/${name}`);
	expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
});

test('there is nothing in Russian beside these pages', () => {
	expect(pagesIn('docs/ru').sort()).toEqual([...russian.values()].sort());
});

describe('CONTRIBUTING.md', () => {
	const text = read('CONTRIBUTING.md');
	const node = 'nodes/ChatbotService';
	const files = ['nodes', 'credentials', 'docs', 'sandbox', 'test', 'bench', 'tools', '.github'].flatMap(
		filesIn,
	);

	test('names only files and folders that there are', () => {
		const named = [...text.matchAll(/`((?:[\w.-]+\/)*(?:[\w.-]+\.(?:ts|cjs|js|json|ya?ml|md))?)`/g)].map(
			([, name]) => name!,
		);
		expect(named).toEqual(expect.arrayContaining(['run/', 'door.ts', `${node}/client/`]));
		const isThere = (name: string) =>
			existsSync(join(root, name)) ||
			existsSync(join(root, node, name)) ||
			files.some((file) => file.endsWith(`/${name}`));
		expect(named.filter((name) => !isThere(name))).toEqual([]);
	});

	test.each(['run', 'client'])('says of every file in %s/ what it decides', (room) => {
		const [, rows] = text.split(`| file in \`${room}/\` |`);
		const table = rows!.split('\n\n')[0]!;
		const told = [...table.matchAll(/`([\w.]+\.ts)`/g)].map(([, file]) => file!);
		expect(told.sort()).toEqual(readdirSync(join(root, node, room)).sort());
	});
});

/** Paths of all files in a folder of the project, installed packages apart. */
function filesIn(folder: string): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = `${folder}/${entry.name}`;
		if (!entry.isDirectory()) return [path];
		return entry.name === 'node_modules' ? [] : filesIn(path);
	});
}
