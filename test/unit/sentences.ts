import { readFileSync } from 'node:fs';

/* How n8n changes messages, and what its guidelines require. */

/**
 * Names of system errors. n8n replaces a message that contains one of them, in any case and within any word, with its own
 * text. So the names are read from n8n's code.
 */
export const replacedNames = (() => {
	const file = require.resolve('n8n-workflow/dist/cjs/errors/abstract/node.error.js');
	const table = /COMMON_ERRORS = \{(.*?)\n\s*\};/s.exec(readFileSync(file, 'utf8'))?.[1];
	if (!table) throw new Error(`${file} has no COMMON_ERRORS. Look there for how n8n replaces messages now.`);
	return [...table.matchAll(/^\s*([A-Z_]+):/gm)].map(([, name]) => name!);
})();

/** n8n's guidelines: these words say that something is wrong, but not what. */
const discouraged = /\b(error|problem|failure|mistake)s?\b/i;

/** The problems of a text for users; empty if there are none. */
export function faultsOf({ message, description }: { message: string; description: string }): string[] {
	const faults: string[] = [];
	for (const name of replacedNames) {
		if (message.toUpperCase().includes(name)) faults.push(`n8n would replace a message with ${name}`);
	}
	const both = `${message} ${description}`;
	// Labels of n8n contain them.
	const word = discouraged.exec(both.replace(/'[A-Z][^']*'/g, ''))?.[0];
	if (word) faults.push(`uses the word ${word}`);
	if (!/^(['A-Z]|n8n )/.test(message)) faults.push('the message does not begin like a sentence');
	if (/[.!\s]$/.test(message)) faults.push('the message ends with a period or a blank');
	if (!/^[A-Z].*[.]$/s.test(description)) faults.push('the description is not made of whole sentences');
	if (/undefined|null|NaN|\[object/.test(both)) faults.push('shows a value that is none');
	if (/\s{2}/.test(both)) faults.push('has two blanks in a row');
	return faults;
}
