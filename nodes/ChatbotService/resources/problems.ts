import type { Problem } from '../client/failure';

/* Texts about values that several resources have. */

/** A model has added filters and fills in none. @param label of the parameter that contains them */
export const noFilter = (label: string): Problem => ({
	message: `All values of '${label}' are empty`,
	advice:
		'Enter a value for at least one of them. Without any, the answer would be records that nobody has asked for.',
});
