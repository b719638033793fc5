/*
 * Which folder of the project may import which; CONTRIBUTING.md describes the folders. `npm run architecture` lists the
 * imports that break a rule, and the comment of each rule gives the reason.
 */

const node = '^nodes/ChatbotService/';
const published = '^(nodes|credentials)/';
const loadedByN8n = [
	'^nodes/[^/]+/[^/]+\\.node\\.ts$',
	'^credentials/[^/]+\\.credentials\\.ts$',
	'^nodes/[^/]+/__schema__/',
];
const unpublished = '^(sandbox|test|bench|tools)/';
/** Files of operations, by what they do. */
const operationFiles = [`${node}resources/[^/]+/(get|getAll|getMany\\w*|create|update|upsert|delete|send\\w*)\\.ts$`];
const n8nWorkflow = 'node_modules/n8n-workflow/';

/** Imports that do not exist in the compiled code. */
const typesOnly = ['type-only'];

/** Which other folders of the node each folder may use, and why no more. */
const folders = {
	shared: [[], 'It helps every other folder.'],
	client: [
		['shared'],
		'It makes a request and reads its answer, whoever calls. It knows no items and operations.',
	],
	'client/failure': [['shared'], 'It says what went wrong, and what follows, in any other folder.'],
	'client/pace': [['client/failure', 'shared'], 'It knows limits and trouble, not what a request contains.'],
	'client/credential': [
		['client/failure', 'client/pace', 'shared'],
		'It says what an account is, without requests.',
	],
	'client/http': [
		['client/credential', 'client/failure', 'client/pace', 'shared'],
		'It makes one attempt, however often the client repeats it.',
	],
	resources: [['client', 'shared'], 'It describes operations in terms of client/, not how they run or look.'],
	description: [['client', 'resources', 'shared'], 'It builds what the editor shows from resources/.'],
	ask: [
		['client', 'resources', 'shared'],
		'It turns a question into a link and a page, however the message is sent.',
	],
	listSearch: [
		['client', 'resources', 'shared'],
		"The editor's lists have no items: they only make requests.",
	],
	run: [
		['ask', 'client', 'resources', 'shared'],
		'It checks, orders and sends items, whatever the editor shows.',
	],
};

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		rule('no-circular-imports', 'They cannot be read or tested one at a time.', {}, { circular: true }),
		rule(
			'published-is-loaded',
			'Every published file is imported, directly or indirectly, by a file that n8n loads.',
			{ path: loadedByN8n },
			{ path: published, pathNot: loadedByN8n, reachable: false },
		),
		rule(
			'no-orphans',
			'A file that imports nothing and that no file imports is unused. Tests and declarations are exceptions.',
			{ orphan: true, pathNot: ['\\.d\\.ts$', '\\.test\\.ts$', '\\.m?js$'] },
			{},
		),
		rule(
			'published-needs-n8n-workflow-alone',
			"The package has no dependencies of its own, and n8n's rules forbid the modules of Node.js but crypto.",
			{ path: published },
			{ pathNot: [published, n8nWorkflow, '^crypto$'], dependencyTypesNot: typesOnly },
		),
		rule(
			'published-without-unpublished',
			'Published files import nothing from the sandbox, the tests, the bench or the tools, not even a type.',
			{ path: published },
			{ path: unpublished },
		),
		rule(
			'credentials-use-client',
			'n8n loads the credential without the node. The code that both use is in client/ and shared/.',
			{ path: '^credentials/' },
			{ path: published, pathNot: `${node}(client|shared)/` },
		),
		...Object.entries(folders).map(([folder, [others, why]]) =>
			rule(
				`${folder.replace('/', '-')}-by-itself`,
				why,
				{ path: `${node}${folder}/` },
				{ path: published, pathNot: [folder, ...others].map((each) => `${node}${each}/`) },
			),
		),
		rule(
			'resources-send-nothing',
			'Resources know of client/ what a request is, as types, and the sentences of failures.',
			{ path: `${node}resources/` },
			{ path: `${node}client/`, pathNot: `${node}client/failure/`, dependencyTypesNot: typesOnly },
		),
		rule(
			'resources-apart',
			'Resources share code only through the files beside their folders, so that each can be read alone. Steps can request another operation.',
			{ path: `${node}resources/([^/]+)/` },
			{ path: `${node}resources/[^/]+/`, pathNot: [`${node}resources/$1/`, ...operationFiles] },
		),
		rule(
			'description-without-n8n',
			'The description of operations, of the editor and of pages is plain data: it imports only types from n8n.',
			{ path: [`${node}(resources|description)/`, `${node}ask/(page|response)\\.ts$`] },
			{ path: n8nWorkflow, dependencyTypesNot: typesOnly },
		),
		rule(
			'emulator-by-itself',
			'The emulator follows the documented API. If it used code of the node, both could have the same mistake.',
			{ path: '^sandbox/emulator/' },
			{ path: [published, unpublished], pathNot: '^sandbox/emulator/' },
		),
		rule(
			'check-reads-only',
			'Without --write, the check of a live account cannot change anything: what reads knows neither changes nor operations that change.',
			{ path: '^tools/checkService/(agreement|comparison|reading|report|session)\\.ts$' },
			{
				path: [
					'^tools/checkService/writing',
					`${node}resources/[^/]+/(addField|attach|create|delete|deleteField|detach|send\\w*|update|upsert\\w*)\\.ts$`,
				],
			},
		),
		rule(
			'check-sends-nothing',
			'The check of a live account sends no message, with --write neither.',
			{ path: '^tools/checkService/' },
			{ path: `${node}resources/message/` },
		),
		rule(
			'host-runs-what-is-packed',
			'The pinned n8n and the end-to-end tests use the packed package, as users do. Only texts come from its sources.',
			{ path: '^(sandbox/(host|start)|test/e2e)/' },
			{ path: `${node}ChatbotService\\.node\\.ts$` },
		),
		rule(
			'sandbox-without-tests',
			'The tests, the bench and the tools use the sandbox. The sandbox uses none of them.',
			{ path: '^sandbox/' },
			{ path: '^(test|bench|tools)/' },
		),
	],
	options: {
		exclude: { path: '^(sandbox/(host|engines/[^/]+)/node_modules|dist)/' },
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.tools.json' },
		tsPreCompilationDeps: true,
	},
};
