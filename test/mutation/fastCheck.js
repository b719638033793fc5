/* fast-check as the mutation tests load it: a mutant must not be killed by chance, so that generated input is the same in every run. */
const fastCheck = require('../../node_modules/fast-check');

fastCheck.configureGlobal({ seed: 20261105 });
module.exports = fastCheck;
