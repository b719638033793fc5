/*
 * `npm run build`: checks the types, bundles the node and the credential into dist/, and copies icons and previews. `npm test` checks the
 * types of all files at once, so it only bundles.
 */

const { dest, parallel, series, src } = require('gulp');
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { rm } = require('node:fs/promises');
const { dirname, join } = require('node:path');
const { build } = require('rolldown');
const { version } = require('./package.json');

/** The version, and a digest of the sources, which differ between two builds of one version. See later.ts. */
function currentBuild() {
	const digest = createHash('sha256');
	for (const name of readdirSync('nodes', { recursive: true }).sort())
		if (name.endsWith('.ts')) digest.update(readFileSync(join('nodes', name)));
	return `${version} ${digest.digest('hex')}`;
}

const clean = () => rm('dist', { recursive: true, force: true });

const types = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '--noEmit'], { stdio: 'inherit' });

// n8n loads every installed package when it starts. Most of that time goes into opening files (fifty of them took more than twice
// as long) and into compiling them. So what runs is apart from what describes the node (see runtime.ts), and the rest is in few
// files, without the blanks and lines that any formatter restores. Names stay as in the sources.
const bundle = (input) =>
	build({
		input,
		external: ['n8n-workflow'],
		platform: 'node',
		transform: {
			target: 'node20',
			define: { packageBuild: JSON.stringify(currentBuild()) },
		},
		output: {
			dir: join('dist', dirname(input)),
			format: 'cjs',
			chunkFileNames: '[name].js',
			comments: false,
			minify: {
				compress: { sequences: false, joinVars: false },
				mangle: false,
			},
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
