/** Prints the seed that repeats the run. */
const { seed } = require('./seed');

module.exports = () => process.stdout.write(`\nTEST_SEED=${seed}\n`);
