import { deviations } from '../../sandbox/start/deviations';
import { isUsable, readLeads } from '../../sandbox/start/leads';
import { type WelcomeResult, welcomeNewLeads } from '../../sandbox/start/welcome';
import { type Bench, openBench } from './support/bench';

let bench: Bench;
let result: WelcomeResult;

beforeAll(async () => {
	bench = await openBench();
	result = await welcomeNewLeads(bench, bench.service);
});

afterAll(async () => await bench?.stop());

test('"Welcome new leads" does what the leads ask for', () => {
	expect(result.deviations).toEqual([]);
	bench.service.assertContract();
});

test('"Welcome new leads" writes to every usable lead once, and to nobody else', async () => {
	const usable = (await readLeads()).filter(isUsable);
	const texts = bench.service.deliveries().map(({ text }) => text ?? '');
	expect(texts).toHaveLength(usable.length);
	for (const { name } of usable) expect(texts.filter((text) => text.includes(name))).toHaveLength(1);
});

test('n8n\'s own record of "Welcome new leads" tells the same as that of the service', async () => {
	const told = await welcomeNewLeads(bench);
	expect(told.recordedBy).toBe('n8n');
	expect(told.deviations).toEqual([]);
});

test('a message of "Welcome new leads" that is missing, sent twice or sent to the wrong lead is noticed', async () => {
	const leads = await readLeads();
	const bad = leads.find((lead) => !isUsable(lead))!;
	const message = result.actions.find(({ operation }) => operation === 'sendMessage')!;
	const others = result.actions.filter((action) => action !== message);
	const deviationsOf = (actions: typeof others) => deviations(leads, { ...result, actions });
	expect(deviationsOf(others)).not.toEqual([]);
	expect(deviationsOf([...result.actions, message])).not.toEqual([]);
	expect(deviationsOf([...others, { ...message, accepted: false }])).not.toEqual([]);
	expect(
		deviationsOf([...result.actions, { ...message, recipient: bad.contact_id, accepted: false }]),
	).not.toEqual([]);
	expect(deviations(leads, { ...result, failed: [] })).not.toEqual([]);
});
