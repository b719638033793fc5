const { dest, parallel, series, src } = require('gulp');
const { build } = require('esbuild');
const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');

const clean = () => rm('dist', { recursive: true, force: true });

const types = () =>
	spawn(process.execPath, [require.resolve('typescript/bin/tsc'), '--noEmit'], { stdio: 'inherit' });

// One file for the node and one for the credential: n8n loads every installed package when it starts, and most of that time
// goes into opening files (fifty of them took more than twice as long). The code is not minified, so that users can read the
// installed files.
const bundle = () =>
	build({
		entryPoints: [
			'nodes/ChatbotService/ChatbotService.node.ts',
			'credentials/ChatbotServiceApi.credentials.ts',
		],
		outbase: '.',
		outdir: 'dist',
		bundle: true,
		external: ['n8n-workflow'],
		platform: 'node',
		target: 'node20',
		charset: 'utf8',
	});

// n8n looks for icons where the compiled descriptions point to, and for the codex and the previews of the output beside the
// compiled node.
const icons = () => src('icons/**/*.svg').pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.json').pipe(dest('dist/nodes'));

exports.build = series(clean, parallel(types, bundle, icons, codex));
