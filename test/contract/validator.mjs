/**
 * Checks a document against OpenAPI and a style guide, and prints every problem on a separate line. It is a
 * program, because the validator is an ES module, which jest cannot load.
 */

import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({ extends: ['recommended-strict'] });
for (const { ruleId, message, location } of await lint({ ref: process.argv[2], config })) {
	console.log(`${ruleId} at ${location.map(({ pointer }) => pointer).join(', ')}: ${message}`);
}
