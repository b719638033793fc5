import type { Action, Outcome } from './action';
import { isUsable, type Lead, recipientOf } from './leads';

/** What the run of the example did otherwise than its leads ask for; nothing when all is well. */
export function deviations(leads: Lead[], { status, actions, failed }: Outcome): string[] {
	const found: string[] = [];
	if (status !== 'success') found.push(`the run ended with the status "${status}"`);

	for (const lead of leads) {
		const recipient = recipientOf(lead);
		const own = actions.filter((action) => action.recipient === recipient);
		const complaints = failed.filter((entry) => entry.name === lead.name && entry.recipient === recipient);
		const wanted = isUsable(lead) ? wantedActions(lead) : [];
		found.push(...compare(lead.name, wanted, own));
		if (isUsable(lead) && complaints.length > 0) {
			found.push(`${lead.name}: is among the failed leads (${complaints[0]?.reason})`);
		}
		if (!isUsable(lead) && !(complaints.length === 1 && complaints[0]?.reason)) {
			found.push(`${lead.name}: should be among the failed leads once, with a reason`);
		}
	}

	const known = new Set(leads.map(recipientOf));
	for (const { operation, recipient } of actions.filter((action) => !known.has(action.recipient))) {
		found.push(`${operation} for "${recipient}", who is not in the file`);
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

/** Every wanted action was done once and taken, and nothing else was; a wanted one may be refused and then repeated. */
function compare(name: string, wanted: WantedAction[], done: Action[]): string[] {
	const found: string[] = [];
	const unexplained = [...done];
	for (const { operation, values } of wanted) {
		const index = unexplained.findIndex(
			(action) =>
				action.operation === operation &&
				action.accepted &&
				(!action.values ||
					Object.entries(values).every(([key, matches]) => matches(action.values?.[key] ?? ''))),
		);
		if (index < 0) found.push(`${name}: ${operation} is missing, was refused or had other values`);
		else unexplained.splice(index, 1);
	}
	for (const { operation, accepted, answer } of unexplained) {
		if (accepted || wanted.length === 0) found.push(`${name}: ${operation} was not asked for (${answer})`);
	}
	return found;
}
