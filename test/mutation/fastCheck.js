/* fast-check for the mutation tests: the same input in every run, so that no mutant is killed by chance. */
const fastCheck = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

fastCheck.configureGlobal({ seed: 20261105 });
module.exports = fastCheck;
