import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import * as failures from '../../nodes/ChatbotService/client/failure';
import type { Failure, Problem } from '../../nodes/ChatbotService/client/failure';
import {
	cannotWait,
	pastTime,
	severalQuestions,
	tooLateTime,
	unanswerable,
	unreadableProblem,
	withoutStore,
} from '../../nodes/ChatbotService/run/values/problems';
import { Settings } from '../../nodes/ChatbotService/run/values/settings';
import packageJson from '../../package.json';
import { operations } from '../operations';
import { projectFiles } from '../projectFiles';
import { properties } from './editor';
import { leadsSomewhere, pageOf, read, root, tableOf } from './page';
import { isReleased } from './released';

/* The names, messages, commands and files in the documents exist, and links lead to every page. */

const pagesIn = (folder: string) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `${folder}/${name}`);

/** What users read, in English, and the Russian version of each page. */
const readme = 'README.md';
const examples = 'examples/README.md';
const russian = new Map([
	[readme, 'docs/ru/README.md'],
	[examples, 'docs/ru/examples.md'],
	...pagesIn('docs').map((page) => [page, page.replace('docs/', 'docs/ru/')] as const),
]);
const bothOf = (page: string) => [page, russian.get(page)!];

const documents = [
	...russian.keys(),
	...russian.values(),
	'CHANGELOG.md',
	'CONTRIBUTING.md',
	'RELEASING.md',
	'SUBMISSION.md',
	'SECURITY.md',
	'bench/README.md',
	'sandbox/emulator/README.md',
	'test/fixtures/workflows/README.md',
	'.github/PULL_REQUEST_TEMPLATE.md',
];

const targetsOf = (file: string) => pageOf(file).links.map(({ target }) => target);

const problemsOf = (options: object) =>
	new Settings({ raw: {}, evaluated: () => options }).of(0) as { problems: Problem[] };
const proxyThatIsNone = problemsOf({ proxy: 'none' });
const timeoutThatIsNone = problemsOf({ timeout: -1 });

const question = 'Send and Wait for Response';

const failuresByKind: { [kind in keyof typeof failures]: Failure[] } = {
	// Refused values have their own texts: here those that are not specific to the kind of a field.
	invalidValues: [
		failures.invalidValues([unreadableProblem('…', new Error())]),
		failures.invalidValues([withoutStore('Send Once Per', '')]),
		failures.invalidValues([severalQuestions(question, 2)]),
		failures.invalidValues([cannotWait(question)]),
		failures.invalidValues([unanswerable(question, '')]),
		failures.invalidValues([pastTime('Max Date and Time', '')]),
		failures.invalidValues([tooLateTime('Max Date and Time')]),
		failures.invalidValues([tooLateTime('Amount')]),
		failures.invalidValues(proxyThatIsNone.problems),
		failures.invalidValues(timeoutThatIsNone.problems),
	],
	unknownOperation: [failures.unknownOperation('', '')],
	credentialUnreadable: [failures.credentialUnreadable(new Error())],
	notRecorded: [failures.notRecorded(new Error())],
	inDoubt: [failures.inDoubt('…', {})],
	leftUnknown: [failures.leftUnknown({})],
	tokenRefused: [failures.tokenRefused(401)],
	accessRefused: [failures.accessRefused(403, { expected: [], isForeign: false })],
	notFound: [failures.notFound(404, [{ label: '…', whatItIs: 'contact with this ID' }])],
	unknownEndpoint: [failures.unknownEndpoint(404, [])],
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
	invalidPace: [failures.invalidPace('')],
	certificateRefused: [failures.certificateRefused('')],
	proxyRefused: [failures.proxyRefused(407)],
	timedOut: [failures.timedOut()],
	interrupted: [failures.interrupted('')],
	withoutHttps: [failures.withoutHttps()],
	handshakeFailed: [failures.handshakeFailed('', 'always')],
	unsendable: [failures.unsendable('')],
	refusedByN8n: [failures.refusedByN8n([''])],
	invalidToken: [failures.invalidToken('API Token'), failures.invalidToken('Token Name')],
	unconfirmed: [failures.unconfirmed(200, '')],
	endlessPages: [failures.endlessPages('')],
	brokenHere: [failures.brokenHere('', 'unknown')],
};

const commandsOfNpm = ['ci', 'install', 'ls', 'pack', 'uninstall', 'version'];

test.each(documents)(
	'%s names only existing npm scripts, and links only to existing files and headings',
	(file) => {
		const scripts = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script!);
		const commands = pageOf(file).commands.flatMap((block) =>
			[...block.matchAll(/\bnpm (?!run )([a-z]\w*)/g)].map(([, command]) => command!),
		);
		const isKnown = (script: string) => script in packageJson.scripts || commandsOfNpm.includes(script);
		expect([...scripts, ...commands].filter((each) => !isKnown(each))).toEqual([]);
		expect(pageOf(file).links.filter((link) => !leadsSomewhere(link))).toEqual([]);
	},
);

test('README.md can be read in a few minutes', () => {
	expect(read(readme).split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test('README.md links to every page, and the Russian one to every page in Russian', () => {
	expect(targetsOf(readme)).toEqual(expect.arrayContaining([...russian.keys()].slice(1)));
	expect(targetsOf(russian.get(readme)!)).toEqual(expect.arrayContaining([...russian.values()].slice(1)));
});

test('README.md lists the address of each service that the credential lists', () => {
	const { properties } = new ChatbotServiceApi();
	const [baseUrl, token] = properties.flatMap(({ description }) => description ?? []) as [string, string];
	const services = tableOf(pageOf(readme), /^Service$/);
	expect(services).toHaveLength(5);
	for (const row of services) {
		const [service, address, whereToken] = row as [string, string, string];
		expect(baseUrl).toContain(`${address.replaceAll('`', '')} (${service})`);
		const page = /\((https:.*)\)/.exec(whereToken)?.[1];
		if (page) expect(token).toContain(`${page} (${service})`);
	}
});

/** Whether the page may lack an operation: the Russian page can add a new operation until the release. */
const mayLack = (file: string) => file.startsWith('docs/ru/') && !isReleased;

test.each(bothOf('docs/operations.md'))(
	'%s lists every operation, with its parameters and which of them are required',
	(file) => {
		const labels = properties.find(({ name }) => name === 'resource')!.options as INodePropertyOptions[];
		let resource = '';
		const rows = tableOf(pageOf(file), /^(Resource|Ресурс)$/).map((row) => {
			resource = row[0] || resource;
			return { title: [resource, ...row.slice(1, 3)].join(' '), parameters: row[3]! };
		});
		const wanted = operations.map((each) => ({
			title: `${labels.find(({ value }) => value === each.resource)!.name} ${each.label} ${each.method} \`${each.endpoint}\``,
			fields: each.variants
				.flatMap(({ fields }) => fields)
				.map(({ label, required }) => (required ? `${label}\\*` : label)),
		}));
		const known = rows.map(({ title }) => title);
		const titles = wanted.map(({ title }) => title);
		expect(known.filter((each) => !titles.includes(each))).toEqual([]);
		if (!mayLack(file)) expect(titles.filter((each) => !known.includes(each))).toEqual([]);
		for (const { title, parameters } of rows) {
			const { fields } = wanted.find((each) => each.title === title)!;
			expect([title, fields.filter((each) => !parameters.includes(each))]).toEqual([title, []]);
		}
	},
);

test.each(bothOf('docs/errors.md'))('%s explains exactly the messages of failed items', (file) => {
	expect(Object.keys(failuresByKind).sort()).toEqual(Object.keys(failures).sort());
	const messages = Object.values(failuresByKind)
		.flat()
		.map(({ message }) => message.replace(' (HTTP 500)', ' (HTTP 5xx)').replace(' (HTTP 200)', ''))
		.map((message) => message.replace('2 items', '… items'));
	const explained = tableOf(pageOf(file), /^(Message|Сообщение)$/).map(([first]) => first!);
	const isExplained = (message: string) => explained.some((each) => each.includes(message));
	expect(messages.filter((message) => !isExplained(message))).toEqual([]);
	const others = /is empty|must be|nothing to send|^Fill in|^No contact/;
	const sentences = explained.flatMap((each) => each.split('; ')).filter((each) => !others.test(each));
	expect(sentences.filter((each) => !messages.includes(each))).toEqual([]);
});

test.each(bothOf('docs/credential.md'))(
	'%s explains every field of the credential, and every message of its test',
	async (file) => {
		const credential = new ChatbotServiceApi();
		const withoutAddress = await credential
			.authenticate({ baseUrl: '' }, { url: '' })
			.catch(({ message }: Error) => message);
		const explained = pageOf(file).tables.flatMap((rows) => rows.map(([first]) => first));
		expect(explained).toEqual(
			expect.arrayContaining([
				...credential.properties.flatMap(({ type, displayName }) => (type === 'notice' ? [] : displayName)),
				...credential.test.rules!.map(({ properties: { message } }) => message),
				withoutAddress,
			]),
		);
	},
);

describe.each([...russian])('%s and %s', (english, translated) => {
	const [one, other] = [pageOf(english), pageOf(translated)];

	test('have the same structure', () => {
		const shapeOf = ({ shape }: typeof one) =>
			mayLack(translated) && english === 'docs/operations.md'
				? shape.filter((tag) => tag !== 'tr' && tag !== 'td')
				: shape;
		expect(shapeOf(other)).toEqual(shapeOf(one));
		expect(other.pictures).toEqual(one.pictures);
	});

	test('contain the same commands, and link to each other', () => {
		const commandsOf = ({ commands }: typeof one) => commands.map((each) => each.replace(/ *#.*$/gm, ''));
		expect(commandsOf(other)).toEqual(commandsOf(one));
		expect(targetsOf(english)).toContain(translated);
		expect(targetsOf(translated)).toContain(english);
	});
});

test('every picture is on a page', () => {
	const shown = [...russian.keys()].flatMap((file) => pageOf(file).pictures);
	const pictures = ['docs/screenshots', 'docs/charts'].flatMap((folder) =>
		readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
	);
	expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
});

test('every page in docs/ru/ is the translation of another', () => {
	expect(pagesIn('docs/ru').sort()).toEqual([...russian.values()].sort());
});

describe('CONTRIBUTING.md', () => {
	const page = pageOf('CONTRIBUTING.md');
	const node = 'nodes/ChatbotService';
	const files = projectFiles();

	test('names only existing files and folders', () => {
		const named = [...page.text.matchAll(/`((?:[\w.-]+\/)*(?:[\w.-]+\.(?:ts|cjs|js|json|ya?ml|md))?)`/g)].map(
			([, name]) => name!,
		);
		expect(named).toEqual(expect.arrayContaining(['run/', 'context.ts', `${node}/client/`]));
		const isThere = (name: string) =>
			[name, `${node}/${name}`, ...files.filter((file) => file.endsWith(`/${name}`))].some((path) =>
				existsSync(join(root, path)),
			);
		expect(named.filter((name) => !isThere(name))).toEqual([]);
	});

	test.each(['run', 'run/values', 'run/ledger', 'response', 'client', 'client/pace'])(
		'describes the responsibility of every file in %s/',
		(folder) => {
			const rows = tableOf(page, new RegExp(`^file in \`${folder}/\`$`));
			const told = rows.flatMap(([files]) => files!.match(/[\w.]+\.ts/g)!);
			const isFile = (name: string) => name.endsWith('.ts');
			expect(told.sort()).toEqual(
				readdirSync(join(root, node, folder))
					.filter(isFile)
					.sort(),
			);
		},
	);
});
