import { listed, quote } from '../../shared/quote';
import { hasFailed, isDone } from '../../client/failure/result';
import { columnsOfN8n, contactId, outputOptions, variableName } from '../fields';
import * as kinds from '../kinds';
import { harmless, type Operation, type WireValues, type Steps } from '../operation';
import { pairFields, type Pair } from '../pairs';
import { requestFor } from '../operationRequest';
import { contactVariableUpsert, deletable, variableValue } from './upsert';

const variableFields = pairFields({
	parameter: 'variables',
	label: 'Variables',
	row: 'variable',
	description: `The variables and their new values, as text. Each takes a request, which also switches '${deletable.displayName}' off.`,
	placeholder: '{ "city": "Kazan", "level": "B1" }',
	name: { placeholder: 'e.g. city', description: 'Name of the variable', kind: kinds.name },
	value: {
		placeholder: variableValue.placeholder!,
		description: variableValue.description!,
		kind: kinds.text,
		adviceIfEmpty: `To leave the variable as it is, remove it here. ${variableValue.adviceIfEmpty}`,
	},
	isNeeded: true,
	// `{{ $json }}` would set a variable for the number of a row, too.
	leavesOut: ['id', ...columnsOfN8n],
});

const [, variables] = variableFields;

/** So many that forms hardly have more. */
const mostListed = 30;

const quoted = ({ name }: Pair) => quote(name);

const namesOf = (pairs: Pair[]) => listed(pairs.map(quoted), mostListed) || 'none';

/** Sets one variable after the other. A failure says which are set. */
function stepsOf(sent: WireValues): Steps {
	const pairs = sent.of(variables) as Pair[];
	return async ({ ask, own: { advice } }) => {
		for (const [index, { name, value }] of pairs.entries()) {
			// JetBot requires `deletable`.
			const request = requestFor(
				contactVariableUpsert,
				[contactId, sent.of(contactId)],
				[variableName, name],
				[variableValue, value as string],
				[deletable, 0],
			);
			const result = await ask({ ...request, advice });
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
		name: 'Create or Update Many',
		value: 'upsertMany',
		action: 'Create or update many contact variables',
		description: 'Set several variables of a contact, such as the answers to a form',
		routing: contactVariableUpsert.option.routing,
	},
	fields: [contactId, ...variableFields, outputOptions],
	inQuery: 'ifShort',
	answer: 'done',
	steps: stepsOf,
	advice: harmless('Some of the variables may have been set. Setting them again'),
};
