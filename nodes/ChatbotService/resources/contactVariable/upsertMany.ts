import { listed, quote } from '../../shared/quote';
import { hasFailed, isDone } from '../../client/failure/result';
import { contactId } from '../fields';
import * as kinds from '../kinds';
import { harmless, type Operation, type Sent, type Steps } from '../operation';
import { pairFields, type Pair } from '../pairs';
import { requestFor } from '../request';
import { columnsOfN8n } from '../rows';
import { contactVariableUpsert, variableValue } from './upsert';

const parameter = 'variables';

const variables = pairFields({
	parameter,
	label: 'Variables',
	row: 'variable',
	description:
		"The variables and their new values, as text. Each takes a request, which also switches 'Remove When the Contact Submits a Request' off.",
	placeholder: '{ "city": "Kazan", "level": "B1" }',
	name: { placeholder: 'e.g. city', description: 'Name of the variable', kind: kinds.name },
	value: {
		placeholder: variableValue.placeholder!,
		description: variableValue.description!,
		kind: kinds.text,
		whenEmpty: `To leave the variable as it is, remove it here. ${variableValue.whenEmpty}`,
	},
	isNeeded: true,
	// `{{ $json }}` would set a variable for the number of a row, too.
	leavesOut: ['id', ...columnsOfN8n],
});

/** So many that forms hardly have more. */
const mostListed = 30;

const quoted = ({ name }: Pair) => quote(name);

const namesOf = (pairs: Pair[]) => listed(pairs.map(quoted), mostListed) || 'none';

/** Sets one variable after the other. A failure says which are set. */
function stepsOf(sent: Sent): Steps {
	const contact_id = sent.get('contact_id') as number;
	const pairs = sent.get(parameter) as Pair[];
	return async ({ ask, own: { advice } }) => {
		for (const [index, { name, value }] of pairs.entries()) {
			// JetBot requires `deletable`.
			const values = { contact_id, name, value: value as string, deletable: 0 };
			const result = await ask({ ...requestFor(contactVariableUpsert, values), advice });
			if (isDone(result)) continue;
			if (!hasFailed(result)) return index ? 'interrupted' : result;
			if (pairs.length === 1) return result;
			const [set, rest] = [pairs.slice(0, index), pairs.slice(index + 1)];
			const before = `Failed: ${quote(name)}. Set before: ${namesOf(set)}. Not attempted: ${namesOf(rest)}.`;
			return { ...result, before };
		}
		return { rows: [{ success: true }] };
	};
}

/** Once for each variable. */
export const contactVariableUpsertMany: Operation = {
	option: {
		...contactVariableUpsert.option,
		name: 'Create or Update Many',
		value: 'upsertMany',
		action: 'Create or update many contact variables',
		description: 'Set several variables of a contact, such as the answers to a form',
	},
	fields: [contactId, ...variables],
	inQuery: 'ifShort',
	answer: 'done',
	steps: stepsOf,
	advice: harmless('Some of the variables may have been set. Setting them again'),
};
