/**
 * The seed of everything that tests leave to chance. The same in every run, so that what fails once fails again; TEST_SEED in the
 * environment is another one, as each night.
 */
const seed = Number(process.env.TEST_SEED || 20261122);
if (!Number.isSafeInteger(seed))
	throw new Error(`TEST_SEED must be a whole number, not ${process.env.TEST_SEED}`);

module.exports = { seed };
