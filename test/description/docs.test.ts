import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import * as failures from '../../nodes/ChatbotService/client/failure';
import type { Failure, Problem } from '../../nodes/ChatbotService/client/failure';
import { unreadableProblem } from '../../nodes/ChatbotService/run/check';
import { Settings } from '../../nodes/ChatbotService/run/settings';
import packageJson from '../../package.json';
import { chosen, operationsOf, properties, shownIn } from './editor';
import { cases, operations } from './table';

/* What the READMEs say of names, messages, commands and files is what there is. */

const root = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const readmes = ['README.md', 'README.ru.md'];
const documents = [
	...readmes,
	'examples/README.md',
	'docs/cut-off.md',
	'docs/queue-mode.md',
	'CONTRIBUTING.md',
].filter((file) => existsSync(join(root, file)));

const cellsOf = (line: string) =>
	line
		.split(/(?<!\\)\|/)
		.slice(1, -1)
		.map((cell) => cell.trim());

/** The rows of the table that stands first under a heading with these words. */
function tableUnder(text: string, heading: RegExp): string[][] {
	const lines = text.split('\n');
	const start = lines.findIndex((line) => line.startsWith('## ') && heading.test(line));
	const rows = lines.slice(start).filter((line) => line.startsWith('|') || line.startsWith('## '));
	const end = rows.findIndex((line, index) => index > 0 && line.startsWith('## '));
	return rows.slice(3, end < 0 ? undefined : end).map(cellsOf);
}

const { quote: _quote, withOutcome: _withOutcome, ...ways } = failures;

const proxyThatIsNone = new Settings({ raw: {}, evaluated: () => ({ proxy: 'none' }) }).of(0) as {
	problems: Problem[];
};

/** A failure of each kind that there is. */
const failuresByKind: { [kind in keyof typeof ways]: Failure[] } = {
	// Values that are refused have words of their own: here those that are not one of a field's kinds.
	invalidValues: [
		failures.invalidValues([unreadableProblem('…', new Error())]),
		failures.invalidValues(proxyThatIsNone.problems),
	],
	unknownOperation: [failures.unknownOperation('', '')],
	credentialUnreadable: [failures.credentialUnreadable(new Error())],
	notNoted: [failures.notNoted(new Error())],
	inDoubt: [failures.inDoubt('…')],
	leftUnknown: [failures.leftUnknown()],
	tokenRefused: [failures.tokenRefused(401)],
	accessRefused: [failures.accessRefused(403)],
	notFound: [failures.notFound(404, [])],
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

	test('links only to files that there are', () => {
		const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target]) => target!);
		const missing = targets.filter((target) => !existsSync(join(root, file, '..', target)));
		expect(missing).toEqual([]);
	});

	test('has the headings that it links to', () => {
		const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
			heading!
				.toLowerCase()
				.replace(/[^\p{L}\p{N}\s_-]/gu, '')
				.replace(/\s/g, '-'),
		);
		const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
		expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
	});
});

describe.each(readmes)('%s', (file) => {
	const text = read(file);

	test('lists every operation, with its endpoint and its parameters', () => {
		const rows = tableUnder(text, /^## (Operations|Операции)/);
		let resource = '';
		const found = rows.map(([first, operation, endpoint, parameters]) => {
			resource = first || resource;
			return { resource, operation, endpoint, parameters: parameters! };
		});
		const resourceLabels = properties.find(({ name }) => name === 'resource')!
			.options as INodePropertyOptions[];
		expect(found).toHaveLength(operations.length);
		for (const listed of operations) {
			const label = resourceLabels.find(({ value }) => value === listed.resource)!.name;
			const row = found.find((each) => each.resource === label && each.operation === listed.label)!;
			expect([label, listed.label, row?.endpoint]).toEqual([
				label,
				listed.label,
				`${listed.method} \`${listed.endpoint}\``,
			]);
			const ofOperation = cases.filter(
				(each) => each.resource === listed.resource && each.operation === listed.operation,
			);
			const labels = new Set(
				ofOperation.flatMap((each) => shownIn(chosen(each)).map(({ displayName }) => displayName)),
			);
			expect([...labels].filter((each) => !row.parameters.includes(each))).toEqual([]);
			const always = ofOperation[0]!.required.filter((name) =>
				ofOperation.every(({ required }) => required.includes(name)),
			);
			const required = shownIn(chosen(ofOperation[0]!)).filter(({ name }) => always.includes(name));
			expect(
				required
					.map(({ displayName }) => displayName)
					.filter((each) => !row.parameters.includes(`${each}\\*`)),
			).toEqual([]);
			expect(operationsOf(listed.resource).map(({ name }) => name)).toContain(row.operation);
		}
	});

	test('explains every message of a failed item, and names none that there is not', () => {
		expect(Object.keys(failuresByKind).sort()).toEqual(Object.keys(ways).sort());
		const messages = Object.values(failuresByKind)
			.flat()
			.map(({ message }) => message.replace(' (HTTP 500)', ' (HTTP 5xx)').replace(' (HTTP 200)', ''));
		const explained = tableUnder(text, /^## (Troubleshooting|Сообщения об ошибках)/).map(([first]) => first!);
		const isExplained = (message: string) => explained.some((each) => each.includes(message));
		expect(messages.filter((message) => !isExplained(message))).toEqual([]);
		const others = /is empty|must be|nothing to send|^Fill in|knows nothing under|^Unrecognized node type/;
		const sentences = explained.flatMap((each) => each.split('; ')).filter((each) => !others.test(each));
		expect(sentences.filter((each) => !messages.includes(each))).toEqual([]);
	});

	test("explains every message of the credential's test, and every field of it", () => {
		const { test: credentialTest, properties: fields } = new ChatbotServiceApi();
		const messages = credentialTest.rules!.map(({ properties: { message } }) => message);
		expect(messages.filter((message) => !text.includes(message))).toEqual([]);
		expect(fields.filter(({ displayName }) => !text.includes(`| ${displayName} |`))).toEqual([]);
	});
});

describe('the two READMEs', () => {
	const [english, russian] = readmes.map(read) as [string, string];

	test('are as complete as each other', () => {
		const shape = (text: string) => (text.match(/^(#+ |\|)/gm) ?? []).join('');
		expect(shape(russian)).toBe(shape(english));
		const pictures = (text: string) =>
			[...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, target]) => target);
		expect(pictures(russian)).toEqual(pictures(english));
	});

	test('give the same commands', () => {
		const commands = (text: string) =>
			[...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!.replace(/ *#.*$/gm, ''));
		expect(commands(russian)).toEqual(commands(english));
	});
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
