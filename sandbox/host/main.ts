/** Installs only the pinned n8n: `npm run install:n8n`. Commands that need n8n also install it themselves. */

import { ensureHostInstalled } from './install';

ensureHostInstalled().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
