import type { INodeParameters } from 'n8n-workflow';

import { inDoubt } from '../../nodes/ChatbotService/client/failure/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import type { Emulator } from '../../sandbox/emulator';
import { MemoryDeduplicator } from './n8n/deduplication';
import {
	credentialFor,
	newWorkflowId,
	runNode,
	withEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { lettersFor, send as sendTo } from './messages';

/* Helpers for the tests of 'Send Once Per' and of retries: who has received a message, and how items ended. */

/** How many messages each contact has received. */
export function howOften(service: Emulator, people: Array<{ id: number }>): number[] {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	return people.map(({ id }) => counts.get(id) ?? 0);
}

/** The outcome of an item in a run that continues on errors. */
type Came = 'sent' | 'skipped' | 'in doubt' | 'not sent' | 'failed';

function cameOf({ json }: RunResult['outputs'][number][number]): Came {
	const { error, message } = json;
	if (error === undefined) return json.alreadySent === true ? 'skipped' : 'sent';
	if (typeof error !== 'string') return 'not sent';
	if (!error.startsWith(inDoubt('', '').message)) return 'failed';
	return String(message).includes(`'${sendOncePer.displayName}'`) ? 'in doubt' : 'failed';
}

/** The outcomes of a run's items, in order. */
export function came({ outputs }: RunResult): Came[] {
	const items = outputs.flat().map((item) => {
		const { pairedItem } = item;
		return { place: (pairedItem as { item: number }).item, came: cameOf(item) };
	});
	return items.sort((a, b) => a.place - b.place).map((item) => item.came);
}

export const all = (count: number, what: Came): Came[] => Array<Came>(count).fill(what);

export const withOnce = (value: string) => ({ options: { sendOncePer: value } });

/** VK has no limit of its own. */
export const send: INodeParameters = { ...sendTo, contactMessenger: 'vk', ...withOnce('осень') };

/** Continues on errors, so that every item shows its outcome. */
export const goingOn = { onError: 'continueRegularOutput' } as const;

/** A node with 'Send Once Per', with its own service, store and workflow. */
function sceneOf(service: Emulator) {
	const deduplication = new MemoryDeduplicator();
	const workflowId = newWorkflowId();
	const credential = (changes = {}) => credentialFor(service, changes);
	const run = async (options: Partial<RunOptions>) =>
		await runNode({
			...{ parameters: send, credential: credential(), deduplication, workflowId, node: goingOn },
			...options,
		});

	/** The error of a run in stop mode in which something is wrong, so that nothing leaves. */
	async function refusalOf(options: Partial<RunOptions>) {
		const before = service.requests.length;
		const { error } = await run({ node: {}, ...options });
		expect([error === undefined, service.requests.length - before]).toEqual([false, 0]);
		return error!;
	}

	return {
		...{ service, deduplication, workflowId, credential, run, refusalOf },
		letters: (count: number) => lettersFor(service, count),
		howOften: (people: Array<{ id: number }>) => howOften(service, people),
	};
}

/** The body of a concurrent test, with a scene of its own. */
export const withOnceScene = <Row extends unknown[]>(
	body: (scene: ReturnType<typeof sceneOf>, ...row: Row) => Promise<void>,
) => withEmulator<Row>(async (service, ...row) => await body(sceneOf(service), ...row));
