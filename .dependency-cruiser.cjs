/*
 * Which folder of the project may import which; CONTRIBUTING.md describes the folders. `npm run architecture` lists the
 * imports that break a rule, and the comment of each rule gives the reason.
 */

const node = '^nodes/ChatbotService/';
const published = '^(nodes|credentials)/';
const loadedByN8n = ['^nodes/[^/]+/[^/]+\\.node\\.ts$', '^credentials/[^/]+\\.credentials\\.ts$'];
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
			comment: 'Whatever is published is reached from what n8n loads.',
			severity: 'error',
			from: { path: loadedByN8n },
			to: { path: published, pathNot: loadedByN8n, reachable: false },
		},
		{
			name: 'no-orphans',
			comment:
				'A file that nothing uses and that uses nothing is left over; tests and declarations stand alone.',
			severity: 'error',
			from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.test\\.ts$', '\\.js$'] },
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
			comment: 'What users get knows nothing of how it is tried, tested and measured, not even a type.',
			severity: 'error',
			from: { path: published },
			to: { path: unpublished },
		},
		{
			name: 'credentials-use-client',
			comment: 'n8n loads the credential without the node; what they have in common is in client/.',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: published, pathNot: `${node}client/` },
		},
		{
			name: 'client-by-itself',
			comment: 'From a request to its answer: who asks, items, fields and operations are not its concern.',
			severity: 'error',
			from: { path: `${node}client/` },
			to: { path: published, pathNot: `${node}client/` },
		},
		{
			name: 'resources-describe',
			comment:
				'An operation says what there is and how it travels, in terms of client/ (limits, shapes of answers, problems of values); ' +
				'how it is run and shown is not its concern.',
			severity: 'error',
			from: { path: `${node}resources/` },
			to: { path: published, pathNot: [`${node}(client|resources)/`] },
		},
		{
			name: 'resources-apart',
			comment: 'Resources share by way of the files beside them, so that one can be read without the others.',
			severity: 'error',
			from: { path: `${node}resources/([^/]+)/` },
			to: { path: `${node}resources/[^/]+/`, pathNot: `${node}resources/$1/` },
		},
		{
			name: 'description-shows',
			comment: 'What the editor shows is put together from resources/.',
			severity: 'error',
			from: { path: `${node}description/` },
			to: { path: published, pathNot: [`${node}(client|resources|description)/`] },
		},
		{
			name: 'run-asks-client',
			comment:
				'A run checks and orders items by what resources/ say, asks client/, and hands the answers of people to response/; what the editor shows is not its concern.',
			severity: 'error',
			from: { path: `${node}run/` },
			to: { path: published, pathNot: [`${node}(client|resources|response|run)/`] },
		},
		{
			name: 'response-shows',
			comment: 'A page shows a question and reads its answer; how the question was sent is not its concern.',
			severity: 'error',
			from: { path: `${node}response/` },
			to: { path: published, pathNot: [`${node}(client|resources|response)/`] },
		},
		{
			name: 'lists-ask-client',
			comment:
				"The editor's lists have no items: they ask client/ for what resources/ describe, and know nothing of runs.",
			severity: 'error',
			from: { path: `${node}listSearch/` },
			to: { path: published, pathNot: [`${node}(client|resources|listSearch)/`] },
		},
		{
			name: 'description-without-n8n',
			comment: 'What the node can do and what the editor shows of it is plain data with types from n8n.',
			severity: 'error',
			from: { path: `${node}(resources|description|response)/` },
			to: { path: n8nWorkflow, dependencyTypesNot: typesOnly },
		},
		{
			name: 'emulator-by-itself',
			comment:
				'The emulator follows the interface. If it used the node, the two could be wrong together.',
			severity: 'error',
			from: { path: '^sandbox/emulator/' },
			to: { path: [published, unpublished], pathNot: '^sandbox/emulator/' },
		},
		{
			name: 'host-runs-what-is-packed',
			comment:
				'The pinned n8n and the end-to-end tests see the package as users do, never its sources; the words that the editor shows are looked up where they are written.',
			severity: 'error',
			from: { path: '^(sandbox/(host|start)|test/e2e)/' },
			to: {
				path: published,
				pathNot: '^(credentials/|nodes/ChatbotService/(description/hints|client/failure)\\.ts$)',
			},
		},
		{
			name: 'sandbox-without-tests',
			comment: 'The sandbox is used by the tests, the bench and the tools, and uses none of them.',
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
