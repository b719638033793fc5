const { TestEnvironment } = require('jest-environment-node');

/** Stryker sets this to the mutant under test. */
const activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

let killed;

/** The first failing test kills a mutant; Jest itself would run the others too. */
module.exports = class extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (activeMutant() === undefined) return;
		if (name === 'test_fn_failure' || name === 'hook_failure') killed = activeMutant();
		if (name === 'test_start' && killed === activeMutant()) test.mode = 'skip';
	}
};
