import { inDoubt, leftUnknown } from '../../../nodes/ChatbotService/client/failure/failure';
import type { Execution } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import { SEND } from './mailing';

/* How broadcasts ended: by the records of the service, and by what n8n shows. */

/** The node's texts for a message that may have been sent before, and for one without an answer before a Retry. */
const doubts = [inDoubt('', '').message, leftUnknown('').message];

type Person = Pick<Contact, 'id'>;

/** By the records of the service: the contact IDs of the people of a list with a message, with several, and without one. */
export function deliveredTo(service: Emulator, people: Person[]) {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	const where = (isMeant: (count: number) => boolean) =>
		people.map(({ id }) => id).filter((id) => isMeant(counts.get(id) ?? 0));
	return {
		reached: where((count) => count > 0),
		several: where((count) => count > 1),
		missed: where((count) => count === 0),
	};
}

/** Checks that a run has succeeded. */
export function expectSuccess({ status, error }: Execution): void {
	expect({ status, error }).toEqual({ status: 'success', error: undefined });
}

/** Checks that everybody on a list has received exactly one message. */
export function expectEverybodyOnce(service: Emulator, people: Person[]): void {
	expect(deliveredTo(service, people)).toMatchObject({ several: [], missed: [] });
}

/**
 * The outcomes of a run that continues on errors, from both outputs of the node: the indexes of the items whose message was sent in
 * this run, was sent before, or may have been sent before, and the other failures.
 */
export function itemsEnded(execution: Execution) {
	const ended = { sent: [] as number[], skipped: [] as number[], inDoubt: [] as number[] };
	const failed: Array<Record<string, unknown>> = [];
	for (const { json, pairedItem } of [...execution.output(SEND, 0), ...execution.output(SEND, 1)]) {
		const { item } = pairedItem as { item: number };
		if (doubts.some((words) => String(json.error).startsWith(words))) ended.inDoubt.push(item);
		else if (json.alreadySent === true) ended.skipped.push(item);
		else if (json.success === true) ended.sent.push(item);
		else failed.push(json);
	}
	return { ...ended, failed };
}

/**
 * Checks that nobody has received a message twice, and that everybody without a message is named as in doubt: the people of a
 * list, after a run that continues on errors and was not interrupted.
 *
 * @returns how many are in doubt
 */
export function expectOnceOrInDoubt(service: Emulator, people: Person[], execution: Execution) {
	const { several, missed } = deliveredTo(service, people);
	const { sent, skipped, inDoubt, failed } = itemsEnded(execution);
	expect({ several, failed }).toEqual({ several: [], failed: [] });
	expect([...sent, ...skipped, ...inDoubt].sort((a, b) => a - b)).toEqual(people.map((_, index) => index));
	const named = new Set(inDoubt.map((item) => people[item]!.id));
	// Everybody else has received it.
	expect(missed.filter((id) => !named.has(id))).toEqual([]);
	return named.size;
}
