/* fast-check as the tests get it: its input follows from the seed of the run. */
const { seed } = require('./seed');
const fastCheck = require('../node_modules/fast-check/lib/cjs/fast-check.js');

fastCheck.configureGlobal({ seed });
module.exports = fastCheck;
