/* fast-check for the tests: the seed of the run determines its input. */
const { seed } = require('./seed');
const fastCheck = require('../node_modules/fast-check/lib/cjs/fast-check.js');

fastCheck.configureGlobal({ seed });
module.exports = fastCheck;
