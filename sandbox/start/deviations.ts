import { isUsable, type Lead, recipientOf } from './leads';

/** One action of the example at the service. */
export interface Action {
	time: Date;
	operation: string;
	/** The contact's ID, or the phone number. */
	recipient: string;
	/** The sent values, if they are known. */
	values?: string[];
	/** The action, for the reader of the table. */
	summary: string;
	accepted: boolean;
	/** The service's answer, for the reader of the table. */
	answer: string;
}

export interface Outcome {
	status: string;
	actions: Action[];
	/** The leads that ended on the error branch. */
	failed: Array<{ name: string; recipient: string; reason: string }>;
}

/** The differences between the run of the example and the requests of its leads; empty if there are none. */
export function deviations(leads: Lead[], { status, actions, failed }: Outcome): string[] {
	const found = status === 'success' ? [] : [`the run ended with the status "${status}"`];
	const unexplained = [...actions];
	for (const lead of leads.filter(isUsable)) {
		const recipient = recipientOf(lead);
		for (const [operation, ...words] of wantedActions(lead)) {
			const index = unexplained.findIndex(
				(action) =>
					action.recipient === recipient &&
					action.operation === operation &&
					action.accepted &&
					words.every((word) => action.values?.some((value) => value.includes(word)) ?? true),
			);
			if (index < 0) found.push(`${lead.name}: ${operation} is missing, was refused or had other values`);
			else unexplained.splice(index, 1);
		}
	}
	for (const { operation, recipient, answer } of unexplained)
		found.push(`${operation} for "${recipient}" was not asked for (${answer})`);
	const unusable = leads.filter((lead) => !isUsable(lead)).map(({ name }) => name);
	const explained = failed.filter(({ reason }) => reason).map(({ name }) => name);
	if (explained.sort().join() !== unusable.sort().join())
		found.push(`the failed leads with a reason are "${explained.join()}" instead of "${unusable.join()}"`);
	return found;
}

/** For a lead that the API accepts: the expected operations, each with words that its values must contain. */
function wantedActions({ contact_id, bot_id, name, city, interest, tag }: Lead): string[][] {
	if (!contact_id) return [['sendMessageToWhatsApp', bot_id, name, interest]];
	return [
		['setContactVariable', 'Город', city],
		['setContactVariable', 'Интерес', interest],
		['attachTagToContact', tag],
		['sendMessage', name, interest],
	];
}
