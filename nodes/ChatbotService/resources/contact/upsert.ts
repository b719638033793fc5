import { isDone } from '../../client/failure/result';
import { spelling } from '../../shared/values';
import { botId, contactName, externalId, messenger, optional } from '../fields';
import type { Kind } from '../kind';
import * as kinds from '../kinds';
import {
	mayBeDone,
	wireNameOf,
	type Completion,
	type Field,
	type Operation,
	type WireValues,
} from '../operation';
import { requestFor } from '../operationRequest';
import { notInMax } from '../problems';
import { byMessengerId, byPhone, tagNames } from './contactFilters';
import { contactGetAll } from './getAll';
import { finders } from './keys';

const messengerOfContact: Field = {
	...messenger,
	description: 'Messenger of the contact. The service creates no contacts in MAX.',
	kind: (value, label) => {
		const checked = messenger.kind!(value, label);
		return 'value' in checked && checked.value === 'max' ? notInMax(label, value) : checked;
	},
};

const advice = `Enter the ID that the messenger gives the person, such as 284119035, not a username. For a phone number, choose WhatsApp as '${messenger.displayName}'.`;

const numericId = kinds.messengerId(advice, (id) => /^\d+$/.test(id));

const personAs = (property: string, kind: Kind): Field => ({
	...externalId,
	placeholder: 'e.g. 284119035, or +79161234567 in WhatsApp',
	description:
		'Telegram, VK, Viber: the ID that the messenger gives the person. WhatsApp: the phone number with the country code.',
	routing: { send: { property } },
	kind,
});

/** The same field in each messenger, with its name in the API. */
const persons: Record<string, Field> = {
	telegram: personAs('telegram_id', numericId),
	viber: personAs('viber_id', kinds.messengerId(advice)),
	vk: personAs('vk_id', numericId),
	whatsapp: personAs('phone', kinds.phone),
};

const nameByMessenger = Object.fromEntries(
	Object.entries(persons).map(([key, field]) => [key, wireNameOf(field)]),
);

const externalIdOfContact: Field = {
	...personAs(`={{ (${JSON.stringify(nameByMessenger)})[$parameter["messenger"]] }}`, kinds.phoneOrId),
	variantFor: (sent) => persons[String(sent.of(messenger))],
};

const nameOfContact: Field = {
	...contactName,
	required: true,
	description: 'Name of the contact. If the contact exists, this name replaces its name.',
};

const additionalFields: Field = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		optional('Address', 'address', kinds.trimmedName, {
			placeholder: 'e.g. Kazan, Bauman St. 1',
			routing: { send: { property: 'address' } },
		}),
		optional('Email', 'email', kinds.emailAddress, {
			whole: 'all',
			placeholder: 'name@email.com',
			routing: { send: { property: 'email' } },
		}),
		optional('Phone', 'phone', kinds.phone, {
			whole: 'all',
			placeholder: 'e.g. +79161234567',
			description: 'Phone number with the country code, for a contact in another messenger than WhatsApp',
			routing: { send: { property: 'phone' } },
		}),
		tagNames('Tags', 'tags', '', { whole: 'each', routing: { send: { property: 'tags' } } }),
		optional('Telegram Username', 'telegramUsername', kinds.username, {
			whole: 'all',
			placeholder: 'e.g. anna_smirnova',
			routing: { send: { property: 'telegram_username' } },
		}),
	],
};

const existingContact: Field = {
	displayName:
		'The service does not document how it recognizes an existing contact. Try it with your own contact first.',
	name: 'existingContact',
	type: 'notice',
	default: '',
};

/** Finds a contact by what was sent, among those of its bot. */
function completionOf(sent: WireValues): Completion {
	const chosen = String(sent.of(messenger));
	const field = chosen === 'whatsapp' ? byPhone : byMessengerId;
	const wanted = sent.of(persons[chosen]!);
	const saved = "The service saved the contact without saying its 'id'";
	return async (requests) => {
		const list = requestFor(contactGetAll, [botId, sent.of(botId)]);
		for await (const page of requests.read(list)) {
			if (!isDone(page))
				return { notice: `${saved}, and the node could not read the contacts to look for it.` };
			const row = finders.get(field)!(page.rows, wanted).find((each) => spelling(each.messenger) === chosen);
			if (row) return { row };
		}
		return { notice: `${saved}, and the contacts of the bot do not contain it.` };
	};
}

export const contactUpsert: Operation = {
	option: {
		name: 'Create or Update',
		value: 'upsert',
		action: 'Create or update contact',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		routing: { request: { method: 'POST', url: '/createOrUpdateContact' } },
	},
	fields: [botId, messengerOfContact, externalIdOfContact, nameOfContact, existingContact, additionalFields],
	answer: 'created',
	completes: completionOf,
	advice: mayBeDone('The contact may have been created', 'the contacts in the service'),
};
