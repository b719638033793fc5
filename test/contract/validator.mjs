/**
 * Holds the document that is named to what OpenAPI and good style ask for, and prints every problem on a line of its own. It is a
 * program, since the validator is an ES module and jest loads none.
 */

import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({ extends: ['recommended-strict'] });
for (const { ruleId, message, location } of await lint({ ref: process.argv[2], config })) {
	console.log(`${ruleId} at ${location.map(({ pointer }) => pointer).join(', ')}: ${message}`);
}
