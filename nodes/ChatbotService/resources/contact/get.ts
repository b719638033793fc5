import type { IDataObject } from 'n8n-workflow';

import { nobodyFound } from '../../client/failure/failure';
import { isDone } from '../../client/failure/result';
import { botIdOfContacts, contactId, notSent } from '../fields';
import type { Field, FieldReader, Operation, WireValues, Steps } from '../operation';
import { byEmail, byMessengerId, byPhone, included, partsIn } from './contactFilters';
import { contactGetAll, readingContacts } from './getAll';
import { finders } from './keys';
import { Incomplete } from './parts';

/** By the values of 'Find By'. */
const ways: Record<string, Field> = {
	id: contactId,
	email: byEmail,
	messengerId: byMessengerId,
	phone: byPhone,
};

const findBy: Field = {
	displayName: 'Find By',
	name: 'findBy',
	type: 'options',
	noDataExpression: true,
	options: Object.entries(ways).map(([value, { displayName: name }]) => ({ name, value })),
	default: 'id',
	description: 'What you know of the contact',
};

const findValue = 'findValue';

/** The same parameter in each way. */
const toFind = Object.entries(ways).map(([way, field]): Field => ({
	...notSent(field),
	name: findValue,
	required: true,
	displayOptions: { show: { [findBy.name]: [way] } },
}));

/** Reads the contacts until the one with the ID comes. Several can have the same value of another kind. */
function stepsOf(sent: WireValues, values: FieldReader): Steps {
	const way = String(values.rawOf(findBy) ?? findBy.default);
	const field = ways[way]!;
	const fieldOfWay = toFind.find(({ displayOptions }) => displayOptions!.show!.findBy!.includes(way))!;
	const wanted = values.read(fieldOfWay, 'whole');
	const parts = partsIn(sent.of(included));
	return async (requests) => {
		const found: IDataObject[] = [];
		let count = 0;
		for await (const page of requests.read(requests.own)) {
			if (!isDone(page)) return page;
			count += page.rows.length;
			// Copies, because other items can have the same contact.
			for (const contact of finders.get(field)!(page.rows, wanted)) found.push({ ...contact });
			if (field === contactId && found.length) break;
		}
		const incomplete = new Incomplete(requests, found, parts);
		const whole = await incomplete.complete(Infinity, () => true);
		if (!isDone(whole)) return whole;
		if (!whole.rows.length) return { failure: nobodyFound(field.displayName, wanted, count) };
		return { ...whole, notice: incomplete.notice };
	};
}

/** Because the API has no endpoint for one contact. */
export const contactGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get contact',
		description: 'Retrieve the contact with a phone number, an email, or an ID',
		builderHint: {
			propertyHint:
				'Output: each contact that matches, with id, name, messenger, phone, email. Nobody is a failure of the item: set On Error to continue with the error output, and create the contact there. All items of a run read the contacts once, so do not put this node into a loop.',
		},
		routing: contactGetAll.option.routing,
	},
	fields: [botIdOfContacts, findBy, ...toFind, included],
	...readingContacts,
	steps: stepsOf,
};
