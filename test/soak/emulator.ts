/** The process of the emulator: creates the records for the items of a plan, adds faults, and records the requests. */

import {
	SEEDED,
	startEmulator,
	type Data,
	type Emulator,
	type Limits,
	type Messenger,
	type RecordedRequest,
} from '../../sandbox/emulator';
import { faultOf, faults, firstId, itemIn, listItemIdOf, schemaIdOf } from './requests';

/** The parts of a plan that this process needs. */
export interface ForEmulator {
	seed: number;
	count: number;
	limits: Partial<Limits>;
	tokens: string[];
	/** Contacts that receive messages. */
	recipients: Recipient[];
}

export interface Recipient {
	messenger: Messenger;
	contactId: number;
	externalId: string;
	phone: string;
}

/** Requests that arrived for an item, and those that took effect. */
export interface ItemRecord {
	arrived: number;
	accepted: number;
}

let service: Emulator;

/** @returns its address */
export async function serve(plan: ForEmulator): Promise<string> {
	service = await startEmulator({ limits: plan.limits });
	provide(service.data, plan);
	const attempts: Record<string, number> = {};
	const known = new WeakMap<RecordedRequest, number>();
	const faultOfRequest = (request: RecordedRequest) => {
		if (!known.has(request)) {
			// Requests for all lists are distinguished by account and page.
			const about = itemIn(request.input) ?? `${tokenOf(request)} ${String(request.input.page)}`;
			const key = `${request.operation} ${about}`;
			attempts[key] = (attempts[key] ?? 0) + 1;
			known.set(request, faultOf(plan.seed, `${key} ${attempts[key]}`));
		}
		return known.get(request);
	};
	for (const [index, [, fault]] of faults.entries()) {
		const where = (request: RecordedRequest) => faultOfRequest(request) === index;
		service.faults.add({ ...fault, match: { seed: plan.seed, where } });
	}
	return service.url;
}

export type ServiceRecord = ReturnType<typeof record>;

export function record() {
	/** By number of the item; requests for all lists belong to no item and are under their operation. */
	const items: Record<string, ItemRecord> = {};
	const met: Record<string, number> = {};
	for (const { operation, input, accepted, faults } of service.requests) {
		const its = (items[itemIn(input) ?? operation!] ??= { arrived: 0, accepted: 0 });
		its.arrived++;
		if (accepted) its.accepted++;
		for (const fault of faults) met[fault] = (met[fault] ?? 0) + 1;
	}
	const violations = service.violations.map(
		({ request, problems }) => `${request.operation}: ${problems.join('; ')}`,
	);
	return { items, faults: met, violations, requests: service.requests.length };
}

export async function stop(): Promise<void> {
	await service.stop();
}

process.on('disconnect', () => process.exit());

/** Creates a bot, a contact and a list with one item for each item as needed, and the recipients. */
function provide(data: Data, { tokens, recipients, count }: ForEmulator) {
	for (const token of tokens) data.accounts.push({ token, apiAccess: true });
	const [name, createdAt] = ['Анна', '2026-11-05T09:30:00+03:00'];
	const contact = { botId: SEEDED.bots.school, name, createdAt };
	for (const { contactId: id, ...recipient } of recipients)
		data.contacts.set(id, { ...contact, ...recipient, id, tags: [], variables: [] });
	const text = { type: 'string' as const, is_required: false, is_hidden: false, is_encryptable: false };
	for (let item = 0; item < count; item++) {
		const [id, schemaId, listItemId] = [firstId + item, schemaIdOf(item), listItemIdOf(item)];
		const tags = ['VIP', 'Новый лид'];
		data.bots.set(id, { id, name: 'Бот', tags });
		const variables = [{ id, name: 'Город', value: 'Казань', deletable: false }];
		const person = { messenger: 'vk' as const, externalId: String(id), phone: undefined };
		data.contacts.set(id, { ...contact, ...person, id, tags: [...tags], variables });
		const fields = {
			phone: { ...text, name: 'Телефон' },
			title: { ...text, name: 'Название' },
			stock: { ...text, name: 'Остаток', type: 'number' as const },
		};
		const at = { created_at: createdAt, updated_at: createdAt };
		data.listSchemas.set(schemaId, { id: schemaId, name: 'Клиенты', is_menu: false, fields, ...at });
		const values = { title: 'Розы', stock: 1 };
		data.listItems.set(listItemId, { id: listItemId, schemaId, values, createdAt, updatedAt: createdAt });
	}
}

const tokenOf = ({ query, headers }: RecordedRequest) =>
	String(query.api_token ?? String(headers.authorization).replace('Bearer ', ''));
