import { deviations } from '../../sandbox/start/deviations';
import { isUsable, readLeads } from '../../sandbox/start/leads';
import { type WelcomeResult, welcomeNewLeads } from '../../sandbox/start/welcome';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';

const bench = duringTests(openBench);
let result: WelcomeResult;

beforeAll(async () => {
	result = await welcomeNewLeads(bench, bench.service);
});

test('"Welcome new leads" does once what each lead asks for, and sends to nobody else', () => {
	expect(result.deviations).toEqual([]);
	bench.service.assertContract();
});

test('n8n\'s own record of "Welcome new leads" matches the record of the service', async () => {
	const told = await welcomeNewLeads(bench);
	expect(told.recordedBy).toBe('n8n');
	expect(told.deviations).toEqual([]);
});

test('a message of "Welcome new leads" that is missing, sent twice or sent to the wrong lead is detected', async () => {
	const leads = await readLeads();
	const bad = leads.find((lead) => !isUsable(lead))!;
	const message = result.actions.find(({ operation }) => operation === 'sendMessage')!;
	const others = result.actions.filter((action) => action !== message);
	const deviationsOf = (actions: typeof others) => deviations(leads, { ...result, actions });
	const toBad = { ...message, recipient: bad.contact_id };
	for (const actions of [others, [...result.actions, message], [...result.actions, toBad]])
		expect(deviationsOf(actions)).toHaveLength(1);
	expect(deviationsOf([...others, { ...message, accepted: false }])).toHaveLength(2);
	expect(deviationsOf([...others, { ...message, values: ['Здравствуйте!'] }])).toHaveLength(2);
	expect(deviations(leads, { ...result, failed: [] })).toHaveLength(1);
});
