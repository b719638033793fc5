import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What may be missing until the release: a workflow saved with each operation and parameter, and the operation on the Russian page.
 * While CHANGELOG.md has entries under "Unreleased", what is missing is new.
 */

const changelog = readFileSync(join(__dirname, '../../CHANGELOG.md'), 'utf8');
const [, unreleased] = changelog.split(/^## \[/m);

export const isReleased = /^Unreleased\]\s*$/.test(unreleased!);
