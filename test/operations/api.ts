import { SEEDED } from '../../sandbox/emulator';
import { eitherWay } from './fields';
import type { OperationFixture } from './operation';

const { telegram, whatsapp } = SEEDED.contacts;

const asked = { contact_id: String(telegram), depth: '1' };
const parameter = Object.entries(asked).map(([name, value]) => ({ name, value }));

const request: OperationFixture = {
	endpoint: 'getReferrals',
	answer: 'many',
	fields: [
		{ name: 'method', value: 'GET' },
		{ name: 'endpoint', value: 'getReferrals', required: true, isSought: true },
		{ name: 'parametersInput', value: 'define', decides: true },
		{ name: 'parameters', value: { parameter }, isSought: true },
		{ name: 'returnAll', value: true },
	],
	requests: [{ endpoint: 'getReferrals', query: asked }],
	items: [
		{
			...{ id: whatsapp, bot_id: SEEDED.bots.school, name: 'Иван Петров', messenger: 'whatsapp' },
			...{ phone: '79035550101', email: 'petrov.ivan@example.com', address: null, utm: null },
			created_at: '2023-11-02T16:40:12+00:00',
		},
	],
	states: eitherWay('parameters', ['method', 'endpoint'], ['endpoint'], ['returnAll']),
};

export const api = { request };
