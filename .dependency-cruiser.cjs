/*
 * Which room of the project may use which; CONTRIBUTING.md says what each of them holds. `npm run architecture` tells where an
 * import crosses a wall, and each rule's comment why the wall is there.
 */

const node = '^nodes/ChatbotService/';
const published = '^(nodes|credentials)/';
const loadedByN8n = ['^nodes/[^/]+/[^/]+\\.node\\.ts$', '^credentials/[^/]+\\.credentials\\.ts$'];
const workshop = '^(sandbox|test|bench|tools)/';
const n8nWorkflow = 'node_modules/n8n-workflow/';

/** Imports that are gone once the code is compiled. */
const typesOnly = ['type-only'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-circles',
			comment: 'Files that need each other cannot be read or tested one at a time.',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'no-dead-files',
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
			comment: "The package has no dependencies of its own, and n8n's rules forbid the modules of Node.js.",
			severity: 'error',
			from: { path: published },
			to: { pathNot: [published, n8nWorkflow], dependencyTypesNot: typesOnly },
		},
		{
			name: 'published-knows-no-workshop',
			comment: 'What users get knows nothing of how it is tried, tested and measured, not even a type.',
			severity: 'error',
			from: { path: published },
			to: { path: workshop },
		},
		{
			name: 'credentials-use-shared',
			comment: 'n8n loads the credential without the node, and all it has in common with it is in shared/.',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: published, pathNot: `${node}shared/` },
		},
		{
			name: 'shared-is-the-ground',
			comment: 'What all rooms use uses none of them.',
			severity: 'error',
			from: { path: `${node}shared/` },
			to: { path: published, pathNot: `${node}shared/` },
		},
		{
			name: 'resources-describe',
			comment: 'An operation says what there is and how it travels; how a request lives is not its concern.',
			severity: 'error',
			from: { path: `${node}resources/` },
			to: { path: published, pathNot: [`${node}shared/`, `${node}resources/`] },
		},
		{
			name: 'resources-apart',
			comment: 'Resources share by way of shared/, so that one can be read without the others.',
			severity: 'error',
			from: { path: `${node}resources/([^/]+)/` },
			to: { path: `${node}resources/`, pathNot: `${node}resources/$1/` },
		},
		{
			name: 'lists-send-by-the-steps',
			comment:
				"The editor's lists have no items, so they use single steps of request/ (pace, credential, answer) and never the " +
				'life of an item, nor an operation.',
			severity: 'error',
			from: { path: `${node}listSearch/` },
			to: {
				path: published,
				pathNot: [
					`${node}(listSearch|shared)/`,
					`${node}request/(answer|credential|failure|kinds|secrets|transport|turn)\\.ts$`,
				],
			},
		},
		{
			name: 'one-file-strings-the-steps',
			comment: 'Only pipeline.ts knows the operations; the steps know what they are handed.',
			severity: 'error',
			from: { path: `${node}request/`, pathNot: `${node}request/pipeline\\.ts$` },
			to: { path: published, pathNot: [`${node}shared/`, `${node}request/`] },
		},
		{
			name: 'steps-are-pure',
			comment:
				'The steps know nothing of n8n at run time and are tested without it. pipeline.ts talks to n8n; gate.ts and turn.ts ' +
				"wait with n8n-workflow's sleep, since n8n's rules forbid timers; check.ts asks its NodeHelpers which fields apply, as the " +
				'editor does; joinRun.ts looks up which items belong together.',
			severity: 'error',
			from: { path: `${node}request/`, pathNot: `${node}request/(pipeline|gate|turn|check|joinRun)\\.ts$` },
			to: { path: n8nWorkflow, dependencyTypesNot: typesOnly },
		},
		{
			name: 'description-without-n8n',
			comment: 'Resources and shared fields are plain data with types from n8n.',
			severity: 'error',
			from: { path: `${node}(resources|shared)/` },
			to: { path: n8nWorkflow, dependencyTypesNot: typesOnly },
		},
		{
			name: 'stand-in-speaks-for-itself',
			comment:
				'The stand-in service follows the interface. If it used the node, the two could be wrong together.',
			severity: 'error',
			from: { path: '^sandbox/service/' },
			to: { path: [published, workshop], pathNot: '^sandbox/service/' },
		},
		{
			name: 'host-runs-what-is-packed',
			comment:
				'The pinned n8n and the end-to-end tests see the package as users do, never its sources; the words that the editor shows are looked up where they are written.',
			severity: 'error',
			from: { path: '^(sandbox/(host|start)|test/e2e)/' },
			to: {
				path: published,
				pathNot: '^(credentials/|nodes/ChatbotService/(shared/paceHints|request/failure)\\.ts$)',
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
