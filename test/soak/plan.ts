import type { INodeParameters } from 'n8n-workflow';

import { seededRandom } from '../../sandbox/emulator/random';
import { parametersOf, variants, type Operation, type Variant } from '../operations';
import type { SoakItem, SoakPart } from '../operations/operation';
import { firstId, listItemIdOf, marked, schemaIdOf } from './items';
import type { ForEmulator, Recipient } from './emulator';

/* All random choices, which are the same for the same seed. */

/** One node, whose items each have their own target. */
interface SoakNode extends SoakPart {
	operation: Operation;
	parameters: INodeParameters;
	/** The fields with a separate value for each item. */
	own: Array<[field: string, valueOf: (item: SoakItem) => number | string]>;
}

interface PlannedItem {
	/** The number of the item in the whole plan, from 0. */
	number: number;
	json: Record<string, unknown>;
	/** Whether its values are invalid, so that nothing may be sent. */
	invalid: boolean;
}

export interface SoakRun {
	node: SoakNode;
	items: PlannedItem[];
	errorOutput: boolean;
	retryOnFail: boolean;
	/** When the user stops it; undefined if the user does not. */
	cancelAfterMs: number | undefined;
}

interface Plan extends ForEmulator {
	/** By round, then by account: the runs in the order in which they start. */
	rounds: SoakRun[][][];
}

const roundsInPlan = 3;
const accounts = 16;
const mostItemsInRun = 25;
const usualWeight = 5;

export const limits = { account: { requests: 10, windowMs: 1000 } };

export const nodes: SoakNode[] = variants.flatMap((variant) =>
	(variant.soak ?? []).map((part) => nodeOf(variant, part)),
);

function nodeOf(variant: Variant, part: SoakPart): SoakNode {
	const own = Object.entries(part.values).filter(
		(entry): entry is SoakNode['own'][number] => typeof entry[1] === 'function',
	);
	const expressions = Object.fromEntries(own.map(([field]) => [field, `={{ $json.${field} }}`]));
	const parameters = parametersOf(variant, { ...part.values, ...expressions });
	return { ...part, operation: variant.of, parameters, own };
}

export function makePlan(seed: number, count: number): Plan {
	const random = seededRandom(seed);
	const below = (end: number) => Math.floor(random() * end);
	const recipients: Recipient[] = [];
	const addRecipient = (messenger: Recipient['messenger']) => {
		const number = recipients.length;
		const phone = `7888${1_000_000 + number}`;
		const recipient = { messenger, contactId: 500_000 + number, externalId: phone, phone };
		recipients.push(recipient);
		return recipient;
	};

	const total = nodes.reduce((sum, { weight = usualWeight }) => sum + weight, 0);
	const anyNode = () => {
		let left = random() * total;
		return nodes.find(({ weight = usualWeight }) => (left -= weight) < 0) ?? nodes[0]!;
	};

	/** Runs that can still take items, by what their items have in common. */
	const open = new Map<string, { run: SoakRun; size: number; to: Recipient[] }>();
	const rounds = Array.from({ length: roundsInPlan }, () =>
		Array.from({ length: accounts }, () => [] as SoakRun[]),
	);
	for (let number = 0; number < count; number++) {
		const round = Math.floor((number * roundsInPlan) / count);
		const account = below(accounts);
		const node = anyNode();
		const { messenger, own } = node;
		const key = `${round} ${account} ${nodes.indexOf(node)}`;
		let place = open.get(key);
		if (!place || place.run.items.length === place.size) {
			const run = {
				node,
				items: [],
				errorOutput: random() < 0.5,
				retryOnFail: random() < 0.2,
				cancelAfterMs: random() < 0.03 ? below(3000) : undefined,
			};
			// Some recipients get several messages in a run.
			const to = messenger ? [1, 2, 3].map(() => addRecipient(messenger)) : [];
			place = { run, size: 1 + below(mostItemsInRun), to };
			open.set(key, place);
			rounds[round]![account]!.push(run);
		}
		const item: SoakItem = {
			number,
			id: firstId + number,
			schemaId: schemaIdOf(number),
			listItemId: listItemIdOf(number),
			marked: (text) => marked(text, number),
			recipient: place.to[below(place.to.length)]!,
		};
		const invalid = own.length > 0 && random() < 0.02;
		const values = invalid ? [] : own.map(([field, valueOf]) => [field, valueOf(item)]);
		place.run.items.push({ number, json: { ...Object.fromEntries(values), number }, invalid });
	}
	const tokens = Array.from({ length: accounts }, (_, account) => `soak-${seed}-${account}-7f3c2e91`);
	return { seed, count, limits, tokens, rounds, recipients };
}

export const itemsOf = (plan: Plan) =>
	plan.rounds.flat(2).flatMap((run) => run.items.map((item) => ({ ...item, run })));
