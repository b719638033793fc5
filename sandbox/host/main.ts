/** Installs the pinned n8n and nothing else: `npm run install:n8n`. Whatever needs it does so by itself, too. */

import { ensureHostInstalled } from './install';

ensureHostInstalled((line) => console.log(line)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
