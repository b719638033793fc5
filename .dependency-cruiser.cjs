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
const n8nWorkflow = 'node_modules/n8n-workflow/';

/** Imports that do not exist in the compiled code. */
const typesOnly = ['type-only'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-circular-imports',
			comment: 'Files that need each other cannot be read or tested one at a time.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'published-is-loaded',
			comment: 'Every published file is imported, directly or indirectly, by a file that n8n loads.',
			severity: 'error',
			from: { path: loadedByN8n },
			to: { path: published, pathNot: loadedByN8n, reachable: false },
		},
		{
			name: 'no-orphans',
			comment:
				'A file that imports nothing and that no file imports is unused. Tests and declarations are exceptions.',
			severity: 'error',
			from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.test\\.ts$', '\\.m?js$'] },
			to: {},
		},
		{
			name: 'published-needs-n8n-workflow-alone',
			comment:
				"The package has no dependencies of its own, and n8n's rules forbid the modules of Node.js but crypto.",
			severity: 'error',
			from: { path: published },
			to: { pathNot: [published, n8nWorkflow, '^crypto$'], dependencyTypesNot: typesOnly },
		},
		{
			name: 'published-without-unpublished',
			comment:
				'Published files import nothing from the sandbox, the tests, the bench or the tools, not even a type.',
			severity: 'error',
			from: { path: published },
			to: { path: unpublished },
		},
		{
			name: 'credentials-use-client',
			comment: 'n8n loads the credential without the node. The code that both use is in client/.',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: published, pathNot: `${node}client/` },
		},
		{
			name: 'client-by-itself',
			comment:
				'client/ makes a request and reads its answer. It does not depend on callers, items, fields and operations.',
			severity: 'error',
			from: { path: `${node}client/` },
			to: { path: published, pathNot: `${node}client/` },
		},
		{
			name: 'resources-describe',
			comment:
				'resources/ describes operations and their requests in terms of client/ (limits, shapes of answers, problems of values). ' +
				'It does not depend on how operations run and how the editor shows them.',
			severity: 'error',
			from: { path: `${node}resources/` },
			to: { path: published, pathNot: [`${node}(client|resources)/`] },
		},
		{
			name: 'resources-apart',
			comment:
				'Resources share code only through the files beside their folders, so that each can be read without the others.',
			severity: 'error',
			from: { path: `${node}resources/([^/]+)/` },
			to: { path: `${node}resources/[^/]+/`, pathNot: `${node}resources/$1/` },
		},
		{
			name: 'description-shows',
			comment: 'description/ builds what the editor shows from resources/.',
			severity: 'error',
			from: { path: `${node}description/` },
			to: { path: published, pathNot: [`${node}(client|resources|description)/`] },
		},
		{
			name: 'run-asks-client',
			comment:
				'A run checks and orders items by resources/, sends requests with client/, and asks people with ask/. ' +
				'It does not depend on what the editor shows.',
			severity: 'error',
			from: { path: `${node}run/` },
			to: { path: published, pathNot: [`${node}(ask|client|resources|run)/`] },
		},
		{
			name: 'ask-by-itself',
			comment:
				'ask/ turns a described question into a link, and the page behind it into an answer. It does not depend on how the message is sent.',
			severity: 'error',
			from: { path: `${node}ask/` },
			to: { path: published, pathNot: [`${node}(ask|client|resources)/`] },
		},
		{
			name: 'lists-ask-client',
			comment:
				"The editor's lists have no items: they request with client/ what resources/ describes, and do not depend on runs.",
			severity: 'error',
			from: { path: `${node}listSearch/` },
			to: { path: published, pathNot: [`${node}(client|resources|listSearch)/`] },
		},
		{
			name: 'description-without-n8n',
			comment:
				'The description of operations, of the editor and of pages is plain data: it imports only types from n8n.',
			severity: 'error',
			from: { path: [`${node}(resources|description)/`, `${node}ask/(page|response)\\.ts$`] },
			to: { path: n8nWorkflow, dependencyTypesNot: typesOnly },
		},
		{
			name: 'emulator-by-itself',
			comment:
				'The emulator follows the documented API. If it used code of the node, both could have the same mistake.',
			severity: 'error',
			from: { path: '^sandbox/emulator/' },
			to: { path: [published, unpublished], pathNot: '^sandbox/emulator/' },
		},
		{
			name: 'host-runs-what-is-packed',
			comment:
				'The pinned n8n and the end-to-end tests use the packed package, as users do. Only expected texts come from its sources.',
			severity: 'error',
			from: { path: '^(sandbox/(host|start)|test/e2e)/' },
			to: { path: `${node}ChatbotService\\.node\\.ts$` },
		},
		{
			name: 'sandbox-without-tests',
			comment: 'The tests, the bench and the tools use the sandbox. The sandbox uses none of them.',
			severity: 'error',
			from: { path: '^sandbox/' },
			to: { path: '^(test|bench|tools)/' },
		},
	],
	options: {
		exclude: { path: '^(sandbox/(host|engines/[^/]+)/node_modules|dist)/' },
		doNotFollow: { path: 'node_modules' },
		tsConfig: { fileName: 'tsconfig.tools.json' },
		tsPreCompilationDeps: true,
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default'],
		},
	},
};
