const { dest, parallel, series, src } = require('gulp');
const { rm } = require('node:fs/promises');
const { spawn } = require('node:child_process');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = () => spawn(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });

// n8n looks for icons where the compiled descriptions point to, and for the codex and the previews of the output beside the
// compiled node.
const icons = () => src('icons/**/*.svg').pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.json').pipe(dest('dist/nodes'));

exports.build = series(clean, parallel(compile, icons, codex));
