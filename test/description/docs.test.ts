import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import * as failures from '../../nodes/ChatbotService/client/failure';
import packageJson from '../../package.json';
import { chosen, operationsOf, properties, shownIn } from './editor';
import { cases, operations } from './table';

/* What the READMEs say of names, messages, commands and files is what there is. */

const root = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const readmes = ['README.md', 'README.ru.md'];
const documents = [...readmes, 'examples/README.md', 'docs/queue-mode.md', 'CONTRIBUTING.md'].filter((file) =>
	existsSync(join(root, file)),
);

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

	test('explains every message of a failed request', () => {
		const { tokenRefused, accessRefused, notFound, valuesRefused, tooManyRequests, ...others } = failures;
		const messages = [
			others.heldBack(),
			tokenRefused(401),
			accessRefused(403),
			notFound(404, []),
			valuesRefused(422, [], ''),
			valuesRefused(422, ['…'], ''),
			tooManyRequests(429),
			others.requestTooLong(414),
			others.redirected(302, undefined),
			others.emptyAnswer(200),
			others.malformedAnswer(200, ''),
			others.unreachable(''),
			others.invalidAddress(),
			others.certificateRefused(''),
			others.timedOut(),
			others.interrupted(''),
			others.withoutHttps(),
		].map(({ message }) => message);
		const explained = tableUnder(text, /^## (Troubleshooting|Сообщения об ошибках)/).map(([first]) => first!);
		const isExplained = (message: string) => explained.some((each) => each.includes(message));
		expect(messages.filter((message) => !isExplained(message))).toEqual([]);
		expect(isExplained('The service failed to process the request (HTTP 5xx)')).toBe(true);
		expect(isExplained(others.webPage(200, undefined).message.replace(/ \(HTTP.*/, ''))).toBe(true);
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
