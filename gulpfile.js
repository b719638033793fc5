/*
 * `npm run build`: checks the types, bundles the node and the credential into dist/, and copies icons and previews. `npm test` checks the
 * types of all files at once, so it only bundles.
 */

const { dest, parallel, series, src } = require('gulp');
const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dirname, join } = require('node:path');
const { build } = require('rolldown');

const clean = () => rm('dist', { recursive: true, force: true });

const types = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '--noEmit'], { stdio: 'inherit' });

// n8n loads every installed package when it starts, and most of that time goes into opening files: fifty of them took more than twice as
// long as one. The code stays as an administrator reads it: names, statements and lines as in the sources, only without comments.
const bundle = (input) =>
	build({
		input,
		external: ['n8n-workflow'],
		platform: 'node',
		transform: { target: 'node20' },
		output: {
			dir: join('dist', dirname(input)),
			format: 'cjs',
			comments: false,
		},
	});
const node = () => bundle('nodes/ChatbotService/ChatbotService.node.ts');
const credential = () => bundle('credentials/ChatbotServiceApi.credentials.ts');

// n8n looks for icons where the compiled descriptions point to, and for the codex and the previews of the output beside the
// compiled node.
const icons = () => src('icons/**/*.svg').pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.json').pipe(dest('dist/nodes'));

exports.bundle = series(clean, parallel(node, credential, icons, codex));
exports.build = parallel(types, exports.bundle);
