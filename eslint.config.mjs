/*
 * n8n's own rules for community packages, in the combination that `@n8n/node-cli/eslint` uses, but for those about imports, which
 * TypeScript checks. As with n8n's scanner, comments in the published sources cannot switch off a rule.
 */
import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { globalIgnores } from 'eslint/config';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const community = n8nCommunityNodesPlugin.configs.recommended;
const published = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** The contexts in which n8n runs a node, also as a type only. */
const contexts = {
	selector: "ImportDeclaration[source.value='n8n-workflow'] > ImportSpecifier[imported.name=/Functions$/]",
	message: 'Only run/context.ts and ask/link.ts call n8n.',
};

const library = {
	name: 'n8n-workflow',
	allowImportNames: ['sleep'],
	allowTypeImports: true,
	message: 'client/ and shared/ import only types from n8n, and `sleep` for waiting.',
};

export default tseslint.config(
	globalIgnores(['dist', 'node_modules', 'sandbox/host/node_modules', '.sandbox', 'artefacts', 'coverage']),
	{ linterOptions: { reportUnusedDisableDirectives: 'error' }, plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, ...tseslint.configs.recommended],
		rules: {
			'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
		},
	},
	{
		files: published,
		extends: [community],
		rules: { 'no-console': 'error' },
		linterOptions: { noInlineConfig: true },
	},
	// What .dependency-cruiser.cjs cannot see: which names are imported.
	{
		files: ['nodes/ChatbotService/{ask,client,description,resources,run,shared}/**/*.ts'],
		ignores: ['nodes/ChatbotService/ask/link.ts', 'nodes/ChatbotService/run/context.ts'],
		rules: { 'no-restricted-syntax': ['error', contexts] },
	},
	{
		files: ['nodes/ChatbotService/{client,shared}/**/*.ts'],
		rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: [library] }] },
	},
	{
		files: ['package.json'],
		extends: [community],
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		rules: n8nNodesBase.configs.community.rules,
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// Made for n8n's own repository, and replaced by rules of the other set.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// These three do not know `NodeConnectionTypes` and newer limits.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
);
