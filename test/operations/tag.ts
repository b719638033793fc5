import { type Data, SEEDED } from '../../sandbox/emulator';
import { botId, contactId, tagName, upTo, withoutInput } from './fields';
import type { OperationFixture } from './operation';

const { contacts, bots } = SEEDED;

const isTagged = ({ contacts: all }: Data, tag: string) => all.get(contacts.telegram)!.tags.includes(tag);

const attach: OperationFixture = {
	endpoint: 'attachTagToContact',
	answer: 'done',
	idempotent: true,
	// The bot only provides the list of tags.
	fields: [contactId, { name: 'botId', value: String(bots.school) }, tagName('VIP'), withoutInput],
	isDone: (data) => isTagged(data, 'VIP'),
};

const detach: OperationFixture = {
	endpoint: 'detachTagFromContact',
	answer: 'done',
	idempotent: true,
	fields: [contactId, tagName('Новый лид'), withoutInput],
	isDone: (data) => !isTagged(data, 'Новый лид'),
};

const getManyByBot: OperationFixture = {
	endpoint: 'getBotTags',
	answer: 'many',
	fields: [{ ...botId, value: String(bots.dentist) }, ...upTo(50)],
	items: [{ name: 'Записан на приём' }, { name: 'Повторный визит' }],
};

const getManyByContact: OperationFixture = {
	endpoint: 'getContactTags',
	answer: 'many',
	// The contact has a third tag.
	fields: [contactId, ...upTo(2)],
	items: [{ name: 'Новый лид' }, { name: 'Пробный урок' }],
};

export const tag = { attach, detach, getManyByBot, getManyByContact };
