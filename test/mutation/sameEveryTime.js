/* A mutant must not be killed by chance: generated input is the same in every run. */
require('fast-check').configureGlobal({ seed: 20261105 });
