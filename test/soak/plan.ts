import type { INodeParameters } from 'n8n-workflow';

import { seededRandom } from '../../sandbox/emulator/random';
import { parametersOf, variants, type Operation } from '../operations';
import type { SoakItem, SoakPart } from '../operations/operation';
import type { ForEmulator, Recipient } from './emulator';
import { firstId, listItemIdOf, marked, schemaIdOf } from './requests';

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
	/** How many items it takes at most, and the contacts that they share, because some get several messages in a run. */
	size: number;
	recipients: Recipient[];
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
	(variant.soak ?? []).map((part) => {
		const own = Object.entries(part.values).filter(
			(entry): entry is SoakNode['own'][number] => typeof entry[1] === 'function',
		);
		const expressions = Object.fromEntries(own.map(([field]) => [field, `={{ $json.${field} }}`]));
		const parameters = parametersOf(variant, { ...part.values, ...expressions });
		return { ...part, operation: variant.of, parameters, own };
	}),
);

export function makePlan(seed: number, count: number): Plan {
	const random = seededRandom(seed);
	const below = (end: number) => Math.floor(random() * end);
	const recipients: Recipient[] = [];
	const newRecipient = (messenger: Recipient['messenger']) => {
		const phone = `7888${1_000_000 + recipients.length}`;
		recipients.push({ messenger, contactId: 500_000 + recipients.length, externalId: phone, phone });
		return recipients.at(-1)!;
	};
	const total = nodes.reduce((sum, { weight = usualWeight }) => sum + weight, 0);
	const anyNode = () => {
		let left = random() * total;
		return nodes.find(({ weight = usualWeight }) => (left -= weight) < 0) ?? nodes[0]!;
	};
	const newRun = (node: SoakNode): SoakRun => ({
		node,
		items: [],
		size: 1 + below(mostItemsInRun),
		recipients: [1, 2, 3].flatMap(() => (node.messenger ? newRecipient(node.messenger) : [])),
		errorOutput: random() < 0.5,
		retryOnFail: random() < 0.2,
		cancelAfterMs: random() < 0.03 ? below(3000) : undefined,
	});

	const rounds = Array.from({ length: roundsInPlan }, () =>
		Array.from({ length: accounts }, () => [] as SoakRun[]),
	);
	for (let number = 0; number < count; number++) {
		const runs = rounds[Math.floor((number * roundsInPlan) / count)]![below(accounts)]!;
		const node = anyNode();
		let run = runs.find((each) => each.node === node && each.items.length < each.size);
		if (!run) runs.push((run = newRun(node)));
		const item: SoakItem = {
			number,
			id: firstId + number,
			schemaId: schemaIdOf(number),
			listItemId: listItemIdOf(number),
			marked: (text) => marked(text, number),
			recipient: run.recipients[below(run.recipients.length)]!,
		};
		const invalid = node.own.length > 0 && random() < 0.02;
		const values = invalid ? [] : node.own.map(([field, valueOf]) => [field, valueOf(item)]);
		run.items.push({ number, json: { ...Object.fromEntries(values), number }, invalid });
	}
	const tokens = Array.from({ length: accounts }, (_, account) => `soak-${seed}-${account}-7f3c2e91`);
	return { seed, count, limits, tokens, rounds, recipients };
}

export const itemsOf = (plan: Plan) =>
	plan.rounds.flat(2).flatMap((run) => run.items.map((item) => ({ ...item, run })));
