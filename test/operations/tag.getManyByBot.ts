import { SEEDED } from '../../sandbox/emulator';
import { botId, upTo } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getBotTags',
	place: 'query',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			fields: [
				{
					...botId,
					value: String(SEEDED.bots.dentist),
					given: ` ${SEEDED.bots.dentist} `,
					sent: SEEDED.bots.dentist,
				},
				...upTo(50),
			],
			items: [{ name: 'Записан на приём' }, { name: 'Повторный визит' }],
			soak: [{ values: { botId: ({ id }) => id, returnAll: true } }],
		},
	],
	secondItem: { botId: String(SEEDED.bots.school) },
};
