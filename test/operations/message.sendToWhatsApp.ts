import { SEEDED } from '../../sandbox/emulator';
import { botId, messageOptions } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'sendMessageToWhatsApp',
	place: 'body',
	answer: 'done',
	idempotent: false,
	variants: [
		{
			fields: [
				botId,
				{
					name: 'phone',
					value: '+79160000001',
					given: '+7 916 000-00-01',
					wire: 'phone',
					required: true,
				},
				{ name: 'text', value: 'Добро пожаловать!', wire: 'text', required: true },
				{ name: 'contactName', value: 'Ольга', wire: 'name' },
				...messageOptions,
			],
			items: [{ success: true }],
			isDone: ({ deliveries }) =>
				deliveries.some(
					({ recipient, text }) => recipient === '+79160000001' && text === 'Добро пожаловать!',
				),
			notice: 'firstMessage',
			soak: [
				{
					weight: 6,
					values: {
						botId: String(SEEDED.bots.school),
						phone: ({ id }) => `+7 999 ${id}`,
						text: ({ marked }) => marked('Здравствуйте'),
					},
				},
			],
		},
	],
	secondItem: { phone: '+79160000002' },
};
