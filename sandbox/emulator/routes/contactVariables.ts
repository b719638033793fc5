/** Custom variables of a contact. */

import { done, json } from '../answers';
import type { Contact } from '../data';
import type { Operation } from '../exchange';
import { pageOf, paginate } from '../pages';
import { notFound } from '../refusal';
import { integer, oneOf, required, requiredWithout, string, validate } from '../validation';
import { contactOf } from './lookup';

export const contactVariables: Record<string, Operation> = {
	getContactVariables({ data, dialect, input, query, url }) {
		validate(input, { contact_id: [required, integer] });
		const contact = contactOf(data, input.contact_id);
		if (dialect.variables === 'nested') {
			const page = pageOf(input.page);
			return json(paginate(nestedVariables(contact), { page, perPage: 100, path: url, query }));
		}
		// `variable` is deprecated, but still exists.
		const named = contact.variables.map((each) => ({ ...each, variable: { id: each.id, name: each.name } }));
		return json({ data: named });
	},

	setContactVariable({ data, input }) {
		validate(input, {
			contact_id: [required, integer],
			name: [required, string],
			value: [required, string],
			deletable: [integer, oneOf(0, 1)],
		});
		const { variables } = contactOf(data, input.contact_id);
		const name = String(input.name);
		const given = { value: String(input.value), deletable: Number(input.deletable ?? 0) === 1 };
		const known = variables.find((variable) => variable.name === name);
		if (known) Object.assign(known, given);
		else variables.push({ id: data.next.variable++, name, ...given });
		return done('{}');
	},

	deleteContactVariable({ data, input }) {
		validate(input, {
			contact_id: [required, integer],
			id: [requiredWithout('name'), integer],
			name: [requiredWithout('id'), string],
		});
		const contact = contactOf(data, input.contact_id);
		const { id, name } = input;
		const found = contact.variables.find((each) => (id ? each.id === Number(id) : each.name === name));
		if (!found) throw notFound('Переменная не найдена');
		contact.variables = contact.variables.filter((each) => each !== found);
		return done('empty page');
	},
};

/** The emulator does not keep when a value changed. */
export function nestedVariables(contact: Contact) {
	const at = contact.createdAt;
	return contact.variables.map(({ id, name, value }) => ({
		id,
		value,
		created_at: at,
		updated_at: at,
		variable: { id, name },
	}));
}
