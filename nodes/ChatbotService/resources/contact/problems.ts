import type { Problem } from '../../client/failure/failure';
import { problem } from '../kind';
import { createdAfter, createdBefore } from './filters';

/* Texts about contacts that cannot be found or saved. */

export const wrongPeriod: Problem = {
	message: `'${createdAfter.displayName}' is later than '${createdBefore.displayName}'`,
	advice: 'No contact can match both. Exchange them, or correct their expressions.',
};

export const notInMax = (label: string, found: unknown) =>
	problem(
		`'${label}' cannot be MAX here: the service creates no contacts in MAX`,
		'A person in MAX becomes a contact when they write to the bot. Choose another messenger, or leave this person out.',
		found,
	);
