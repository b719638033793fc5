import type { Outcome } from './action';
import { isUsable, type Lead, recipientOf } from './leads';

/** The differences between the run of the example and the requests of its leads; empty if there are none. */
export function deviations(leads: Lead[], { status, actions, failed }: Outcome): string[] {
	const found = status === 'success' ? [] : [`the run ended with the status "${status}"`];
	const unexplained = [...actions];
	for (const lead of leads) {
		const recipient = recipientOf(lead);
		for (const { operation, values } of isUsable(lead) ? wantedActions(lead) : []) {
			const index = unexplained.findIndex(
				(action) =>
					action.recipient === recipient &&
					action.operation === operation &&
					action.accepted &&
					(!action.values ||
						Object.entries(values).every(([key, isRight]) => isRight(action.values?.[key] ?? ''))),
			);
			if (index < 0) found.push(`${lead.name}: ${operation} is missing, was refused or had other values`);
			else unexplained.splice(index, 1);
		}
		const reasons = failed
			.filter((entry) => entry.name === lead.name && entry.recipient === recipient)
			.map(({ reason }) => reason);
		if (isUsable(lead) && reasons.length > 0) {
			found.push(`${lead.name}: is among the failed leads (${reasons[0]})`);
		}
		if (!isUsable(lead) && !(reasons.length === 1 && reasons[0])) {
			found.push(`${lead.name}: should be among the failed leads once, with a reason`);
		}
	}
	const usable = new Set(leads.filter(isUsable).map(recipientOf));
	for (const { operation, recipient, accepted, answer } of unexplained) {
		// A refused action may have been repeated.
		if (!accepted && usable.has(recipient)) continue;
		found.push(`${operation} for "${recipient}" was not asked for (${answer})`);
	}
	return found;
}

interface WantedAction {
	operation: string;
	values: Record<string, (value: string) => boolean>;
}

function wantedActions(lead: Lead): WantedAction[] {
	const is = (wanted: string) => (value: string) => value === wanted;
	const greets = (value: string) => value.includes(lead.name) && value.includes(lead.interest);
	if (!lead.contact_id) {
		return [
			{
				operation: 'sendMessageToWhatsApp',
				values: { bot_id: is(lead.bot_id), name: is(lead.name), text: greets },
			},
		];
	}
	return [
		{ operation: 'setContactVariable', values: { name: is('Город'), value: is(lead.city) } },
		{ operation: 'setContactVariable', values: { name: is('Интерес'), value: is(lead.interest) } },
		{ operation: 'attachTagToContact', values: { name: is(lead.tag) } },
		{ operation: 'sendMessage', values: { text: greets } },
	];
}
