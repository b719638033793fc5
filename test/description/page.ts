import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host/paths';

/** The blocks of shell commands on a page of the documents. @param file such as 'docs/install.md' */
export const commandsOf = (file: string): string[] =>
	[...readFileSync(join(projectFolder, file), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
		([, block]) => block!,
	);
