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
import { faultOf, faults } from './faults';
import { firstId, itemIn, listItemIdOf, schemaIdOf } from './items';

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

export interface ServiceRecord {
	/** By number of the item; requests for all lists belong to no item and are under their operation. */
	items: Record<string, ItemRecord>;
	requests: number;
	/** How often each fault occurred. */
	faults: Record<string, number>;
	violations: string[];
	/** Requests that are still being answered. */
	inFlight: number;
}

let service: Emulator;

/** @returns its address */
export async function serve(plan: ForEmulator): Promise<string> {
	service = await startEmulator({ limits: plan.limits });
	provide(service.data, plan);
	const attempts = new Map<string, number>();
	const known = new WeakMap<RecordedRequest, number>();
	const faultOfRequest = (request: RecordedRequest) => {
		const found = known.get(request);
		if (found !== undefined) return found;
		// Requests for all lists are distinguished by account and page.
		const about = itemIn(request.input) ?? `${tokenOf(request)} ${String(request.input.page)}`;
		const key = `${request.operation} ${about}`;
		const attempt = (attempts.get(key) ?? 0) + 1;
		attempts.set(key, attempt);
		const fault = faultOf(plan.seed, { key, attempt });
		known.set(request, fault);
		return fault;
	};
	for (const [index, { fault }] of faults.entries()) {
		const where = (request: RecordedRequest) => faultOfRequest(request) === index;
		service.faults.add({ ...fault, match: { seed: plan.seed, where } });
	}
	return service.url;
}

export function record(): ServiceRecord {
	const items: ServiceRecord['items'] = {};
	const met: ServiceRecord['faults'] = {};
	for (const { operation, input, accepted, faults } of service.requests) {
		const record = (items[itemIn(input) ?? operation!] ??= { arrived: 0, accepted: 0 });
		record.arrived++;
		if (accepted) record.accepted++;
		for (const fault of faults) met[fault] = (met[fault] ?? 0) + 1;
	}
	return {
		items,
		requests: service.requests.length,
		faults: met,
		violations: service.violations.map(
			({ request, problems }) => `${request.operation}: ${problems.join('; ')}`,
		),
		inFlight: service.inFlight.now,
	};
}

export async function stop(): Promise<void> {
	await service.stop();
}

process.on('disconnect', () => process.exit());

/** Creates a bot, a contact and a list with one item for each item as needed, and the recipients. */
function provide(data: Data, { tokens, recipients, count }: ForEmulator) {
	for (const token of tokens) data.accounts.push({ token, apiAccess: true });
	const tags = ['VIP', 'Новый лид'];
	const contact = { botId: SEEDED.bots.school, name: 'Анна', createdAt: '2026-11-05T06:30:00+00:00' };
	for (const { contactId: id, ...recipient } of recipients)
		data.contacts.set(id, { ...contact, ...recipient, id, tags: [], variables: [] });
	const at = '2026-11-05T09:30:00+03:00';
	const off = { is_required: false, is_hidden: false, is_encryptable: false };
	for (let item = 0; item < count; item++) {
		const id = firstId + item;
		data.bots.set(id, { id, name: 'Бот', tags });
		data.contacts.set(id, {
			...contact,
			id,
			messenger: 'vk',
			externalId: String(id),
			phone: undefined,
			tags: [...tags],
			variables: [{ id, name: 'Город', value: 'Казань', deletable: false }],
		});
		data.listSchemas.set(schemaIdOf(item), {
			id: schemaIdOf(item),
			name: 'Клиенты',
			is_menu: false,
			fields: {
				phone: { name: 'Телефон', type: 'string', ...off },
				title: { name: 'Название', type: 'string', ...off },
				stock: { name: 'Остаток', type: 'number', ...off },
			},
			created_at: at,
			updated_at: at,
		});
		data.listItems.set(listItemIdOf(item), {
			id: listItemIdOf(item),
			schemaId: schemaIdOf(item),
			values: { title: 'Розы', stock: 1 },
			createdAt: at,
			updatedAt: at,
		});
	}
}

const tokenOf = ({ query, headers }: RecordedRequest) =>
	String(query.api_token ?? String(headers.authorization).replace('Bearer ', ''));
