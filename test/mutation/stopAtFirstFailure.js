const { TestEnvironment } = require('jest-environment-node');

/** Set by Stryker to the mutant that the tests run against. */
const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

let killed;

/** A mutant is killed by the first test that fails; Jest itself would run the others too. */
module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (activeMutant() === undefined) return;
		if (name === 'test_fn_failure' || name === 'hook_failure') killed = activeMutant();
		if (name === 'test_start' && killed === activeMutant()) test.mode = 'skip';
	}
};
