/**
 * The seed of all random choices in tests. It is the same in every run, so that a failure repeats. TEST_SEED in the environment
 * sets another seed, as the nightly run does.
 */
const seed = Number(process.env.TEST_SEED || 20261122);
if (!Number.isSafeInteger(seed))
	throw new Error(`TEST_SEED must be a whole number, not ${process.env.TEST_SEED}`);

module.exports = { seed };
