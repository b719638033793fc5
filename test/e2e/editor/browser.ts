import { type Browser, chromium, selectors } from 'playwright-core';

import { findProgram } from '../support/program';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const missing =
	`The editor is opened in Chromium, and none of ${programs.join(', ')} is there. ` +
	'On Debian: apt-get install chromium; or name another one in the environment variable CHROMIUM.';

/** Long enough for a busy machine, and the longest wait for something that does not happen. */
export const PATIENCE_MS = 60_000;

/** Starts Chromium without a window. `CHROMIUM` names the program if it is not on the path. */
export async function startBrowser(): Promise<Browser> {
	// The attribute by which n8n marks the elements of its editor.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: process.env.CHROMIUM ?? (await findProgram(programs, missing)),
		headless: true,
		timeout: PATIENCE_MS,
		args: ['--disable-gpu', '--disable-quic'],
	});
}
