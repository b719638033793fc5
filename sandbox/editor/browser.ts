import { type Browser, chromium, selectors } from 'playwright-core';

import { findProgram } from '../processes/program';

/** The names under which systems install it. */
const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const missing =
	`The editor is opened in Chromium, and none of ${programs.join(', ')} is there. ` +
	'On Debian: apt-get install chromium; or name another one in the environment variable CHROMIUM.';

/** A busy machine is slow; what does not happen at all is not waited for any longer than this. */
export const PATIENCE_MS = 60_000;

/** Starts Chromium without a window. `CHROMIUM` names the program when it is not on the path. */
export async function startBrowser(): Promise<Browser> {
	// The attribute by which n8n marks the elements of its editor.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: process.env.CHROMIUM ?? (await findProgram(programs, { missing })),
		headless: true,
		timeout: PATIENCE_MS,
		args: ['--disable-gpu', '--disable-quic'],
	});
}
