import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What may wait for the release: a workflow saved with each operation and parameter, and the operation on the page in Russian.
 * While CHANGELOG.md has something under "Unreleased", what is missing of these is new.
 */

const changelog = readFileSync(join(__dirname, '../../CHANGELOG.md'), 'utf8');
const [, unreleased] = changelog.split(/^## \[/m);

export const isReleased = /^Unreleased\]\s*$/.test(unreleased!);
