/** The process of the stand-in: what the items of a plan need, what happens to their requests, and the books at the end. */

import {
	SEEDED,
	startService,
	type Contact,
	type Data,
	type ListSchema,
	type RecordedRequest,
} from '../../sandbox/service';
import { fieldSlug, itemIn, schemaIdOf, tag, variable } from './operations';
import { itemsOf, limits, makePlan, mishapOf, mishaps, recordId, type Plan } from './plan';

/** What the service knows of one item. */
export interface Entry {
	/** Requests that arrived for it, and those of them that took effect. */
	arrived: number;
	accepted: number;
	/** Messages that reached somebody. */
	delivered: number;
}

export interface Books {
	/** By number of the item. */
	entries: Array<[number, Entry]>;
	/** Requests that belong to no item: those for all lists. */
	withoutItem: Record<string, Entry>;
	requests: number;
	/** How many of them were refused because a limit was reached, by the limit. */
	overLimit: Record<string, number>;
	/** How often each mishap struck. */
	mishaps: Record<string, number>;
	violations: string[];
	/** The most requests of one account that were under way at the same time. */
	mostInFlight: number;
	/** Requests that are still being answered. */
	inFlight: number;
	/** Recipients who got messages, each with the items in the order of delivery. */
	order: number[][];
}

process.once('message', ({ seed, count }: { seed: number; count: number }) => {
	void serve(makePlan(seed, count));
});
process.on('disconnect', () => process.exit());

async function serve(plan: Plan) {
	const service = await startService({ limits });
	provide(service.data, plan);

	const attempts = new Map<string, number>();
	const fates = new WeakMap<RecordedRequest, number>();
	const fateOf = (request: RecordedRequest) => {
		const known = fates.get(request);
		if (known !== undefined) return known;
		// Lists of everything are told apart by who asks for which page.
		const about = itemIn(request.input) ?? `${tokenOf(request)} ${String(request.input.page)}`;
		const key = `${request.operation} ${about}`;
		const attempt = (attempts.get(key) ?? 0) + 1;
		attempts.set(key, attempt);
		const fate = mishapOf(plan.seed, key, attempt);
		fates.set(request, fate);
		return fate;
	};
	for (const [index, { fault }] of mishaps.entries()) {
		service.faults.add({
			...fault,
			match: { seed: plan.seed, where: (request) => fateOf(request) === index },
		});
	}

	process.on('message', (wanted: 'books' | 'stop') => {
		if (wanted === 'stop') {
			void service.stop().then(() => process.send!('stopped'));
			return;
		}
		const entries = new Map<number, Entry>();
		const withoutItem: Books['withoutItem'] = {};
		const struck: Books['mishaps'] = {};
		const overLimit: Books['overLimit'] = {};
		const none = (): Entry => ({ arrived: 0, accepted: 0, delivered: 0 });
		const entryOf = (item: number) => {
			const entry = entries.get(item) ?? none();
			entries.set(item, entry);
			return entry;
		};
		for (const { operation, input, accepted, faults, refusedBy } of service.requests) {
			const item = itemIn(input);
			const entry = item === undefined ? (withoutItem[operation!] ??= none()) : entryOf(item);
			entry.arrived++;
			if (accepted) entry.accepted++;
			if (refusedBy) overLimit[refusedBy] = (overLimit[refusedBy] ?? 0) + 1;
			for (const fault of faults) struck[fault] = (struck[fault] ?? 0) + 1;
		}
		const order = new Map<number, number[]>();
		for (const { contactId, text } of service.deliveries()) {
			const item = itemIn({ text })!;
			entryOf(item).delivered++;
			order.set(contactId, [...(order.get(contactId) ?? []), item]);
		}
		process.send!({
			entries: [...entries],
			withoutItem,
			requests: service.requests.length,
			overLimit,
			mishaps: struck,
			violations: service.violations.map(
				({ request, problems }) => `${request.operation}: ${problems.join('; ')}`,
			),
			mostInFlight: Math.max(...plan.tokens.map((token) => mostInFlight(service.requests, token))),
			inFlight: service.inFlight.now,
			order: [...order.values()],
		} satisfies Books);
	});
	process.send!({ url: service.url });
}

/** What the items name. */
function provide(data: Data, plan: Plan) {
	for (const token of plan.tokens) data.accounts.push({ token, apiAccess: true });
	const addContact = (contact: Pick<Contact, 'id' | 'messenger'> & Partial<Contact>) => {
		const rest = {
			botId: SEEDED.bots.school,
			name: 'Анна',
			externalId: String(contact.id),
			phone: undefined,
		};
		data.contacts.set(contact.id, { ...rest, tags: [], variables: [], ...contact });
	};
	for (const { contactId, ...recipient } of plan.recipients) addContact({ id: contactId, ...recipient });
	const at = '2026-11-05T09:30:00+03:00';
	for (const item of itemsOf(plan)) {
		const id = recordId(item);
		const { needs, method } = item.run.operation;
		if (needs === 'bot') data.bots.set(id, { id, name: 'Бот', tags: [tag, 'Новый лид'] });
		if (needs === 'contact') {
			const tags = method === 'attachTagToContact' ? [] : [tag];
			const variables = [{ id, name: variable, value: 'Казань', deletable: false }];
			addContact({ id, messenger: 'vk', tags, variables });
		}
		if (needs === 'schema') {
			const schema: ListSchema = {
				id: schemaIdOf(item.number),
				name: 'Клиенты',
				is_menu: false,
				fields: {
					[fieldSlug]: {
						name: 'Город',
						type: 'string',
						is_required: false,
						is_hidden: false,
						is_encryptable: false,
					},
				},
				created_at: at,
				updated_at: at,
			};
			data.listSchemas.set(schema.id, schema);
		}
	}
}

const tokenOf = ({ query, headers }: RecordedRequest) =>
	String(query.api_token ?? String(headers.authorization).replace('Bearer ', ''));

/** Requests without an answer count as they arrive only: when the node gave them up is not known here. */
function mostInFlight(requests: RecordedRequest[], token: string): number {
	const mine = requests.filter((request) => tokenOf(request) === token);
	const changes = mine.flatMap(({ arrivedAt, answeredAt }) =>
		answeredAt === undefined ? [] : [[arrivedAt, 1] as const, [answeredAt, -1] as const],
	);
	changes.sort(([a, first], [b, second]) => a - b || first - second);
	let most = 0;
	changes.reduce((now, [, change]) => {
		most = Math.max(most, now + change);
		return now + change;
	}, 0);
	return most;
}
